"""
Times as people write them for the list: -2h, today, 2026-11-20, 2026-11-21T10:00, 10:00.

The address of the list keeps relative times, so that a link means "the last 2 hours" whenever someone opens
it. Only pages accept these words; the API and commands require exact times. A day or a time without a zone is
in the zone of the page (access/choices.py).
"""

import re
from datetime import UTC, datetime, time, timedelta

from django.utils import timezone

EXAMPLES = ("-2h", "today", "2026-11-21", "2026-11-21T10:00")

_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_UNIT_WORDS = {"s": "s", "m": "min", "h": "h", "d": "d", "w": "w"}
_OFFSET = re.compile(r"-(?P<count>\d{1,4})(?P<unit>min|[smhdw])", re.ASCII)
_OFFSET_OF_ZONE = re.compile(r"(Z|[+-]\d\d:\d\d)$", re.ASCII)
_DAY_WORD = re.compile(r"today(-(?P<back>\d{1,4}))?", re.ASCII)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_NAIVE = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?", re.ASCII)
_CLOCK = re.compile(r"(?P<hour>\d\d?):(?P<minute>\d\d)(:(?P<second>\d\d))?", re.ASCII)
_DAY_START, _DAY_END = "T00:00", "T23:59:59.999999"


def as_address(text: str, *, is_end: bool, now: datetime) -> str:
    """
    Return a time in the form of the address: relative times in their shortest form, others with their zone.

    The end of a range that is a day means the last moment of the day. A time of day means its last
    occurrence. Any other text is returned unchanged.
    """
    word = text.strip().lower()
    if offset := _OFFSET.fullmatch(word):
        return f"-{int(offset['count'])}{offset['unit'][0]}"
    if day := _day_word(word):
        return day
    if _DAY.fullmatch(word):
        return _with_offset(word + (_DAY_END if is_end else _DAY_START))
    if _NAIVE.fullmatch(text.strip()):
        return _with_offset(text.strip().replace(" ", "T"))
    if clock := _CLOCK.fullmatch(word):
        return _last_time_of_day(clock, now) or text
    return text


def as_exact_time(text: str, *, is_end: bool, now: datetime) -> str:
    """
    Return the exact time, in ISO form, of a time of the address at `now`. Any other text is returned
    unchanged.
    """
    try:
        return _exact_time_or_text(text, is_end, now)
    except OverflowError:  # It is before the year 1.
        return text


def _exact_time_or_text(text: str, is_end: bool, now: datetime) -> str:
    if offset := _OFFSET.fullmatch(text):
        return _format_iso(now - timedelta(**{_UNITS[offset["unit"][0]]: int(offset["count"])}))
    back = _days_back(text)
    if back is None:
        return text
    day = timezone.localtime(now).date() - timedelta(days=back)
    return _with_offset(f"{day}{_DAY_END if is_end else _DAY_START}")


def is_relative(text: str) -> bool:
    return bool(_OFFSET.fullmatch(text)) or _days_back(text) is not None


def is_offset(text: str) -> bool:
    return bool(_OFFSET.fullmatch(text))


def is_day(text: str) -> bool:
    """Whether `text` names a whole day. As the end of a range, it means the last moment of the day."""
    return bool(_DAY.fullmatch(text)) or bool(_day_word(text))


def day_before(text: str) -> str:
    """Return the day before a day that is relative to today."""
    return _day_word(f"today-{min((_days_back(text) or 0) + 1, 9999)}")


def as_written(text: str, *, is_end: bool) -> str:
    """Return a time of the address as people write it: without its zone if that is the page's."""
    naive = _OFFSET_OF_ZONE.sub("", text)
    if not _NAIVE.fullmatch(naive) or _with_offset(naive) != text:
        return text
    day = naive.removesuffix(_DAY_END if is_end else _DAY_START)
    return day if _DAY.fullmatch(day) else naive


def describe_range(start: str, end: str) -> str:
    """
    Return a range of two times of the address in words, for example "in the last 2 h". One may be missing.
    """
    first, last = _describe_time(start, is_end=False), _describe_time(end, is_end=True)
    if not end:
        return f"in the last {first.removesuffix(' ago')}" if is_offset(start) else f"since {first}"
    if not start:
        return f"until {last}"
    if first == last and is_day(as_written(start, is_end=False)):
        return first if is_relative(start) else f"on {first}"
    return f"from {first} to {last}"


def _describe_time(text: str, *, is_end: bool) -> str:
    if offset := _OFFSET.fullmatch(text):
        return f"{offset['count']} {_UNIT_WORDS[offset['unit'][0]]} ago"
    back = _days_back(text)
    if back is None:
        return as_written(text, is_end=is_end).replace("T", " ")
    return {0: "today", 1: "yesterday"}.get(back, f"{back} days ago")


def _day_word(text: str) -> str:
    """Return a day relative to today in its shortest form; empty if `text` is not one."""
    if text == "yesterday":
        return text
    match = _DAY_WORD.fullmatch(text)
    if match is None:
        return ""
    back = int(match["back"] or 0)
    return {0: "today", 1: "yesterday"}.get(back, f"today-{back}")


def _days_back(text: str) -> int | None:
    if text == "yesterday":
        return 1
    match = _DAY_WORD.fullmatch(text)
    return int(match["back"] or 0) if match else None


def _last_time_of_day(clock: re.Match[str], now: datetime) -> str:
    """Return the last moment with this time of day; empty if it is not a time of day."""
    hour, minute, second = (int(clock[name] or 0) for name in ("hour", "minute", "second"))
    if hour > 23 or minute > 59 or second > 59:
        return ""
    today = timezone.localtime(now)
    moment = datetime.combine(today.date(), time(hour, minute, second), today.tzinfo)
    return _format_iso(moment if moment <= today else moment - timedelta(days=1))


def _with_offset(text: str) -> str:
    """Add the offset that the zone of the page has at a time: Z, +02:00. An impossible time gets a Z."""
    try:
        moment = datetime.fromisoformat(text).replace(tzinfo=timezone.get_current_timezone())
        offset = moment.isoformat()[-6:]
    except (ValueError, OverflowError):
        return f"{text}Z"
    return f"{text}Z" if offset == "+00:00" else f"{text}{offset}"


def _format_iso(moment: datetime) -> str:
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="seconds") + "Z"
