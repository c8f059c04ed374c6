"""The time range that a report is about: of receive_timestamp, the last 24 hours unless it says otherwise."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.http import QueryDict

from messages_app.web.clock import database_clock
from messages_app.web.filters.table import read, table, time_range
from messages_app.web.problems import bad_field, bad_input

COLUMN = "receive_timestamp"
FILTERS = table(*time_range(COLUMN))
DEFAULT = timedelta(hours=24)
_EARLIEST = datetime(1, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class TimeRange:
    """From `start` to `end`, both of them in it."""

    start: datetime
    end: datetime


def parse(params: QueryDict, *, longest: timedelta | None = None) -> TimeRange:
    """
    Return the range that a query string asks for. Without an end it ends now, by the database's clock;
    without a start it is the 24 hours before its end.

    Raises:
        Problem: 400, a parameter is at fault, or the range is longer than `longest`.
    """
    values, errors = read(FILTERS, params)
    if errors:
        raise bad_input(errors)
    first, last = values.get(f"{COLUMN}_from"), values.get(f"{COLUMN}_to")
    end = last or max(filter(None, (database_clock(), first)))
    start = first or max(end, _EARLIEST + DEFAULT) - DEFAULT
    if longest and end - start > longest:
        text = f"The range of {COLUMN} may be {longest.days} days long."
        raise bad_field(f"{COLUMN}_from", "out_of_range", text)
    return TimeRange(start, end)
