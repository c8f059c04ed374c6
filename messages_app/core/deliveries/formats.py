"""
The formats of webhooks: Standard Webhooks, Slack, Teams, PagerDuty and Opsgenie.

Texts may come from messages of the hub, so they are sent as plain text: no product reads markup, links or
mentions in them.

They follow Slack's "Sending messages using incoming webhooks" and "Block Kit", Microsoft's "Create incoming
webhooks with Workflows" and "Adaptive Cards", PagerDuty's "Events API v2", and Opsgenie's "Alert API".

Source: docs/howto/notify_chat_and_on_call.md.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any
from urllib.parse import quote

from messages_app.core.problems import bad_field

SOURCE = "Hub Console"
# Lengths that the products accept, in characters; the card of Teams is limited to 28 KB as a whole.
_MAX_SLACK_TITLE, _MAX_SLACK_TEXT, _MAX_SLACK_TEXTS = 150, 2_900, 20
_MAX_TEAMS_TEXT = 5_000
_MAX_PAGERDUTY_TITLE, _MAX_PAGERDUTY_TEXT = 1_024, 10_000
_MAX_OPSGENIE_TITLE, _MAX_OPSGENIE_TEXT = 130, 15_000
_KEY = re.compile(r"[\x21-\x7e]{1,200}")
_ROUTING_KEY = re.compile(r"[0-9A-Za-z]{32}")


class Format(StrEnum):
    STANDARD = "standard"
    SLACK = "slack"
    TEAMS = "teams"
    PAGERDUTY = "pagerduty"
    OPSGENIE = "opsgenie"


FORMATS: Mapping[str, str] = {
    Format.STANDARD: "Standard Webhooks",
    Format.SLACK: "Slack",
    Format.TEAMS: "Teams",
    Format.PAGERDUTY: "PagerDuty",
    Format.OPSGENIE: "Opsgenie",
}
# Products that keep an incident open until it is resolved, and know the sender by a key.
OF_INCIDENTS = frozenset({Format.PAGERDUTY, Format.OPSGENIE})
# The end of their addresses, with an example.
_ADDRESSES = {
    Format.PAGERDUTY: ("/v2/enqueue", "https://events.pagerduty.com/v2/enqueue"),
    Format.OPSGENIE: ("/v2/alerts", "https://api.opsgenie.com/v2/alerts"),
}


@dataclass(frozen=True, kw_only=True)
class Target:
    """
    An address, and what is sent there.

    Args:
        key: the routing key of PagerDuty or the API key of Opsgenie.
    """

    url: str
    format: str = Format.STANDARD
    key: str = field(default="", repr=False)


@dataclass(frozen=True, kw_only=True)
class Report:
    """
    A notification for people and programs.

    Args:
        title: one line.
        facts: values by their labels, in words.
        text: further lines.
        incident: names the incident that begins or ends, for products of incidents.
        is_over: whether the incident ends.
        content: the JSON of Standard Webhooks.
    """

    title: str
    content: Mapping[str, object]
    at: datetime
    facts: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    incident: str = ""
    is_over: bool = False


@dataclass(frozen=True, kw_only=True)
class Request:
    """A POST of JSON. `headers`: only those of the product."""

    url: str
    content: Mapping[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict)


def check_target(target: Target, *, names: Mapping[str, str]) -> None:
    """
    Raise Problem, 400, if a product cannot be called with the address and the key of a target.

    Args:
        names: the names of the columns by those of `Target`.
    """
    if target.format not in FORMATS:
        text = f"{names['format']} must be one of {', '.join(FORMATS)}."
        raise bad_field(names["format"], "invalid_value", text)
    if target.format not in OF_INCIDENTS:
        if target.key:
            text = f"{names['key']} is for PagerDuty and Opsgenie. {FORMATS[target.format]} has no key."
            raise bad_field(names["key"], "invalid_value", text)
        return
    end, example = _ADDRESSES[Format(target.format)]
    if not target.url.endswith(end):
        text = f"The address of {FORMATS[target.format]} ends with {end}, for example {example}."
        raise bad_field(names["url"], "invalid_value", text)
    _check_key(target, names["key"])


def _check_key(target: Target, name: str) -> None:
    if not target.key:
        kind = "routing key" if target.format == Format.PAGERDUTY else "API key"
        raise bad_field(name, "required", f"Enter the {kind} of the integration in {FORMATS[target.format]}.")
    if target.format == Format.PAGERDUTY and not _ROUTING_KEY.fullmatch(target.key):
        raise bad_field(name, "invalid_value", "A routing key of PagerDuty has 32 letters and digits.")
    if not _KEY.fullmatch(target.key):
        text = "A key has up to 200 visible ASCII characters and no spaces."
        raise bad_field(name, "invalid_value", text)


def write_request(target: Target, report: Report) -> Request:
    """Return the request that brings a report to a target."""
    return _WRITERS[Format(target.format)](target, report)


def _write_standard(target: Target, report: Report) -> Request:
    return Request(url=target.url, content=report.content)


def _write_slack(target: Target, report: Report) -> Request:
    """Return a message of blocks. `text` is what notifications of a device show."""
    blocks: list[dict[str, Any]] = [{"type": "header", "text": _write_plain(report.title, _MAX_SLACK_TITLE)}]
    texts = _split_lines(_lines_of(report), _MAX_SLACK_TEXT)[:_MAX_SLACK_TEXTS]
    blocks += [{"type": "section", "text": _write_plain(text, _MAX_SLACK_TEXT)} for text in texts]
    return Request(url=target.url, content={"text": _escape_slack(report.title), "blocks": blocks})


def _write_plain(text: str, most: int) -> dict[str, Any]:
    return {"type": "plain_text", "text": _shorten_text(text, most), "emoji": False}


def _escape_slack(text: str) -> str:
    """Escape the three characters that begin mentions and links in Slack."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _write_teams(target: Target, report: Report) -> Request:
    """Return an Adaptive Card. A TextBlock would read Markdown; a RichTextBlock shows its runs as texts."""
    rows = [_write_rich_text(report.title, weight="Bolder", size="Medium")]
    if lines := _lines_of(report):
        rows.append(_write_rich_text(_shorten_text(lines, _MAX_TEAMS_TEXT)))
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": rows,
    }
    attachment = {
        "contentType": "application/vnd.microsoft.card.adaptive",
        "contentUrl": None,
        "content": card,
    }
    return Request(url=target.url, content={"type": "message", "attachments": [attachment]})


def _write_rich_text(text: str, **style: str) -> dict[str, Any]:
    return {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": text, **style}]}


def _write_pagerduty(target: Target, report: Report) -> Request:
    content: dict[str, Any] = {
        "routing_key": target.key,
        "event_action": "resolve" if report.is_over else "trigger",
        "dedup_key": report.incident,
    }
    if not report.is_over:
        details = dict(report.facts)
        if report.text:
            details["Text"] = _shorten_text(report.text, _MAX_PAGERDUTY_TEXT)
        content["client"] = SOURCE
        content["payload"] = {
            "summary": _shorten_text(report.title, _MAX_PAGERDUTY_TITLE),
            "source": SOURCE,
            "severity": "error",
            "timestamp": report.at.isoformat(),
            "custom_details": details,
        }
    return Request(url=target.url, content=content)


def _write_opsgenie(target: Target, report: Report) -> Request:
    headers = {"Authorization": f"GenieKey {target.key}"}
    if report.is_over:
        url = f"{target.url}/{quote(report.incident, safe='')}/close?identifierType=alias"
        note = _shorten_text(report.title, _MAX_OPSGENIE_TEXT)
        return Request(url=url, headers=headers, content={"source": SOURCE, "note": note})
    content = {
        "message": _shorten_text(report.title, _MAX_OPSGENIE_TITLE),
        "alias": report.incident,
        "description": _shorten_text(_lines_of(report), _MAX_OPSGENIE_TEXT),
        "details": dict(report.facts),
        "source": SOURCE,
    }
    return Request(url=target.url, headers=headers, content=content)


_WRITERS: Mapping[Format, Callable[[Target, Report], Request]] = {
    Format.STANDARD: _write_standard,
    Format.SLACK: _write_slack,
    Format.TEAMS: _write_teams,
    Format.PAGERDUTY: _write_pagerduty,
    Format.OPSGENIE: _write_opsgenie,
}


def _lines_of(report: Report) -> str:
    lines = [f"{label}: {value}" for label, value in report.facts.items()]
    return "\n".join([*lines, report.text] if report.text else lines)


def _split_lines(text: str, most: int) -> list[str]:
    """Split a text between its lines into parts of a length."""
    parts: list[str] = []
    for line in text.splitlines():
        if parts and len(parts[-1]) + 1 + len(line) <= most:
            parts[-1] += f"\n{line}"
        else:
            parts.append(line)
    return parts


def _shorten_text(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
