"""
The messages of each month: live, in the archive tables and in Parquet files.

They are estimated from PostgreSQL's statistics of the times of receipt, so this takes the same time for any
number of messages. A month is off by up to one percent of a table.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise

from django.db.models import Sum

from messages_app.core.statements import Statements
from messages_app.messages.models import ArchiveMessage, Message
from messages_app.messages.parquet_archive.models import ColdFile, ColdMessage

statements = Statements("messages_app.messages")

# The tables by the place of their messages, in the order of a bar.
_TABLES = {
    "live": Message._meta.db_table,
    "archived": ArchiveMessage._meta.db_table,
    "parquet": ColdMessage._meta.db_table,
}


@dataclass(frozen=True, kw_only=True)
class Month:
    """
    The messages that were received in one month.

    Args:
        first: its first moment, in UTC.
        after: the first moment of the month after it.
        messages: by place: "live", "archived", "parquet".
        stored_bytes: in the archive tables and Parquet files; each message has an equal share.
    """

    first: datetime
    after: datetime
    messages: dict[str, int]
    stored_bytes: int

    @property
    def total(self) -> int:
        return sum(self.messages.values())


@dataclass(frozen=True, kw_only=True)
class Months:
    """
    Args:
        months: each month with messages, the newest first.
        unanalysed: tables of which PostgreSQL has not analysed the last changes, so `months` are older.
    """

    months: list[Month]
    unanalysed: list[str]


@dataclass
class _Place:
    """The number of messages in one place by the first moment of their month, and their bytes."""

    months: dict[datetime, float] = field(default_factory=lambda: defaultdict(float))
    rows: int = 0
    stored_bytes: int = 0


def count_months() -> Months:
    """Return the months with messages, and the tables with newer changes."""
    unanalysed = set()
    places = {place: _Place() for place in _TABLES}
    place_of = {table: place for place, table in _TABLES.items()}
    for table, rows, stored_bytes, common, shares, bounds, is_changed in statements.fetch_rows(
        "table_months", {"tables": list(_TABLES.values())}
    ):
        place = places[place_of[table]]
        if rows is None or is_changed or (rows and not common and not bounds):
            unanalysed.add(table)
        place.rows += rows or 0
        place.stored_bytes += stored_bytes
        for first, share in _spread_shares(common, shares, bounds):
            place.months[first] += share * (rows or 0)
    places["parquet"].stored_bytes += ColdFile.objects.aggregate(total=Sum("bytes"))["total"] or 0
    firsts = sorted({first for place in places.values() for first in place.months}, reverse=True)
    months = (_describe_month(first, places) for first in firsts)
    return Months(months=[month for month in months if month.total], unanalysed=sorted(unanalysed))


def _describe_month(first: datetime, places: dict[str, _Place]) -> Month:
    archived = (place for name, place in places.items() if name != "live" and place.rows)
    return Month(
        first=first,
        after=_next_month(first),
        messages={name: round(place.months[first]) for name, place in places.items()},
        stored_bytes=round(sum(place.stored_bytes * place.months[first] / place.rows for place in archived)),
    )


def _spread_shares(
    common: Sequence[datetime], shares: Sequence[float], bounds: Sequence[datetime]
) -> Iterator[tuple[datetime, float]]:
    """Yield the first moments of months with their shares of all messages; a month may come several times."""
    for time, share in zip(common, shares, strict=True):
        yield _month_of(time), share
    others = max(1 - sum(shares), 0)
    for start, stop in pairwise(bounds):
        share, length = others / (len(bounds) - 1), (stop - start).total_seconds()
        first = _month_of(start)
        while first <= stop:
            after = _next_month(first)
            inside = (min(after, stop) - max(first, start)).total_seconds()
            yield first, share * (inside / length if length else 1)
            first = after


def _month_of(time: datetime) -> datetime:
    return time.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)


def _next_month(first: datetime) -> datetime:
    year, month = divmod(first.year * 12 + first.month, 12)
    return first.replace(year=year, month=month + 1)
