"""The rule by which failures belong to one group: the same cause, service, operation and error code."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple

from messages_app.shared.error_excerpts import shorten_error
from messages_app.shared.error_slots import replace_ids
from messages_app.shared.error_titles import LONGEST, describe_cause

# The longest description of a cause, and the longest example.
CHARACTERS = LONGEST


def first_line(text: str | None) -> str:
    """Return the first line that is not empty, up to CHARACTERS, without the spaces before it."""
    return (text or "").lstrip().partition("\n")[0][:CHARACTERS]


# The only rule by which failures belong to one group. Imports no Django code, because executors use it.


_DIGITS = 32


class Failure(NamedTuple):
    """The identity of a group. The code may be empty; the summary is the cause in words."""

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
    summary = describe_cause(text)
    return Failure(
        service_name=service_name,
        operation_name=operation_name,
        failed_error_code=code or "",
        summary=summary,
    )


_ZEROS = str.maketrans("123456789", "000000000")
_NUMBER = re.compile("[0-9]+")
# Texts that differ in more than their digits are read one by one, once there are this many kinds of them.
_MOST_KNOWN = 20_000


class _Shape(NamedTuple):
    """
    Texts that differ only in their digits.

    Attributes:
        places: (start, end) of the numbers that the description of the cause may have.
        failures: their groups, by these numbers.
    """

    places: tuple[tuple[int, int], ...]
    failures: dict[tuple[str, ...], Failure]


class KnownFailures:
    """
    Finds the same groups as `failure_of`, five times as fast, because most texts differ only in their digits.

    Numbers are kept or dropped by the words around them, never by their value. So a number that is not in the
    description of one text is in none of the texts with this shape, except for the zero of 0x.
    """

    def __init__(self) -> None:
        self._shapes: dict[tuple[str, str, str | None, str], _Shape] = {}

    def failure_of(
        self, service_name: str, operation_name: str, code: str | None, text: str | None
    ) -> Failure:
        read = shorten_error(text or "")
        key = (service_name, operation_name, code, read.translate(_ZEROS))
        shape = self._shapes.get(key)
        if shape is None:
            read = replace_ids(read)
            key = (service_name, operation_name, code, read.translate(_ZEROS))
            shape = self._shapes.get(key)
        if shape is None:
            return self._learn(key, failure_of(service_name, operation_name, code, read), read)
        values = tuple(read[start:end] for start, end in shape.places)
        if values not in shape.failures:
            shape.failures[values] = failure_of(service_name, operation_name, code, read)
        return shape.failures[values]

    def _learn(self, key: tuple[str, str, str | None, str], failure: Failure, text: str) -> Failure:
        kept = set(_NUMBER.findall(failure.summary))
        places = tuple(match.span() for match in _NUMBER.finditer(text) if match[0] in kept)
        # The number of such a segment decides what of it is kept.
        is_of_segment = "AK0*" in key[-1] or "IK0*" in key[-1]
        is_whole = len(failure.summary) < CHARACTERS and "0x" not in text.lower() and not is_of_segment
        if is_whole and len(self._shapes) < _MOST_KNOWN:
            self._shapes[key] = _Shape(places, {tuple(text[start:end] for start, end in places): failure})
        return failure


SAMPLES = 5


@dataclass
class Group:
    """
    Rows that failed with the same error.

    Attributes:
        key: other common values, such as a service and an error code.
        summary: the cause in words (error_titles.py).
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
        summary = describe_cause(text)
        group = groups.get((key, summary))
        if group is None:
            group = groups[key, summary] = Group(key, summary, first_line(text), at, at)
        group.count += 1
        group.first_at = at
        if len(group.ids) < SAMPLES:
            group.ids.append(row_id)
    return sorted(groups.values(), key=lambda group: -group.count)
