"""Which gaps there are, and closing the ones that a rebuild began with."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from time import monotonic, sleep

from django.db import models

from messages_app.core.statements import Statements
from messages_app.core.stores import TriggerArea, stores

statements = Statements("messages_app.core")


# What trigger functions could not note. Written by their error handlers, merged and closed here.


class TriggerGap(models.Model):
    """
    Statements whose rows our triggers could not note, by the reason.

    It commits with such a statement: anyone who sees it sees the rows that it is about. A pass adds up those
    of one reason.

    Attributes:
        area: what is incomplete; one of `areas()`.
        sqlstate: PostgreSQL's code of the error; `reason`: its words.
        statements: how many there were, from `first_at` to `last_at`.
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


_LONGEST_WAIT = 60.0
_PAUSE = 0.2


def areas() -> Mapping[str, TriggerArea]:
    """Return what triggers record in all stores, by the area of a gap."""
    return {name: area for store in stores() for name, area in store.areas.items()}


class StillWriting(Exception):
    """A transaction from before is still in progress, so no one can say what it has changed."""


@dataclass(frozen=True, kw_only=True)
class Gap:
    """
    Statements of one area that our triggers could not note.

    Args:
        code: PostgreSQL's code of the newest error; `reason`: its words.
    """

    area: str
    statements: int
    first_at: datetime
    last_at: datetime
    code: str
    reason: str


@dataclass(frozen=True)
class Seen:
    """What a rebuild closes: the gaps that there were before it began, and how many had left no row."""

    ids: tuple[int, ...]
    areas: frozenset[str]
    lost: int

    def __bool__(self) -> bool:
        return bool(self.ids or self.lost)


def open_gaps() -> list[Gap]:
    return [
        Gap(area=area, statements=statements, first_at=first, last_at=last, code=code, reason=reason)
        for area, statements, first, last, code, reason in statements.rows("summary", {})
    ]


def lost() -> int:
    """Return how many gaps could not be written as a row, and are not closed."""
    noted, closed = statements.only_row("lost", {})
    return int(noted - closed)


def merge() -> None:
    statements.count("merge", {})


def see() -> Seen:
    """
    Return the gaps to close: what is read after this sees all the rows that they are about.

    Raises:
        StillWriting: a gap has left no row, and a transaction that may be its own continues for a minute.
    """
    noted, closed = statements.only_row("lost", {})
    if noted > closed:
        _wait_for_writers()
    gaps = dict(TriggerGap.objects.values_list("gap_id", "area"))
    incomplete = frozenset(areas()) if noted > closed else frozenset(gaps.values())
    return Seen(ids=tuple(gaps), areas=incomplete, lost=noted if noted > closed else 0)


def close(seen: Seen) -> None:
    statements.count("close", {"ids": list(seen.ids)})
    if seen.lost:
        statements.count("close_lost", {"lost": seen.lost})


def _wait_for_writers() -> None:
    """Wait until every transaction that may have written so far is over."""
    (newest,) = statements.only_row("newest_transaction", {})
    until = monotonic() + _LONGEST_WAIT
    while not statements.only_row("are_over", {"newest": newest})[0]:
        if monotonic() > until:
            raise StillWriting
        sleep(_PAUSE)


# What trigger functions could not note: counted where it happens, told by `doctor`, closed by
# `rebuild_counts`.
#
# Source: docs/decisions/0023-triggers-never-fail-the-hub.md.
