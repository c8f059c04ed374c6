"""
The times of a schedule: strict checks of cron expressions, and the time of the next run.

Celery's own parser reads them, so that they mean the same here as in the scheduler: both the day of
month and the day of week must match. When the clocks change, a time that is skipped runs an hour later, and a
time that comes twice runs once.

Source: docs/contributing/spec/bad_input.md, J39 to J43.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from zoneinfo import ZoneInfo, available_timezones

from celery.schedules import ParseException, crontab_parser
from django_celery_beat.tzcrontab import TzAwareCrontab

from messages_app.core.problems import FieldError, quote_value

MIN_MINUTES = 5  # minutes between two runs
MAX_CRON = 200
_DAYS_IN_MONTH = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_NUMBERS = r"[0-9*/,-]+"
_NUMBERS_AND_DAYS = r"[0-9a-z*/,-]+"


@dataclass(frozen=True)
class _Column:
    name: str
    first: int
    last: int
    pattern: str = _NUMBERS


_COLUMNS = (
    _Column("minute", 0, 59),
    _Column("hour", 0, 23),
    _Column("day of month", 1, 31),
    _Column("month", 1, 12),
    _Column("day of week", 0, 6, _NUMBERS_AND_DAYS),
)


def cron_fault(cron: str) -> FieldError | None:
    """Return the error of a cron expression, with the column; None if it is valid."""
    if len(cron) > MAX_CRON:
        return FieldError("cron", "too_long", f"At most {MAX_CRON} characters.")
    columns = cron.split()
    if len(columns) != len(_COLUMNS):
        names = ", ".join(column.name for column in _COLUMNS)
        return FieldError("cron", "invalid_value", f"Enter five columns: {names}; not {len(columns)}.")
    for column, text in zip(_COLUMNS, columns, strict=True):
        if fault := _column_fault(column, text):
            return FieldError("cron", "invalid_value", f"{column.name}: {fault}")
    return _times_fault(*(_values_of_column(*pair) for pair in zip(_COLUMNS, columns, strict=True)))


def zone_fault(zone: str) -> FieldError | None:
    if zone in available_timezones():
        return None
    text = f"Unknown time zone {quote_value(zone)}. Write it as Europe/Prague or UTC."
    return FieldError("zone", "invalid_value", text)


def next_run(cron: str, zone: str, *, now: datetime) -> datetime:
    """Return the first time after `now` at which a schedule with a valid expression runs."""
    minute, hour, day_of_month, month, day_of_week = cron.split()
    expression = _ExpressionAt(minute, hour, day_of_week, day_of_month, month, tz=ZoneInfo(zone))
    expression.now_is = now
    return now + expression.remaining_estimate(now)


def next_runs(cron: str, zone: str, *, now: datetime, count: int) -> list[datetime]:
    """Return the first times after `now` at which a schedule with a valid expression runs."""
    runs = [now]
    while len(runs) <= count:
        runs.append(next_run(cron, zone, now=runs[-1]))
    return runs[1:]


class _ExpressionAt(TzAwareCrontab):
    """A cron expression whose current time is `now_is`, by the caller's clock."""

    now_is: datetime

    def nowfunc(self) -> datetime:
        return self.now_is.astimezone(self.tz)


def _values_of_column(column: _Column, text: str) -> set[int]:
    return set(crontab_parser(column.last - column.first + 1, column.first).parse(text))


def _column_fault(column: _Column, text: str) -> str | None:
    span = f"{column.first} to {column.last}"
    if not re.fullmatch(column.pattern, text):
        return f"{quote_value(text)} must be *, numbers from {span}, ranges or steps."
    try:
        values = _values_of_column(column, text)
    except (ParseException, ValueError) as error:
        return f"{quote_value(text)} is not valid: {str(error).rstrip('.')}."
    if not values <= set(range(column.first, column.last + 1)):
        return f"{quote_value(text)} is not from {span}."
    return None


def _times_fault(
    minutes: set[int], hours: set[int], days: set[int], months: set[int], _week_days: set[int]
) -> FieldError | None:
    if not any(day <= _DAYS_IN_MONTH[month - 1] for month in months for day in days):
        return FieldError("cron", "invalid_value", "It would never run: the month does not have that day.")
    if min(_iterate_gaps(minutes, hours), default=MIN_MINUTES) < MIN_MINUTES:
        text = f"It can run at most every {MIN_MINUTES} minutes."
        return FieldError("cron", "out_of_range", text)
    return None


def _iterate_gaps(minutes: set[int], hours: set[int]) -> Iterator[int]:
    """Yield the minutes between consecutive runs that may be too close together."""
    ordered = sorted(minutes)
    yield from (late - early for early, late in pairwise(ordered))
    if any((hour + 1) % 24 in hours for hour in hours):
        yield 60 - ordered[-1] + ordered[0]
