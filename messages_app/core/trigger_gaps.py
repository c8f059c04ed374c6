"""
Gaps: statements of the hub that trigger functions could not record.

Triggers count them, `doctor` reports them, and `rebuild_counts` closes them.

Source: docs/contributing/decisions/0023-triggers-never-fail-the-hub.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from time import monotonic, sleep

from django.db import models

from messages_app.core.statements import Statements
from messages_app.core.stores import installed_stores

statements = Statements("messages_app.core")


# The error handlers of trigger functions write gaps. They are merged and closed here.
class TriggerGap(models.Model):
    """
    Statements whose rows the console's triggers could not record, by the reason.

    A gap commits with its statement, so anyone who sees the gap also sees the rows of the statement. A
    periodic pass merges the gaps of one reason.

    Attributes:
        area: the record that is incomplete; one of `areas()`.
        sqlstate: PostgreSQL's code of the error; `reason`: its message.
        statements: the number of statements, from `first_at` to `last_at`.
    """

    gap_id = models.BigAutoField(primary_key=True)
    area = models.CharField(max_length=20)
    sqlstate = models.CharField(max_length=5)
    reason = models.CharField(max_length=300)
    first_at = models.DateTimeField()
    last_at = models.DateTimeField()
    statements = models.BigIntegerField()

    class Meta:
        db_table = "trigger_gap"
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.statements} statements of {self.area}: {self.sqlstate} {self.reason}"


_MAX_WAIT = 60.0
_PAUSE = 0.2


def areas_of_stores() -> Mapping[str, str]:
    """Return the names of the records that triggers keep in all stores, by the area of a gap."""
    return {area: record for store in installed_stores() for area, record in store.areas.items()}


class StillWriting(Exception):
    """An earlier transaction is still in progress, so its changes are not known."""


@dataclass(frozen=True, kw_only=True)
class Gap:
    """
    Statements of one area that the console's triggers could not record.

    Args:
        code: PostgreSQL's code of the newest error; `reason`: its message.
    """

    area: str
    statements: int
    first_at: datetime
    last_at: datetime
    code: str
    reason: str


@dataclass(frozen=True)
class GapsToClose:
    """
    The gaps that a rebuild closes: the rows that existed before it began, and the number of gaps without a
    row.
    """

    ids: tuple[int, ...]
    areas: frozenset[str]
    lost: int

    def __bool__(self) -> bool:
        return bool(self.ids or self.lost)


def open_gaps() -> list[Gap]:
    return [
        Gap(area=area, statements=statements, first_at=first, last_at=last, code=code, reason=reason)
        for area, statements, first, last, code, reason in statements.fetch_rows("summary", {})
    ]


def count_lost_gaps() -> int:
    """Return the number of open gaps that could not be written as a row."""
    noted, closed = statements.only_row("lost", {})
    return int(noted - closed)


def merge_gaps() -> None:
    statements.count("merge", {})


def gaps_to_close() -> GapsToClose:
    """
    Return the gaps to close. Later reads see all rows of their statements.

    Raises:
        StillWriting: a gap has no row, and a transaction that may have caused it still runs after a minute.
    """
    noted, closed = statements.only_row("lost", {})
    if noted > closed:
        _wait_for_writers()
    gaps = dict(TriggerGap.objects.values_list("gap_id", "area"))
    incomplete = frozenset(areas_of_stores()) if noted > closed else frozenset(gaps.values())
    return GapsToClose(ids=tuple(gaps), areas=incomplete, lost=noted if noted > closed else 0)


def close_gaps(gaps: GapsToClose) -> None:
    statements.count("close", {"ids": list(gaps.ids)})
    if gaps.lost:
        statements.count("close_lost", {"lost": gaps.lost})


def _wait_for_writers() -> None:
    """Wait until every transaction that may have written before has ended."""
    (newest,) = statements.only_row("newest_transaction", {})
    until = monotonic() + _MAX_WAIT
    while not statements.only_row("are_over", {"newest": newest})[0]:
        if monotonic() > until:
            raise StillWriting
        sleep(_PAUSE)
