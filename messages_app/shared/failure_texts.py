"""The rule by which failures belong to one group: the same cause, service, operation and error code."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple

from messages_app.shared.error_acknowledgements import NAMES_WITH_DIGITS
from messages_app.shared.error_excerpts import place_of, shorten_error, split_frames
from messages_app.shared.error_slots import replace_ids
from messages_app.shared.error_titles import MAX_CAUSE_LENGTH, describe_cause, describe_parts

# The longest description of a cause, and the longest example.
CHARACTERS = MAX_CAUSE_LENGTH


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
    return _failure_of(service_name, operation_name, code, *split_frames(shorten_error(text or "")))


def _failure_of(service_name: str, operation_name: str, code: str | None, text: str, frames: str) -> Failure:
    return Failure(
        service_name=service_name,
        operation_name=operation_name,
        failed_error_code=code or "",
        summary=describe_parts(text, frames),
    )


_ZEROS = bytes.maketrans(b"123456789", b"000000000")
# Its number decides the title, although the summary does not show it.
_CODE_IN_WORD = re.compile(r"\wSQLCODE=|\wORA-", re.IGNORECASE)
_NUMBER = re.compile("[0-9]+")
# Texts that differ in more than their digits are read one by one, once there are this many kinds of them.
_MAX_KNOWN = 20_000


class _Shape(NamedTuple):
    """
    Texts that differ only in their digits.

    Attributes:
        places: (start, end) of the numbers that the description of the cause may have.
        failures: their groups, by these numbers.
    """

    places: tuple[tuple[int, int], ...]
    failures: dict[tuple[str, ...], Failure]


def _without_digits(text: str) -> bytes:
    """Return a text with zeros for digits; bytes, because their translation is five times as fast."""
    return text.encode(errors="surrogatepass").translate(_ZEROS)


_Kind = tuple[str, str, str | None]


class KnownFailures:
    """
    Finds the same groups as `failure_of`, many times as fast, because most texts differ only in their digits.

    Numbers are kept or dropped by the words around them, never by their value. So a number that is not in the
    description of one text is in none of the texts with this shape, except for the zero of 0x. Stack traces
    are only read for shapes whose description has the place in the program.
    """

    def __init__(self) -> None:
        # By service, operation and code, the text with zeros, and the place in the program (None: any place).
        self._shapes: dict[tuple[_Kind, bytes, str | None], _Shape] = {}
        self._has_places = False

    def failure_of(
        self, service_name: str, operation_name: str, code: str | None, text: str | None
    ) -> Failure:
        head, frames = split_frames(shorten_error(text or ""))
        kind = (service_name, operation_name, code)
        shape = self._find_shape(kind, head, frames)
        if shape is None and (plain := replace_ids(head)) != head:
            head = plain
            shape = self._find_shape(kind, head, frames)
        if shape is None:
            return self._learn_shape(kind, head, frames)
        values = tuple([head[start:end] for start, end in shape.places])
        failure = shape.failures.get(values)
        if failure is None:
            failure = shape.failures[values] = _failure_of(*kind, head, frames)
        return failure

    def _find_shape(self, kind: _Kind, text: str, frames: str) -> _Shape | None:
        plain = _without_digits(text)
        if not frames:
            return self._shapes.get((kind, plain, ""))
        return self._shapes.get((kind, plain, None)) or (
            self._shapes.get((kind, plain, place_of(frames))) if self._has_places else None
        )

    def _learn_shape(self, kind: _Kind, text: str, frames: str) -> Failure:
        failure = _failure_of(*kind, text, frames)
        numbers_of_summary = set(_NUMBER.findall(failure.summary))
        numbers = _NUMBER.finditer(text) if numbers_of_summary else ()
        places = tuple([match.span() for match in numbers if match[0] in numbers_of_summary])
        plain, place = _without_digits(text), place_of(frames)
        is_anywhere = bool(place) and place not in failure.summary
        is_of_segment = ("*" in text or "{" in text) and any(name in plain for name in NAMES_WITH_DIGITS)
        is_of_code = _CODE_IN_WORD.search(text) is not None
        is_whole = (
            len(failure.summary) < CHARACTERS
            and b"0x" not in plain.lower()
            and not is_of_segment
            and not is_of_code
        )
        if is_whole and len(self._shapes) < _MAX_KNOWN:
            values = tuple([text[start:end] for start, end in places])
            self._shapes[kind, plain, None if is_anywhere else place] = _Shape(places, {values: failure})
            self._has_places |= bool(frames) and not is_anywhere
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
