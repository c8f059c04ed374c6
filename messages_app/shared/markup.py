"""
Guesses whether a text is XML, JSON or HTML, because the hub does not store its type, and checks that it is
well-formed. Imports no Django code, because executors use it.
"""

import re

from messages_app.shared.json_check import check_json_text
from messages_app.shared.xml_parsing import BLANKS, CHECKED_BYTES, TOO_LARGE, Unreadable, parse_xml

XML, JSON, HTML = "application/xml", "application/json", "text/html"
HTML_PAGE = "An HTML page, as proxies and application servers send for an error. It is not checked."

# A list of numbers, but not a time or level of a log line, such as [2026-11-01 12:00] or [ERROR].
_NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\s*[],]"
_JSON_START = re.compile(rf'\{{\s*(?:["}}]|\Z)|\[\s*(?:[]"{{\[]|{_NUMBER}|true|false|null|\Z)')
# Texts that programs write as JSON, and that are not: names without quotes or in single ones, and "1.".
_ALMOST_JSON = re.compile(r"""\{\s*(?:'[^'\n]*'|[A-Za-z_$][\w$]*)\s*:\s*["'\d{\[tfn]|\[\s*-?\d+\.\s*[],]""")
# An error page of a proxy or an application server.
_HTML_START = re.compile(
    r"(?:<\?xml[^>]*+>\s*+)?(?:<!--.*?-->\s*+)*+(?:<!DOCTYPE\s+html|<html)\b", re.I | re.S
)


def guess_markup(text: str) -> str:
    """Return XML, JSON or HTML, as the beginning of a text suggests; empty for any other text."""
    start = text.lstrip(BLANKS)[:500]
    if start.startswith("<"):
        return HTML if _HTML_START.match(start) else XML
    return JSON if _JSON_START.match(start) or _ALMOST_JSON.match(start) else ""


def check_text(text: str, *, size: int) -> None:
    """
    Check that XML or JSON is well-formed. Any other text is valid.

    Raises:
        Unreadable: it is not well-formed, too large, or has a form that is not read.
    """
    content_type = guess_markup(text)
    if content_type == XML:
        parse_xml(text, size=size)
    elif content_type == JSON:
        if size > CHECKED_BYTES:
            raise Unreadable(TOO_LARGE)
        check_json_text(text)
    elif content_type == HTML:
        raise Unreadable(HTML_PAGE)
    elif size > CHECKED_BYTES:
        raise Unreadable("")
