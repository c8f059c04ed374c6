"""What a stored text looks like. The hub does not say; its first characters do."""

import re

XML, JSON, TEXT = "application/xml", "application/json", "text/plain"

# What may stand before the text itself: a byte order mark and blanks.
BLANKS = "\ufeff \t\r\n"

# A list of numbers, and no time or level of a log line: [2026-11-01 12:00] or [ERROR].
_NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\s*[],]"
_JSON_START = re.compile(rf'\{{\s*(?:["}}]|\Z)|\[\s*(?:[]"{{\[]|{_NUMBER}|true|false|null|\Z)')


def guess(text: str) -> str:
    """Return the type that the beginning of a text has."""
    start = text.lstrip(BLANKS)[:200]
    if start.startswith("<"):
        return XML
    return JSON if _JSON_START.match(start) else TEXT
