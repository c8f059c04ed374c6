"""How sentences write times, spans, numbers and lists."""

from collections.abc import Sequence
from datetime import datetime

from django.utils import timezone

_NAMED = 3
_SHOWN_VALUES = 10
_ORDINALS = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth"}
_PLURALS = {
    "try": "tries",
    "failed try": "failed tries",
    "child": "children",
    "other HARD child": "other HARD children",
}
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def clock(moment: datetime) -> str:
    """Write a time to the second, with its zone: 2026-11-21 13:58:07 UTC."""
    local = timezone.localtime(moment)
    return f"{local:%Y-%m-%d %H:%M:%S} {local.tzname()}"


def counted(number: int, noun: str, *, more: bool = False) -> str:
    """Write a number with its noun: 1 message, 3 tries; with `more`, more than 100 messages."""
    plural = _PLURALS.get(noun, f"{noun}s")
    return f"{'more than ' if more else ''}{number} {noun if number == 1 else plural}"


def ordinal(number: int) -> str:
    """Write a place in a line: first, fifth, 11th, 22nd."""
    if number in _ORDINALS:
        return _ORDINALS[number]
    ending = "th" if number % 100 in {11, 12, 13} else _ENDINGS.get(number % 10, "th")
    return f"{number}{ending}"


def listed(parts: Sequence[object], *, more: bool = False) -> str:
    """
    Write a list: 1, 2 and 3; past three the number of the others: 1, 2, 3 and 4 others.

    `more` says that there may be others beyond these.
    """
    named = [str(part) for part in parts[:_NAMED]]
    others = len(parts) - len(named)
    if others > 0:
        least = "at least " if more else ""
        return f"{', '.join(named)} and {least}{counted(others, 'other')}"
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"


def quoted(text: str, *, most: int = 80) -> str:
    """Write what a person wrote, on one line and cut."""
    line = " ".join(text.split())
    return f"“{line if len(line) <= most else line[: most - 1] + '…'}”"


def with_commas(values: Sequence[object]) -> str:
    """Return values with commas; of very many, as of a thousand ids, the first ten and how many more."""
    more = len(values) - _SHOWN_VALUES
    return ", ".join(map(str, values[:_SHOWN_VALUES])) + (f" and {more} more" if more > 0 else "")
