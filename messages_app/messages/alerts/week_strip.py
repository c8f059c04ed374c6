"""When a watch rule would have fired in the last week, as a strip of days and in words. Display only."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import pairwise

from django.utils import timezone

from messages_app.core.formatting import count_of, format_duration
from messages_app.messages.alerts.models import WatchRule
from messages_app.messages.alerts.past import Firing, Past, PastIsUnknown, read_past

# Seven whole days, and today.
_DAYS = 7
_NAMED = 5
# In percent of a day. A minute among 1 440 must be visible.
_MIN_WIDTH = 2.5


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A time within a day, in percent of it. `tone`: the state whose colour it has; empty: unknown."""

    x: float
    width: float
    tone: str
    title: str


@dataclass(frozen=True, kw_only=True)
class Day:
    start: datetime
    marks: list[Mark]


@dataclass(frozen=True, kw_only=True)
class Week:
    """
    The strip.

    Args:
        days: empty if nothing is known.
        words: when the rule would have fired, or why this is not known.
        limits: the gaps of the counts, in sentences.
    """

    days: list[Day]
    words: str
    limits: str = ""


def draw_week(rule: WatchRule) -> Week:
    """Return the last week of a rule, stored or not."""
    today = timezone.localtime().date()
    starts = [_midnight_of(today, before=days) for days in range(_DAYS, -2, -1)]
    try:
        past = read_past(rule, since=starts[0])
    except PastIsUnknown as error:
        return Week(days=[], words=str(error))
    days = [Day(start=start, marks=_marks_of(past, start, end)) for start, end in pairwise(starts)]
    return Week(days=days, words=_describe_firings(past), limits=_describe_limits(past))


def _midnight_of(today: date, *, before: int) -> datetime:
    return timezone.make_aware(datetime.combine(today - timedelta(days=before), time()))


def _marks_of(past: Past, start: datetime, end: datetime) -> list[Mark]:
    unknown = [(start, past.known_since), (past.end, end)]
    times = [
        *((since, until, "", "no counts") for since, until in unknown),
        *(
            (one.start, one.end, "paused" if one.is_by_hour else "failed", _name_firing(one))
            for one in past.firings
        ),
    ]
    return [
        _place_mark(max(since, start), min(until, end), start, end, tone=tone, title=title)
        for since, until, tone, title in times
        if since < end and until > start and since < until
    ]


def _place_mark(
    since: datetime, until: datetime, start: datetime, end: datetime, *, tone: str, title: str
) -> Mark:
    length = end - start
    width = max(100 * ((until - since) / length), _MIN_WIDTH)
    x = min(100 * ((since - start) / length), 100 - width)
    return Mark(x=round(x, 2), width=round(width, 2), tone=tone, title=title)


def _name_firing(one: Firing) -> str:
    start = timezone.localtime(one.start)
    about = "about " if one.is_by_hour else ""
    if one.is_open:
        return f"from {about}{start:%a %H:%M} until now"
    return f"{about}{start:%a %H:%M} for {format_duration(one.end - one.start)}"


def _describe_firings(past: Past) -> str:
    """Return the number of times and the latest of them."""
    if not past.firings:
        return "It would not have fired in the last week."
    latest: Sequence[Firing] = past.firings[: -_NAMED - 1 : -1]
    names = ", ".join(_name_firing(one) for one in latest)
    more = len(past.firings) - len(latest)
    return (
        f"It would have fired {count_of(len(past.firings), 'time')}: {names}"
        f"{f' and {more} more' if more else ''}."
    )


def _describe_limits(past: Past) -> str:
    sentences = []
    if past.known_since > past.start + timedelta(minutes=5):
        start = timezone.localtime(past.known_since)
        sentences.append(f"Nothing was recorded before {start:%a %H:%M}.")
    if past.by_minute_since > past.start:
        sentences.append(
            f"Before {timezone.localtime(past.by_minute_since):%a %H:%M} counts are by the hour, and shorter"
            " times may be missing."
        )
    return " ".join(sentences)
