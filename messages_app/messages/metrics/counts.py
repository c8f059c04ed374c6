"""What the counts say: by these alone the first page is drawn, whatever number of messages there is."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate

from django.db import transaction

from messages_app.core.statements import Statements

statements = Statements("messages_app.messages.metrics")


MOST_SERVICES = 100
# A doubling of what messages took has so many steps (MessageTook).
STEPS = 4
# So many points of a chart at most.
MOST_SLICES = 500


@dataclass(frozen=True, kw_only=True)
class InState:
    """
    The live messages of one state.

    Args:
        count: how many there are.
        long: how many of them nothing has happened to since the time that was asked for.
        since: the minute of the oldest's last change; past 25 hours its hour, past 8 days its day.
    """

    state: str
    count: int
    long: int
    since: datetime


@dataclass(frozen=True, kw_only=True)
class ServiceEnds:
    """
    How many messages of a service ended since a time, and how.

    Args:
        p95_seconds: all but one in twenty of the ones that the console saw ending took no longer since
        receipt,
            to about a tenth; None where it saw none.
    """

    service_name: str
    through: int
    failed: int
    p95_seconds: float | None

    @property
    def failure_rate(self) -> float:
        """The share of failed ones, 0 to 1."""
        return self.failed / (self.through + self.failed)


@dataclass(frozen=True, kw_only=True)
class Slice:
    """How often messages came into a state in a slice of time."""

    at: datetime
    state: str
    count: int


def now_by_state(*, before: datetime) -> dict[str, InState]:
    """Return what is in each state now, but OK; `before`: what counts as long ago."""
    rows = statements.rows("now", {"before": before})
    return {
        state: InState(state=state, count=count, long=long, since=since) for state, count, long, since in rows
    }


def then_by_state(at: datetime) -> dict[str, InState] | None:
    """Return what was in each state then, but OK, as it was noted; None where no one looked."""
    rows = statements.rows("gauges_at", {"at": at})
    found = [InState(state=state, count=count, long=long, since=since) for state, count, long, since in rows]
    return {one.state: one for one in found if one.state} if found else None


def entered_over_time(*, start: datetime, end: datetime, width: timedelta) -> list[Slice]:
    """
    Return how often states were entered in slices of time; slices without any are left out.

    Raises:
        ValueError: there would be more than MOST_SLICES slices.
    """
    if not timedelta(minutes=1) <= width or (end - start) / width > MOST_SLICES:
        raise ValueError(f"At most {MOST_SLICES} slices, each one minute or longer.")
    rows = statements.rows("entered_slices", {"start": start, "end": end, "width": width})
    return [Slice(at=at, state=state, count=count) for at, state, count in rows]


def ends_by_service(*, since: datetime) -> list[ServiceEnds]:
    """Return the services whose messages ended since a time, the one with most failures first."""
    rows = statements.rows("ended_by_service", {"since": since, "most": MOST_SERVICES})
    took = _p95_by_service(since)
    return [
        ServiceEnds(service_name=name, through=through, failed=failed, p95_seconds=took.get(name))
        for name, through, failed in rows
    ]


def _p95_by_service(since: datetime) -> dict[str, float]:
    steps: dict[str, list[tuple[int, int]]] = {}
    for name, step, messages in statements.rows("took_by_service", {"since": since}):
        steps.setdefault(name, []).append((step, messages))
    return {name: 2 ** ((_step_of_p95(found) + 0.5) / STEPS) for name, found in steps.items()}


def _step_of_p95(steps: Sequence[tuple[int, int]]) -> int:
    """Return in which step, of those with their messages from the quickest on, the nineteenth of 20 is."""
    most = 0.95 * sum(messages for _, messages in steps)
    sums = accumulate(messages for _, messages in steps)
    return next(step for (step, _), messages in zip(steps, sums, strict=True) if messages >= most)


def freshness() -> tuple[datetime | None, float | None]:
    """Return when the counts were last brought up to date, and how many seconds ago; None: not yet."""
    at, seconds = statements.only_row("freshness", {})
    return at, None if seconds is None else float(seconds)


# The passes over the counts: changes are added every few seconds, old minutes become hours and days.
#
# One pass at a time, over all hosts; what a pass takes and what it adds commits together.


# Number of changes that a pass takes at a time: about a second's work.
MOST_CHANGES = 50_000
MOST_MINUTES = 100_000

# As the list's view "Waiting long" has it.
LONG = timedelta(minutes=15)

FOLD, COARSEN, COARSEN_TOOK = "fold", "coarsen", "coarsen_took"


def fold(*, most: int = MOST_CHANGES) -> int:
    """Add all committed changes to the counts, note the gauges, and return the number of changes."""
    done = _run(FOLD, {"most": most}, most)
    statements.count("note_gauges", {"long": LONG})
    return done


def coarsen(*, most: int = MOST_MINUTES) -> int:
    """Add counts of old minutes to those of their hours and days, and return the number of old counts."""
    _run(COARSEN_TOOK, {"most": most}, most)
    statements.count("forget_gauges", {})
    return _run(COARSEN, {"most": most}, most)


def _run(name: str, values: dict[str, object], most: int) -> int:
    """Run a pass, one transaction per part, until no full part is left or another pass is in progress."""
    done = 0
    while (rows := _part(name, values)) is not None:
        done += rows
        if rows < most:
            break
    return done


def _part(name: str, values: dict[str, object]) -> int | None:
    """Do one part and return its rows; None where another pass is in progress."""
    with transaction.atomic():
        (is_ours,) = statements.only_row("lock_counts", {})
        if not is_ours:
            return None
        (rows,) = statements.only_row(name, values)
        statements.count("note_pass", {"name": name, "rows": rows})
    return rows
