"""
Reads some pages of a table, chosen by chance, as `TABLESAMPLE SYSTEM` does.

No statistics are needed, and no order: what was loaded a minute ago is counted as well as what was analysed.
The same pages are chosen each time, and a smaller sample is a part of a larger one.
"""

from typing import Any

from django.db import connection, models
from django.db.models import Count, F, Func, QuerySet
from django.db.models.sql.datastructures import BaseTable

from messages_app.jobs.previewing.sql import statement

# What a table without statistics is taken to have.
_ROWS_A_PAGE = 40.0


class _Sampled(BaseTable):
    """A table of which a share of the pages is read."""

    def __init__(self, table_name: str, alias: str, share: float) -> None:
        super().__init__(table_name, alias)
        self.share = share

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, list]:
        table, params = super().as_sql(compiler, connection)
        return f"{table} TABLESAMPLE SYSTEM (%s) REPEATABLE (0)", [*params, 100 * self.share]

    @property
    def identity(self) -> tuple:
        return (*super().identity, self.share)


class _Page(Func):
    """The page that a row is on."""

    template = "(ctid::text::point)[0]::bigint"
    output_field = models.BigIntegerField()


def pages_of(model: type[models.Model]) -> tuple[int, float]:
    """Return how many pages a table has, 0 for what is no table, and about how many rows each has."""
    with connection.cursor() as cursor:
        cursor.execute(statement("table_pages"), {"table": model._meta.db_table})
        pages, rows_a_page = cursor.fetchone()
    return pages, rows_a_page or _ROWS_A_PAGE


def sample_of(rows: QuerySet, share: float) -> QuerySet:
    """Return those of the rows that are on a share of their table's pages, each with its `page`."""
    sample = rows.order_by().all()
    table = rows.model._meta.db_table
    alias = sample.query.get_initial_alias()
    if share < 1:
        sample.query.alias_map[alias] = _Sampled(table, alias, share)
    return sample.annotate(page=_Page(F("pk")))


def rows_of_pages(rows: QuerySet, share: float) -> list[int]:
    """Return how many of the rows are on each page of the sample that has any."""
    counted = sample_of(rows, share).values("page").annotate(rows=Count("*"))
    return list(counted.values_list("rows", flat=True))
