"""The type of a stored text, guessed from its first characters because the hub does not store it."""

import re

from messages_app.payloads.segments import format_of
from messages_app.shared.xml_parsing import BLANKS

XML, JSON, HTML, TEXT = "application/xml", "application/json", "text/html", "text/plain"


# A list of numbers, but not a time or level of a log line, such as [2026-11-01 12:00] or [ERROR].
_NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\s*[],]"


_JSON_START = re.compile(rf'\{{\s*(?:["}}]|\Z)|\[\s*(?:[]"{{\[]|{_NUMBER}|true|false|null|\Z)')


# Texts that programs write as JSON, and that are not: names without quotes or in single ones, and "1.".
_ALMOST_JSON = re.compile(r"""\{\s*(?:'[^'\n]*'|[A-Za-z_$][\w$]*)\s*:\s*["'\d{\[tfn]|\[\s*-?\d+\.\s*[],]""")


# An error page of a proxy or an application server.
_HTML_START = re.compile(
    r"(?:<\?xml[^>]*+>\s*+)?(?:<!--.*?-->\s*+)*+(?:<!DOCTYPE\s+html|<html)\b", re.I | re.S
)


def guess_type(text: str) -> str:
    """Return the content type that the beginning of a text suggests."""
    start = text.lstrip(BLANKS)[:500]
    if start.startswith("<"):
        return HTML if _HTML_START.match(start) else XML
    if _JSON_START.match(start) or _ALMOST_JSON.match(start):
        return JSON
    text_format = format_of(text)
    return text_format.content_type if text_format else TEXT
