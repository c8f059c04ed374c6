"""
The kind of a cause: whether a system, the message or the program has to change before the message can pass.

The kinds of common causes are in error_causes.toml, the words of others in error_kinds.toml.
Source: docs/how_it_works/incidents.md, "Kinds of causes".
"""

import re
import tomllib
from functools import lru_cache
from importlib import resources

from messages_app.shared.error_causes import CAUSES, Kind, Row

_TEXT = resources.files("messages_app.shared").joinpath("error_kinds.toml").read_text(encoding="utf-8")
_PHRASES = tuple((Kind(name), tuple(table["phrases"])) for name, table in tomllib.loads(_TEXT).items())
_STATUS = re.compile(r"\bHTTP (\d{3})\b")
# A system answers with these while it is overloaded, or refuses the hub itself and not the message.
_STATUSES_OF_SYSTEM = frozenset({401, 403, 407, 408, 423, 425, 429})
_GRPC = re.compile(r"\(gRPC (\w+)\)")
_GRPC_OF_SYSTEM = frozenset(
    [
        "unavailable",
        "deadlineexceeded",
        "resourceexhausted",
        "unauthenticated",
        "permissiondenied",
        "internal",
    ]
)
_MAX_CACHED = 20_000
_ROWS = sorted(CAUSES, key=lambda row: -len(row.title))


@lru_cache(_MAX_CACHED)
def find_row_of_cause(cause: str) -> Row | None:
    """Return the row of the table of causes whose title a described cause has, or None."""
    return next((row for row in _ROWS if cause.startswith(row.title)), None)


@lru_cache(_MAX_CACHED)
def find_kind(cause: str) -> Kind:
    """
    Return the kind of a cause in words, as `describe_cause()` returns it.

    The table of causes comes first, then the status of HTTP, then words.
    """
    row = find_row_of_cause(cause)
    if row is not None:
        return row.kind
    if (status := _STATUS.search(cause)) is not None:
        return _find_kind_of_status(int(status[1]), cause)
    if (code := _GRPC.search(cause)) is not None:
        return Kind.INFRASTRUCTURE if code[1] in _GRPC_OF_SYSTEM else Kind.DATA
    return _find_kind_of_words(cause)


def _find_kind_of_status(status: int, cause: str) -> Kind:
    """Return the kind of a status. A partner answers 500 for its own errors and for wrong messages."""
    if status >= 500:
        words = _STATUS.sub(" ", cause.lower().replace("internal server error", " "))
        return Kind.DATA if status == 500 and _find_kind_of_words(words) is Kind.DATA else Kind.INFRASTRUCTURE
    return Kind.INFRASTRUCTURE if status in _STATUSES_OF_SYSTEM else Kind.DATA


def _find_kind_of_words(cause: str) -> Kind:
    lower = cause.lower()
    for kind, phrases in _PHRASES:
        if any(phrase in lower for phrase in phrases):
            return kind
    return Kind.UNKNOWN
