"""
The archive tables, plain or partitioned by the month of archiving, and their months.

Source: docs/contributing/decisions/0031-archive-by-month.md.
"""

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass

from django.conf import settings

from messages_app.core.clock import database_clock
from messages_app.core.statements import Statements
from spark_tasks.tables import HUB_TABLES, named_tables

statements = Statements("messages_app.jobs.archive_months")

# The partition of rows that no month has.
OTHER = "other"
DETACHED = "detached_"
_NAME = re.compile(r"(before_)?(\d{4})_(\d{2})")


@dataclass(frozen=True)
class Month:
    """
    One partition of each archive table.

    Args:
        first: the first day, in UTC; None: everything that was archived before `end`.
        end: the first day after it.
    """

    first: dt.date | None
    end: dt.date

    @property
    def suffix(self) -> str:
        """The end of its tables' names: 2026_05, or before_2026_06."""
        return f"{self.first:%Y_%m}" if self.first else f"before_{self.end:%Y_%m}"

    def __str__(self) -> str:
        return self.suffix.replace("_", "-")

    def name_table(self, archive: str) -> str:
        return f"{archive}_{self.suffix}"


@dataclass(frozen=True, kw_only=True)
class MonthSize:
    """
    The size of all tables of a month together.

    Args:
        month: None: rows that no month has.
        messages: approximate; None where it is not known yet.
        stored_bytes: on disk, with indexes.
    """

    month: Month | None
    is_attached: bool
    messages: int | None
    stored_bytes: int


def month_after(day: dt.date) -> dt.date:
    """Return the first day of the month after the one of `day`."""
    return (day.replace(day=1) + dt.timedelta(days=32)).replace(day=1)


def month_of(text: str) -> Month | None:
    """Return the month of 2026-05 or before-2026-06, also with underscores; None: the text is another."""
    named = _NAME.fullmatch(text.replace("-", "_"))
    if named is None or not 1 <= int(named[3]) <= 12 or int(named[2]) == 0:
        return None
    day = dt.date(int(named[2]), int(named[3]), 1)
    return Month(None, day) if named[1] else Month(day, month_after(day))


def this_month() -> dt.date:
    """Return the first day of the current month, in UTC, by the database's clock."""
    return database_clock().astimezone(dt.UTC).date().replace(day=1)


def archive_names() -> list[str]:
    """Return the archive tables that exist, children before parents."""
    names = dict.fromkeys(table.archive for table in (*named_tables(settings.ARCHIVED_TABLES), *HUB_TABLES))
    existing = {row[0] for row in statements.fetch_rows("layout", {"tables": list(names)})}
    return [name for name in names if name in existing]


def is_by_month() -> bool:
    """Whether the archive tables are partitioned by month."""
    kinds = {row[1] for row in statements.fetch_rows("layout", {"tables": [HUB_TABLES[-1].archive]})}
    return kinds == {"p"}


def owner_of_tables() -> str | None:
    """Return the owner of the archive tables; None: this role may not alter them, or they have several."""
    layout = statements.fetch_rows("layout", {"tables": archive_names()})
    owners = {owner for _, _, owner, may_alter in layout if may_alter}
    return owners.pop() if len(owners) == 1 and all(row[3] for row in layout) else None


def sizes_of_months() -> list[MonthSize]:
    """Return all months, attached and detached, oldest first, and last what no month has."""
    sizes: dict[tuple[str, bool], list[tuple[str, int, int]]] = {}
    for parent, name, is_attached, rows, stored in statements.fetch_rows(
        "parts", {"tables": archive_names()}
    ):
        suffix = name.removeprefix(DETACHED).removeprefix(f"{parent}_")
        sizes.setdefault((suffix, is_attached), []).append((parent, rows, stored))
    months = list(_iterate_sizes(sizes))
    return sorted(months, key=lambda each: (each.month is None, each.month and (each.month.end, str(each))))


def detached_months() -> list[str]:
    """Return the names of detached months whose tables are still in the database."""
    return [str(each.month) for each in sizes_of_months() if not each.is_attached]


def _iterate_sizes(sizes: dict[tuple[str, bool], list[tuple[str, int, int]]]) -> Iterator[MonthSize]:
    for (suffix, is_attached), tables in sizes.items():
        month = month_of(suffix)
        if month is None and suffix != OTHER:
            continue
        rows = {parent: rows for parent, rows, _ in tables}[HUB_TABLES[-1].archive]
        yield MonthSize(
            month=month,
            is_attached=is_attached,
            messages=None if rows < 0 else rows,
            stored_bytes=sum(stored for *_, stored in tables),
        )
