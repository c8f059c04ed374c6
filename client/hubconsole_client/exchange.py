"""Requests, answers and the rules of repeating. Nothing here sends or waits: there the clients differ."""

import json
import random
import re
import time
import urllib.parse
import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from hubconsole_client.errors import NotTrusted, Refused, Unreachable, make_refusal
from hubconsole_client.version import VERSION

API = "/api/v1/"
# Seconds between attempts: the first, and the longest.
MIN_PAUSE, MAX_PAUSE = 0.5, 10.0
# Statuses of a proxy whose console did not answer: the request may have arrived.
_LOST = {502, 504}


def quote_part(part: int | str) -> str:
    """Return a part of an address, such as an id."""
    text = str(part)
    if text in ("", ".", ".."):
        raise ValueError(f"{text!r} is not an id.")
    return urllib.parse.quote(text, safe="")


def make_base(url: str) -> str:
    """
    Return the address of the API.

    Raises:
        ValueError: `url` is not the address of a console.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise ValueError(f"{url!r} is not the address of a console, such as https://hub.example.org")
    return url.removesuffix("/").removesuffix(API.removesuffix("/")) + API


def make_headers(token: str) -> dict[str, str]:
    if not token or not token.isascii() or not token.isprintable():
        raise ValueError("The token is empty, or has characters that no token has.")
    return {
        "Authorization": f"Bearer {token}",
        "Accept": "application/json",
        "User-Agent": f"hubconsole-client/{VERSION}",
    }


def make_request(
    *,
    method: str,
    query: Mapping[str, Any] | Sequence[tuple[str, str]] | None,
    body: Mapping[str, Any] | None,
    idempotency_key: str | None,
    if_match: str | None,
) -> dict[str, Any]:
    """
    Return the arguments of a request, which are the same in each attempt.

    Raises:
        ValueError: a value cannot be sent.
    """
    headers = {}
    if method == "POST":
        key = str(uuid.uuid4()) if idempotency_key is None else idempotency_key
        headers["Idempotency-Key"] = _check_header("idempotency_key", key)
    if if_match is not None:
        headers["If-Match"] = _check_header("if_match", if_match)
    request: dict[str, Any] = {"headers": headers, "params": _flatten_query(query or {})}
    if body is not None:
        headers["Content-Type"] = "application/json"
        request["content"] = json.dumps(dict(body), default=_to_json).encode()
    return request


def read_page(page: Mapping[str, Any]) -> tuple[list[Any], list[tuple[str, str]] | None]:
    """Return the entries of a page, and the query of the next one, if there is one."""
    following = page["next"]
    return page["results"], parse_qsl(
        urlsplit(following).query, keep_blank_values=True
    ) if following else None


def read_answer(status: int, headers: Mapping[str, str], content: bytes) -> Any:
    """Return the content of an answer. Raises Refused, Unreachable."""
    if status in _LOST:
        raise Unreachable(f"A proxy answered {status}.", may_have_acted=True)
    try:
        answer = json.loads(content) if content else None
    except ValueError:
        answer = None
    if 200 <= status < 300:
        if answer is None and status != 204:
            raise Unreachable("The answer is not from a console: it is not JSON.", may_have_acted=True)
        return answer
    problem: dict[str, Any] = {"detail": "The answer is not from the API of a console."}
    if isinstance(answer, dict) and "code" in answer:
        problem = answer
    wait = headers.get("Retry-After", "")
    raise make_refusal(status, problem, retry_after=float(wait) if wait.isdigit() else None)


class Attempts:
    """
    When to repeat one request.

    Args:
        patience: the seconds after which no attempt begins any more.
        is_repeatable: whether the request may arrive twice: one that only reads, or has an idempotency key.
    """

    def __init__(self, *, patience: float, is_repeatable: bool) -> None:
        self._ends = time.monotonic() + patience
        self._is_repeatable = is_repeatable
        self._pause = MIN_PAUSE

    def count_seconds(self, failure: Refused | Unreachable) -> float | None:
        """Return the seconds until the next attempt, None if there should be none."""
        if isinstance(failure, Unreachable):
            is_repeatable = self._is_repeatable or not failure.may_have_acted
            is_next = is_repeatable and not isinstance(failure, NotTrusted)
            retry_after = None
        else:
            # 409: the first request with this key is still being processed.
            is_next = failure.status in (429, 503) or failure.code == "in_progress"
            retry_after = failure.retry_after
        seconds = max(self._pause * random.uniform(0.5, 1.0), retry_after or 0.0)  # noqa: S311 (no secret)
        self._pause = min(self._pause * 2, MAX_PAUSE)
        return seconds if is_next and time.monotonic() + seconds < self._ends else None


def _check_header(name: str, text: str) -> str:
    if not re.fullmatch(r"[!-~]{1,255}", text):
        raise ValueError(f"{name} must be 1 to 255 visible ASCII characters without spaces, not {text!r}.")
    return text


def _flatten_query(query: Mapping[str, Any] | Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    pairs = []
    for name, value in query.items() if isinstance(query, Mapping) else query:
        if value is None:
            continue
        values = list(value) if isinstance(value, (list, tuple, set, frozenset)) else [value]
        if all(isinstance(one, int) for one in values):
            # Of ids there may be more than a query has parameters.
            pairs.append((name, ",".join(map(_to_text, values))))
        else:
            pairs += [(name, _to_text(one)) for one in values]
    return pairs


def _to_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return _to_json(value) if isinstance(value, datetime) else str(value)


def _to_json(value: Any) -> Any:
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError(f"{value.isoformat()} has no time zone.")
        return value.isoformat()
    if isinstance(value, (set, frozenset, tuple)):
        return list(value)
    raise TypeError(f"{value!r} cannot be sent as JSON.")
