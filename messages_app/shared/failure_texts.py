"""The rule by which failures belong to one group: the same text, apart from numbers, ids and names."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple

# The longer patterns come first, because a UUID has numbers. Each match is replaced by its word.
_SHAPES = (
    (r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "<uuid>"),
    (r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?\b", "<time>"),
    (r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b", "<address>"),
    # A quote within a word is an apostrophe.
    (r"(?<!\w)'[^'\n]*'(?!\w)|\"[^\"\n]*\"|„[^“”\n]*[“”]|“[^”\n]*”", "<text>"),
    (r"@[0-9a-f]{4,16}\b|\b0x[0-9a-f]+\b", "<id>"),
    # A word with a digit is an id, except for an error code, which is followed by a colon.
    (r"\b(?=[\w-]*\d)(?![A-Z]\d{1,4}:)(?=[\w-]*[A-Za-z_])\w+(?:-\w+)*\b", "<id>"),
    (r"(?<![\w.])[+-]?\d+(?:[.,:]\d+)*(?!\w)", "<n>"),
)
_ANY = re.compile("|".join(f"({shape})" for shape, _ in _SHAPES), re.IGNORECASE)
_WORDS = tuple(word for _, word in _SHAPES)
# Only the beginning of the first line is used. Longer texts with thousands of hyphenated words would take
# seconds.
CHARACTERS = 500


def normalise_error(text: str | None) -> str:
    """
    Return the first line of an error text, truncated, with the variable parts replaced by words.

    UUIDs, times, network addresses, quoted strings, ids and numbers become <uuid>, <time>, <address>, <text>,
    <id> and <n>. Repeated spaces become one. An error code at the beginning is kept. The function is
    idempotent.
    """
    replaced = _ANY.sub(_word, first_line((text or "")[:CHARACTERS]))
    return " ".join(replaced.split())


def first_line(text: str | None) -> str:
    """Return the first line that is not empty, without the spaces before it."""
    return (text or "").lstrip().partition("\n")[0]


def _word(match: re.Match[str]) -> str:
    place = match.lastindex
    return match[0] if place is None else _WORDS[place - 1]


# The only rule by which failures belong to one group. Imports no Django code, because executors use it.


_DIGITS = 32


class Failure(NamedTuple):
    """The identity of a group. The code may be empty; the summary is the normalised error."""

    service_name: str
    operation_name: str
    failed_error_code: str
    summary: str

    @property
    def fingerprint(self) -> str:
        """The identity as 32 hexadecimal digits."""
        parts = (self.service_name, self.operation_name, self.failed_error_code, self.summary)
        return sha256("\x1f".join(parts).encode()).hexdigest()[:_DIGITS]


def failure_of(service_name: str, operation_name: str, code: str | None, text: str | None) -> Failure:
    """Return the group of a failed message with this error code and error text."""
    summary = normalise_error(text)[:CHARACTERS]
    return Failure(
        service_name=service_name,
        operation_name=operation_name,
        failed_error_code=code or "",
        summary=summary,
    )


_ZEROS = str.maketrans("123456789", "000000000")
_DIGIT = re.compile("[0-9]")
# The code at the beginning of a text, which its summary keeps.
_CODE = re.compile(r"[A-Z]\d{1,4}:", re.ASCII | re.IGNORECASE)
# Of a part with more kinds of texts the rest is found by the patterns.
_MOST_KNOWN = 20_000


class KnownFailures:
    """
    Finds the same groups as `failure_of`, five times as fast, because most texts differ only in their digits.

    No pattern distinguishes one digit from another, except for the zero of 0x. So texts that differ only in
    digits after the code have one summary, unless the summary has such digits.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, str | None, str], Failure] = {}

    def failure_of(
        self, service_name: str, operation_name: str, code: str | None, text: str | None
    ) -> Failure:
        line = first_line((text or "")[:CHARACTERS])
        kept = _CODE.match(line)
        start = kept.end() if kept else 0
        shape = line[:start] + line[start:].translate(_ZEROS)
        key = (service_name, operation_name, code, shape)
        if known := self._known.get(key):
            return known
        failure = failure_of(service_name, operation_name, code, line)
        is_of_all = failure.summary.startswith(line[:start]) and not _DIGIT.search(failure.summary, start)
        if is_of_all and "0x" not in shape.lower() and len(self._known) < _MOST_KNOWN:
            self._known[key] = failure
        return failure


SAMPLES = 5


@dataclass
class Group:
    """
    Rows that failed with the same error.

    Attributes:
        key: other common values, such as a service and an error code.
        summary: the normalised error (see `normalised`).
        example: the first line of the error of the newest row.
        first_at, last_at: the times of the oldest and the newest row.
        ids: the ids of the newest rows, at most SAMPLES.
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
        summary = normalise_error(text)
        group = groups.get((key, summary))
        if group is None:
            group = groups[key, summary] = Group(key, summary, first_line(text), at, at)
        group.count += 1
        group.first_at = at
        if len(group.ids) < SAMPLES:
            group.ids.append(row_id)
    return sorted(groups.values(), key=lambda group: -group.count)
