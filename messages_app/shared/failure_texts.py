"""What is the same in two texts of one error: everything but the numbers, ids and names in them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any

# The longer shapes first: a uuid holds numbers. Each is in the text as its word.
_SHAPES = (
    (r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "<uuid>"),
    (r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?\b", "<time>"),
    (r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b", "<address>"),
    # A quote within a word is an apostrophe.
    (r"(?<!\w)'[^'\n]*'(?!\w)|\"[^\"\n]*\"|„[^“”\n]*[“”]|“[^”\n]*”", "<text>"),
    (r"@[0-9a-f]{4,16}\b|\b0x[0-9a-f]+\b", "<id>"),
    # A word with a digit in it is an id, but for an error code, which is next to a colon.
    (r"\b(?=[\w-]*\d)(?![A-Z]\d{1,4}:)(?=[\w-]*[A-Za-z_])\w+(?:-\w+)*\b", "<id>"),
    (r"(?<![\w.])[+-]?\d+(?:[.,:]\d+)*(?!\w)", "<n>"),
)
_ANY = re.compile("|".join(f"({shape})" for shape, _ in _SHAPES), re.IGNORECASE)
_WORDS = tuple(word for _, word in _SHAPES)
# So much of an error's text is checked: its first line, of which the beginning tells enough. A longer one
# would cost seconds, where it has thousands of words joined by hyphens.
CHARACTERS = 500


def normalised(text: str | None) -> str:
    """
    Return the first line of an error text's beginning with what differs from case to case replaced by words.

    uuids, times, network addresses, quoted strings, ids and numbers become <uuid>, <time>, <address>, <text>,
    <id> and <n>; runs of spaces become one. The error code at its beginning stays. Doing it again changes
    nothing.
    """
    first_line = (text or "")[:CHARACTERS].lstrip().partition("\n")[0]
    replaced = _ANY.sub(_word, first_line)
    return " ".join(replaced.split())


def _word(match: re.Match[str]) -> str:
    place = match.lastindex
    return match[0] if place is None else _WORDS[place - 1]


# The one rule by which failures belong to one group. Imports nothing of Django: executors use it too.


_DIGITS = 32


@dataclass(frozen=True, kw_only=True)
class Failure:
    """What a group is known by. No error code is an empty one; the summary is the error without details."""

    service_name: str
    operation_name: str
    failed_error_code: str
    summary: str

    @property
    def fingerprint(self) -> str:
        """The same as 32 hexadecimal digits."""
        parts = (self.service_name, self.operation_name, self.failed_error_code, self.summary)
        return sha256("\x1f".join(parts).encode()).hexdigest()[:_DIGITS]


def failure_of(service_name: str, operation_name: str, code: str | None, text: str | None) -> Failure:
    """Return the group that a failed message with this error code and error text belongs to."""
    summary = normalised(text)[:CHARACTERS]
    return Failure(
        service_name=service_name,
        operation_name=operation_name,
        failed_error_code=code or "",
        summary=summary,
    )


SAMPLES = 5


@dataclass
class Group:
    """
    Rows that failed with the same error.

    Attributes:
        key: what they have in common as well, such as a service and an error code.
        summary: the first line of the error, without what differs (normalising.py).
        example: the first line as the newest row has it.
        first_at, last_at: the times of the oldest and the newest of them.
        ids: of the newest, at most SAMPLES.
    """

    key: tuple[Any, ...]
    summary: str
    example: str
    last_at: datetime
    first_at: datetime
    count: int = 0
    ids: list[object] = field(default_factory=list)


def groups_alike(rows: Iterable[tuple[object, datetime, tuple[object, ...], str | None]]) -> list[Group]:
    """
    Return the groups of rows, the largest first.

    Args:
        rows: (id, time, key, error text) of each, the newest first.
    """
    groups: dict[tuple[object, ...], Group] = {}
    for row_id, at, key, text in rows:
        summary = normalised(text)
        group = groups.get((key, summary))
        if group is None:
            example = (text or "").lstrip().partition("\n")[0]
            group = groups[key, summary] = Group(key, summary, example, at, at)
        group.count += 1
        group.first_at = at
        if len(group.ids) < SAMPLES:
            group.ids.append(row_id)
    return sorted(groups.values(), key=lambda group: -group.count)
