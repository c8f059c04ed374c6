"""
Servers that take webhooks as Slack, Teams, PagerDuty and Opsgenie describe theirs, and refuse other requests.

They follow Slack's "Sending messages using incoming webhooks" and "Block Kit: section, header", Microsoft's
"Create incoming webhooks with Workflows" and "Adaptive Cards schema", PagerDuty's "Events API v2: send an
alert event", and Opsgenie's "Alert API: create alert, close alert".
"""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.support.local_server import LocalHandler, LocalServer, run_server

ROUTING_KEY = "R0123456789ABCDEFGHIJKLMNOPQRSTU"
API_KEY = "eb243592-faa2-4ba2-a551-1afdf565c889"


class Refused(Exception):
    """The product refuses a request: the status, and what is wrong."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


def require(is_right: bool, words: str, *, status: int = 400) -> None:
    if not is_right:
        raise Refused(status, words)


class Product(LocalServer):
    """
    Attributes:
        got: the content of each request that was taken.
        refusals: why the others were refused.
        is_open: incidents by their keys: whether each is open.
        status, retry_after: of each answer, if not those of the product.
        is_silent: whether it answers only after two seconds.
    """

    path = "/services/T0/B0/x"
    success = 200

    def __init__(self) -> None:
        super().__init__(_Handler)
        self.got: list[Any] = []
        self.refusals: list[str] = []
        self.is_open: dict[str, bool] = {}
        self.status = 0
        self.retry_after = ""
        self.is_silent = False
        self.url = f"{self.address}{self.path}"

    def take(self, path: str, headers: Any, content: Any) -> None:
        """Raise Refused if the product would refuse a request."""
        raise NotImplementedError


class Slack(Product):
    def take(self, path: str, headers: Any, content: Any) -> None:
        require(path == self.path, "no_service", status=404)
        require(set(content) == {"text", "blocks"} and bool(content["text"]), "no_text")
        require(len(content["blocks"]) <= 50, "invalid_blocks")
        for block in content["blocks"]:
            require(block["type"] in ("header", "section"), "invalid_blocks")
            text = block["text"]
            require(set(text) == {"type", "text", "emoji"} and text["type"] == "plain_text", "invalid_blocks")
            most = 150 if block["type"] == "header" else 3000
            require(1 <= len(text["text"]) <= most, "invalid_blocks")


class Teams(Product):
    path = "/workflows/0/triggers/manual/paths/invoke"
    success = 202

    def take(self, path: str, headers: Any, content: Any) -> None:
        require(path.startswith(self.path), "WorkflowNotFound", status=404)
        require(len(json.dumps(content)) <= 28_000, "RequestEntityTooLarge", status=413)
        require(content["type"] == "message" and len(content["attachments"]) == 1, "no message")
        (attachment,) = content["attachments"]
        require(attachment["contentType"] == "application/vnd.microsoft.card.adaptive", "no card")
        card = attachment["content"]
        require(card["type"] == "AdaptiveCard" and card["version"] in ("1.2", "1.3", "1.4"), "no card")
        for row in card["body"]:
            require(row["type"] == "RichTextBlock", "an element that reads Markdown")
            require(all(run["type"] == "TextRun" and run["text"] for run in row["inlines"]), "no text")


class PagerDuty(Product):
    path = "/v2/enqueue"
    success = 202

    def take(self, path: str, headers: Any, content: Any) -> None:
        require(path == self.path, "not found", status=404)
        require(content["routing_key"] == ROUTING_KEY, "Invalid routing key")
        require(1 <= len(content["dedup_key"]) <= 255, "Length of 'dedup_key' is too long")
        action = content["event_action"]
        require(action in ("trigger", "resolve"), "'event_action' is invalid")
        if action == "trigger":
            payload = content["payload"]
            require(1 <= len(payload["summary"]) <= 1024, "'payload.summary' is invalid")
            require(bool(payload["source"]), "'payload.source' is missing")
            require(payload["severity"] in ("critical", "error", "warning", "info"), "'payload.severity'")
        self.is_open[content["dedup_key"]] = action == "trigger"


class Opsgenie(Product):
    path = "/v2/alerts"
    success = 202

    def take(self, path: str, headers: Any, content: Any) -> None:
        require(headers["Authorization"] == f"GenieKey {API_KEY}", "Could not authenticate", status=401)
        parts = urlsplit(path)
        if parts.path == self.path:
            require(1 <= len(content["message"]) <= 130, "Message can not be empty", status=422)
            require(1 <= len(content["alias"]) <= 512, "alias", status=422)
            require(len(content["description"]) <= 15_000, "description", status=422)
            require(
                all(isinstance(value, str) for value in content["details"].values()), "details", status=422
            )
            self.is_open[content["alias"]] = True
            return
        place, _, end = parts.path.rpartition("/")
        alias = unquote(place.removeprefix(f"{self.path}/"))
        require(end == "close" and parse_qs(parts.query) == {"identifierType": ["alias"]}, "path", status=404)
        self.is_open[alias] = False


class _Handler(LocalHandler):
    server: Product

    def answer(self, body: bytes) -> None:
        content = json.loads(body)
        if self.server.is_silent:
            time.sleep(2)
        status = self.server.status or self._take(content)
        headers = {"Retry-After": self.server.retry_after} if self.server.retry_after else None
        self.send_answer(status, headers=headers)

    def _take(self, content: Any) -> int:
        try:
            require(self.headers["Content-Type"] == "application/json", "Content-Type", status=415)
            self.server.take(self.path, self.headers, content)
        except Refused as refusal:
            self.server.refusals.append(str(refusal))
            return refusal.status
        except (KeyError, TypeError, ValueError) as error:
            self.server.refusals.append(repr(error))
            return 400
        self.server.got.append(content)
        return self.server.success


PRODUCTS: dict[str, Callable[[], Product]] = {
    "slack": Slack,
    "teams": Teams,
    "pagerduty": PagerDuty,
    "opsgenie": Opsgenie,
}
KEYS = {"pagerduty": ROUTING_KEY, "opsgenie": API_KEY}


@contextmanager
def serving(name: str) -> Iterator[Product]:
    """Run the server of a product."""
    with run_server(PRODUCTS[name]()) as server:
        yield server
