"""Which gaps there are, and closing those that a rebuild began with."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from time import monotonic, sleep

from messages_app.gaps.models import TriggerGap
from messages_app.gaps.sql import sender

# By area: what is incomplete.
AREAS: Mapping[str, str] = {
    "messages": "the history of states, the counts and the groups of failures",
    "documents": "the list of open documents",
    "store": "the lines of the message store",
}
_LONGEST_WAIT = 60.0
_PAUSE = 0.2


class StillWriting(Exception):
    """A transaction from before is still under way, so nobody can say what it has changed."""


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
        for area, statements, first, last, code, reason in sender.rows_of("summary", {})
    ]


def lost() -> int:
    """Return how many gaps could not be written as a row, and are not closed."""
    noted, closed = sender.row_of("lost", {})
    return noted - closed


def merge() -> None:
    sender.count_of("merge", {})


def see() -> Seen:
    """
    Return the gaps to close: what is read after this sees all the rows that they are about.

    Raises:
        StillWriting: a gap has left no row, and a transaction that may be its own goes on for a minute.
    """
    noted, closed = sender.row_of("lost", {})
    if noted > closed:
        _wait_for_writers()
    gaps = dict(TriggerGap.objects.values_list("gap_id", "area"))
    areas = frozenset(AREAS) if noted > closed else frozenset(gaps.values())
    return Seen(ids=tuple(gaps), areas=areas, lost=noted if noted > closed else 0)


def close(seen: Seen) -> None:
    sender.count_of("close", {"ids": list(seen.ids)})
    if seen.lost:
        sender.count_of("close_lost", {"lost": seen.lost})


def _wait_for_writers() -> None:
    """Wait until every transaction that may have written by now is over."""
    (newest,) = sender.row_of("newest_transaction", {})
    until = monotonic() + _LONGEST_WAIT
    while not sender.row_of("are_over", {"newest": newest})[0]:
        if monotonic() > until:
            raise StillWriting
        sleep(_PAUSE)
