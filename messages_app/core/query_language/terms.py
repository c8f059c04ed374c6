"""Splits the query line into terms with their places: `key:value`, `key:"a value"` or a text."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from messages_app.core.filters import moments
from messages_app.core.filters.values import InvalidValue, Parameter, parse_time, split_values
from messages_app.core.problems import quote_value

_TERM = re.compile(
    r'(?:(?P<key>[^\s":]+):)?(?:"(?P<quoted>(?:[^"\\]|\\.)*)(?P<closing>"?)|(?P<bare>[^\s"]+))?', re.S
)
_BLANKS = re.compile(r"\s*")
_SEPARATORS = re.compile(r"[,\\]")
_NEEDS_QUOTES = re.compile(r'[\s"*]|^$')


@dataclass(frozen=True, kw_only=True)
class Term:
    """
    One term of the line.

    Args:
        key: the key as it was written; empty for a text without a key.
        value: the value, without quotes.
        quoted: whether the value is in quotes.
        start, end: its place in the line, in characters, like a slice.
        problem: the error of its form, or empty.
    """

    key: str
    value: str
    quoted: bool
    start: int
    end: int
    problem: str = ""

    @property
    def value_start(self) -> int:
        """The start of the value, including its quote."""
        return self.start + len(self.key) + bool(self.key)


def split_terms(line: str) -> Iterator[Term]:
    """Yield the terms of the line. Every character except spaces is in one of them."""
    at = _after_blanks(line, 0)
    while at < len(line):
        match = _TERM.match(line, at)
        if match is None:  # The pattern also matches an empty text.
            return
        yield _make_term(line, match)
        at = _after_blanks(line, match.end())


def _make_term(line: str, match: re.Match[str]) -> Term:
    quoted = match["quoted"]
    return Term(
        key=match["key"] or "",
        value=(match["bare"] or "") if quoted is None else re.sub(r"\\(.)", r"\1", quoted, flags=re.S),
        quoted=quoted is not None,
        start=match.start(),
        end=match.end(),
        problem=_explain_term(line, match),
    )


def _explain_term(line: str, match: re.Match[str]) -> str:
    if match["quoted"] is not None and not match["closing"]:
        return 'The quote is not closed: add " at the end of the text.'
    follower = line[match.end() : match.end() + 1]
    if follower and not follower.isspace():
        return 'Put quotes around the whole value, followed by a space: key:"the value".'
    return ""


def _after_blanks(line: str, at: int) -> int:
    blanks = _BLANKS.match(line, at)
    return blanks.end() if blanks else at


def format_term(key: str, value: str, *, quoted: bool = False) -> str:
    """Format a term. A text without a key is always in quotes."""
    if key and not quoted and not _NEEDS_QUOTES.search(value):
        return f"{key}:{value}"
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'{key}:"{escaped}"' if key else f'"{escaped}"'


def write_values(key: str, text: str) -> str:
    """Format several values as one term, or each as a term of its own if one of them needs quotes."""
    values = split_values(text)
    if any(_NEEDS_QUOTES.search(value) or _SEPARATORS.search(value) for value in values):
        return " ".join(format_term(key, value, quoted=True) for value in values)
    return format_term(key, text)


_HOW = "Write a range as >-2h, >=2026-11-21T10:00, <-1d, 2026-11-20..2026-11-21, today or -2h..-1h"


class InvalidTime(Exception):
    """The text is not a time, or not a range of times."""


def read_times(text: str, *, start: str, end: str, now: datetime) -> Mapping[str, str]:
    """
    Return the parameters for a range, with each end in the form of the address.

    `>` and `>=` mean from a time on, `<` means before it, and `<=` includes it, which is different for a day.
    A day without an operator is the whole day; an offset without an operator is the time since then.

    Args:
        start, end: the names of the two parameters.

    Raises:
        InvalidTime: the message says what to write.
    """
    ends = _parse_ends(text, start, end, now)
    for name, value in ends.items():
        check_time(value, name=name, now=now)
    return ends


def _parse_ends(text: str, start: str, end: str, now: datetime) -> dict[str, str]:
    if ".." in text:
        return _parse_range(text, start, end, now)
    bare = text.lstrip("<>=")
    sign = text[: len(text) - len(bare)]
    if sign in {">", ">="}:
        return {start: moments.as_address(bare, is_end=False, now=now)}
    if sign == "<=":
        return {end: moments.as_address(bare, is_end=True, now=now)}
    if sign == "<":
        return {end: _last_moment_before(bare, now)}
    if sign:
        raise InvalidTime(f"{sign} is not valid in a range. {_HOW}.")
    return _parse_single_time(text, start, end, now)


def _parse_range(text: str, start: str, end: str, now: datetime) -> dict[str, str]:
    first, _, last = text.partition("..")
    if not (first and last):
        raise InvalidTime(f"{text} is not a range. {_HOW}.")
    return {
        start: moments.as_address(first, is_end=False, now=now),
        end: moments.as_address(last, is_end=True, now=now),
    }


def _last_moment_before(text: str, now: datetime) -> str:
    """
    Return the last moment before a time. Before a day relative to today, this is the end of the day before.
    """
    moment = moments.as_address(text, is_end=False, now=now)
    return moments.day_before(moment) if moments.is_day(moment) else moment


def _parse_single_time(text: str, start: str, end: str, now: datetime) -> dict[str, str]:
    first = moments.as_address(text, is_end=False, now=now)
    if moments.is_offset(first):
        return {start: first}
    if moments.is_day(moments.as_written(first, is_end=False)):
        return {start: first, end: moments.as_address(text, is_end=True, now=now)}
    check_time(first, name=start, now=now)
    raise InvalidTime(f"{text} is a single moment. {_HOW}.")


def check_time(value: str, *, name: str, now: datetime) -> None:
    """
    Check a time of the address.

    Args:
        name: the parameter that it is for.

    Raises:
        InvalidTime: it is invalid or does not exist.
    """
    try:
        parse_time(moments.as_exact_time(value, is_end=False, now=now), Parameter(name))
    except InvalidValue:
        raise InvalidTime(
            f"{quote_value(moments.as_written(value, is_end=False))} is not a time. {_HOW}."
        ) from None


def format_range(first: str, last: str) -> str:
    """Format a range of two times of the address, of which one may be empty, as the line has it."""
    start = moments.as_written(first, is_end=False)
    end = moments.as_written(last, is_end=True)
    if not last:
        return f">{start}" if moments.is_offset(first) else f">={start}"
    if not first:
        return f"<{end}" if moments.is_offset(last) else f"<={end}"
    return start if start == end and moments.is_day(start) else f"{start}..{end}"
