"""
The format of numbers, shares, sizes, durations and missing values, on pages, in sentences and in files.

Each format is only defined here. Templates use it through the filters of templatetags/hub.py.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.utils import timezone

from messages_app.shared.far_times import ENDLESS, with_zone

# Shown instead of a missing value.
EMPTY = "–"
# Shown instead of the time since or until `infinity`.
UNKNOWN_TIME = "unknown time"
NOW = "now"
_NARROW_SPACE = "\u202f"
_MINUTE, _HOUR, _DAY = 60, 3600, 86400


def format_number(count: int | None) -> str:
    """Format a count in groups of three digits: 1 234 567, with no-break spaces."""
    return EMPTY if count is None else f"{count:,}".replace(",", _NARROW_SPACE)


def format_estimate(count: int | None) -> str:
    """Format an estimate without false precision: 1 234 567 becomes 1.2 million."""
    if count is None:
        return "an unknown number of"
    if count < 100:
        return str(count)
    if count < 1_000_000:
        digits = len(str(count)) - 2
        return format_number(round(count, -digits))
    return f"{count / 1_000_000:.1f} million"


def format_decimal(value: float | None) -> str:
    """Format a measured number without false precision: 0.25, 8.2, 1 240; never 5.0."""
    if value is None:
        return EMPTY
    if abs(value) < 1:
        return f"{value:.2g}"
    return f"{value:.1f}".removesuffix(".0") if abs(value) < 100 else format_number(round(value))


def format_percent(share: float | None) -> str:
    """Format a fraction in percent: 36 %, 0.4 %. A small share is never 0 %, and a large one never 100 %."""
    if share is None:
        return EMPTY
    value = 100 * share
    if 0 < value < 1 or 99 < value < 100:
        return f"{min(max(value, 0.1), 99.9):.1f} %"
    return f"{round(value)} %"


def format_duration(span: timedelta) -> str:
    """
    Format a duration to the second, in its one or two largest units: 90 s, 41 min, 2 h 5 min, 600 d 21 h.

    A negative duration is shown as 0 s, and one without an end or a beginning as an unknown time.
    """
    if abs(span) >= ENDLESS:
        return UNKNOWN_TIME
    seconds = max(0, int(span.total_seconds()))
    if seconds < 2 * _MINUTE:
        return f"{seconds} s"
    if seconds < 2 * _HOUR:
        return f"{seconds // _MINUTE} min"
    if seconds < 2 * _DAY:
        return _format_two_units(seconds // _HOUR, "h", seconds % _HOUR // _MINUTE, "min")
    return _format_two_units(seconds // _DAY, "d", seconds % _DAY // _HOUR, "h")


def _format_two_units(large: int, large_unit: str, small: int, small_unit: str) -> str:
    return f"{large} {large_unit} {small} {small_unit}" if small else f"{large} {large_unit}"


def format_measured_duration(span: timedelta | None) -> str:
    """Format a measured duration like `duration`, but short ones with a fraction: 80 ms, 1.5 s."""
    if span is None:
        return EMPTY
    if abs(span) >= ENDLESS:
        return UNKNOWN_TIME
    seconds = max(0.0, span.total_seconds())
    if seconds < 1:
        return f"{int(seconds * 1000)} ms"
    if seconds < 10:
        return f"{int(seconds * 10) / 10:.1f}".removesuffix(".0") + " s"
    return format_duration(span)


def format_age(span: timedelta) -> str:
    """Format an age in the largest unit of which there are at least two: 4 s, 41 min, 36 h, 600 d."""
    words = format_duration(span)
    return words if words == UNKNOWN_TIME else " ".join(words.split(" ")[:2])


def format_time_since(span: timedelta) -> str:
    """Format the time since an event: 4 min ago; for a negative age, the time until it: in 4 min."""
    if abs(span) >= ENDLESS:
        return UNKNOWN_TIME
    if abs(span) < timedelta(seconds=1):
        return NOW
    return f"{format_age(span)} ago" if span > timedelta(0) else f"in {format_age(-span)}"


def format_size(count: int | None) -> str:
    """Format a size in bytes: 820 B, 12.4 kB, 20 MB."""
    if count is None:
        return EMPTY
    if count < 1000:
        return f"{count} B"
    value, units = count / 1000, ["TB", "GB", "MB", "kB"]
    unit = units.pop()
    while value >= 1000 and units:
        value, unit = value / 1000, units.pop()
    return (f"{value:.1f}".removesuffix(".0") if value < 100 else f"{value:.0f}") + f" {unit}"


_NAMED = 3
_SHOWN_VALUES = 10
_ORDINALS = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth"}
_PLURALS = {
    "child": "children",
    "entry": "entries",
    "other HARD child": "other HARD children",
}
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def format_moment(moment: datetime) -> str:
    """Format a time to the second, with its zone: 2026-11-21 13:58:07 UTC."""
    return with_zone(timezone.localtime(moment))


def count_of(number: int, noun: str, *, more: bool = False) -> str:
    """Format a number with its noun: 1 message, 3 attempts; with `more`: more than 100 messages."""
    plural = _PLURALS.get(noun, f"{noun}s")
    return f"{'more than ' if more else ''}{number} {noun if number == 1 else plural}"


def format_ordinal(number: int) -> str:
    """Format a position in a line: first, fifth, 11th, 22nd."""
    if number in _ORDINALS:
        return _ORDINALS[number]
    ending = "th" if number % 100 in {11, 12, 13} else _ENDINGS.get(number % 10, "th")
    return f"{number}{ending}"


def format_list(parts: Sequence[object], *, more: bool = False) -> str:
    """
    Format a list: 1, 2 and 3; from more than three parts: 1, 2, 3 and 4 others.

    `more` means that there may be further parts.
    """
    named = [str(part) for part in parts[:_NAMED]]
    others = len(parts) - len(named)
    if others > 0:
        least = "at least " if more else ""
        return f"{', '.join(named)} and {least}{count_of(others, 'other')}"
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"


def quote_text(text: str, *, most: int = 80) -> str:
    """Quote a text by a person, on one line and truncated."""
    line = " ".join(text.split())
    return f"“{line if len(line) <= most else line[: most - 1] + '…'}”"


def join_with_commas(values: Sequence[object]) -> str:
    """
    Join values with commas. Of a long list, such as a thousand ids, only the first ten and the number of
    others.
    """
    more = len(values) - _SHOWN_VALUES
    return ", ".join(map(str, values[:_SHOWN_VALUES])) + (f" and {more} more" if more > 0 else "")
