"""Ranges of time as the query line writes them: >-2h, <=2026-11-21, 2026-11-20..2026-11-21, today."""

from collections.abc import Mapping
from datetime import datetime

from messages_app.web.filters import moments
from messages_app.web.filters.values import InvalidValue, Parameter, parse_time
from messages_app.web.problems import shown

_HOW = "Write a range as >-2h, >=2026-11-21T10:00, <-1d, 2026-11-20..2026-11-21, today or -2h..-1h"


class InvalidTime(Exception):
    """The text is no time, or no range of times."""


def read_times(text: str, *, start: str, end: str, now: datetime) -> Mapping[str, str]:
    """
    Return the parameters that a range means: each end as the address has it.

    `>` and `>=` are since a time, `<` is until it and `<=` until its end, which differ for a day. A day alone
    is the whole of it; an offset alone, since then.

    Args:
        start, end: the names of the two parameters.

    Raises:
        InvalidTime: says what to write.
    """
    found = _ends(text, start, end, now)
    for name, value in found.items():
        check(value, name=name, now=now)
    return found


def _ends(text: str, start: str, end: str, now: datetime) -> dict[str, str]:
    if ".." in text:
        return _between(text, start, end, now)
    bare = text.lstrip("<>=")
    sign = text[: len(text) - len(bare)]
    if sign in {">", ">="}:
        return {start: moments.as_address(bare, is_end=False, now=now)}
    if sign == "<=":
        return {end: moments.as_address(bare, is_end=True, now=now)}
    if sign == "<":
        return {end: _before(bare, now)}
    if sign:
        raise InvalidTime(f"{sign} is no sign of a range. {_HOW}.")
    return _alone(text, start, end, now)


def _between(text: str, start: str, end: str, now: datetime) -> dict[str, str]:
    first, _, last = text.partition("..")
    if not (first and last):
        raise InvalidTime(f"{text} is no range. {_HOW}.")
    return {
        start: moments.as_address(first, is_end=False, now=now),
        end: moments.as_address(last, is_end=True, now=now),
    }


def _before(text: str, now: datetime) -> str:
    """Return the last moment before a day counted from today, which is a day's end again; else the moment."""
    moment = moments.as_address(text, is_end=False, now=now)
    return moments.day_before(moment) if moments.is_day(moment) else moment


def _alone(text: str, start: str, end: str, now: datetime) -> dict[str, str]:
    first = moments.as_address(text, is_end=False, now=now)
    if moments.is_offset(first):
        return {start: first}
    if moments.is_day(moments.as_written(first, is_end=False)):
        return {start: first, end: moments.as_address(text, is_end=True, now=now)}
    check(first, name=start, now=now)
    raise InvalidTime(f"{text} is one moment. {_HOW}.")


def check(value: str, *, name: str, now: datetime) -> None:
    """
    Look whether a time of the address is one.

    Args:
        name: the parameter that it is for.

    Raises:
        InvalidTime: it is none, or one that does not exist.
    """
    try:
        parse_time(moments.exact(value, is_end=False, now=now), Parameter(name))
    except InvalidValue:
        raise InvalidTime(
            f"{shown(moments.as_written(value, is_end=False))} is not a time. {_HOW}."
        ) from None


def written(first: str, last: str) -> str:
    """Return the range as the line writes it, of two times of the address, of which one may be empty."""
    start = moments.as_written(first, is_end=False)
    end = moments.as_written(last, is_end=True)
    if not last:
        return f">{start}" if moments.is_offset(first) else f">={start}"
    if not first:
        return f"<{end}" if moments.is_offset(last) else f"<={end}"
    return start if start == end and moments.is_day(start) else f"{start}..{end}"
