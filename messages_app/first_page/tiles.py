"""
The dashboard's numbers. Each tile is read by itself, from counts, and fails alone.

Source: research/consoles.md (d) "Dashboard"; DESIGN.md rule 9.
"""

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from django.db import DatabaseError, transaction

from messages_app.jobs.models import Job
from messages_app.jobs.states import ACTIVE_STATES
from messages_app.messages.archive_totals import archive_totals
from messages_app.messages.failing.queries import failing_groups
from messages_app.messages.rollups import queries as rollups
from messages_app.messages.states import FAILURE_STATES, FINAL_STATES, UNDER_WAY_STATES, MessageState
from messages_app.messages.watching.queries import open_alerts
from messages_app.web.clock import database_clock
from messages_app.web.time_limits import time_limit

logger = logging.getLogger(__name__)

# As the list's view "Waiting long" has it.
LONG = timedelta(minutes=15)
TREND = timedelta(hours=1)
# Windows by their names, with the width of a slice of their chart.
WINDOWS = {
    "1h": (timedelta(hours=1), timedelta(minutes=1)),
    "3h": (timedelta(hours=3), timedelta(minutes=2)),
    "24h": (timedelta(hours=24), timedelta(minutes=15)),
    "7d": (timedelta(days=7), timedelta(hours=2)),
}
_TILE_MS = 2_000
_MOST_GROUPS, _MOST_JOBS = 20, 20
_UNFINISHED = frozenset(MessageState) - FINAL_STATES


@dataclass(frozen=True, kw_only=True)
class Tile:
    """
    One tile: what it shows, or why it cannot.

    Args:
        query: of the list that it opens, empty where it opens none.
    """

    name: str
    content: Mapping[str, object] | None = None
    fault: str = ""
    query: str = ""


def tiles(window: str = "24h") -> Iterator[Tile]:
    """Yield the tiles; `window`: one of WINDOWS."""
    now = database_clock()
    for name, (read, query) in _TILES.items():
        try:
            with transaction.atomic(), time_limit(_TILE_MS):
                content = read(now, window)
        except DatabaseError:
            logger.warning("The tile %s could not be read.", name, exc_info=True)
            yield Tile(name=name, fault="This could not be read in time.", query=query)
        else:
            yield Tile(name=name, content=content, query=query)


def _failing(now: datetime, window: str) -> dict[str, object]:
    found = rollups.now_by_state(before=now - LONG)
    lately, before = _entered_lately(now, MessageState.FAILED)
    states = {state: found[state].count for state in FAILURE_STATES if state in found}
    return {"count": sum(states.values()), "by_state": states, "last_hour": lately, "hour_before": before}


def _waiting(now: datetime, window: str) -> dict[str, object]:
    found = rollups.now_by_state(before=now - LONG)
    states = {state: found[state].long for state in UNDER_WAY_STATES if state in found and found[state].long}
    return {"count": sum(states.values()), "by_state": states, "longer_than_seconds": LONG.total_seconds()}


def _oldest(now: datetime, window: str) -> dict[str, object]:
    found = rollups.now_by_state(before=now)
    oldest = min((found[state] for state in _UNFINISHED if state in found), key=_since, default=None)
    if oldest is None:
        return {"state": None, "since": None, "seconds": None}
    seconds = (now - oldest.since).total_seconds()
    return {"state": oldest.state, "since": oldest.since, "seconds": seconds}


def _throughput(now: datetime, window: str) -> dict[str, object]:
    lately, before = _entered_lately(now, MessageState.OK)
    minutes = TREND.total_seconds() / 60
    return {"per_minute": lately / minutes, "per_minute_before": before / minutes}


def _flow(now: datetime, window: str) -> dict[str, object]:
    length, width = WINDOWS[window]
    start = now.replace(second=0, microsecond=0) - length
    slices = rollups.entered_over_time(start=start, end=now, width=width)
    marks = Job.objects.filter(started_at__gte=start, dry_run=False).order_by("-job_id")[:_MOST_JOBS]
    return {
        "start": start,
        "end": now,
        "slice_seconds": width.total_seconds(),
        "slices": [asdict(one) for one in slices],
        "jobs": list(marks.values("job_id", "kind", "state", "started_at", "finished_at")),
    }


def _services(now: datetime, window: str) -> dict[str, object]:
    ends = rollups.ends_by_service(since=now - WINDOWS[window][0])
    return {"services": [asdict(one) | {"failure_rate": one.failure_rate} for one in ends]}


def _groups(now: datetime, window: str) -> dict[str, object]:
    lines = failing_groups(most=_MOST_GROUPS)
    return {
        "groups": [
            {
                "group_id": line.group.pk,
                "service_name": line.group.service_name,
                "failed_error_code": line.group.failed_error_code,
                "summary": line.group.summary,
                "state": line.group.state,
                "last_seen": line.group.last_seen,
                **asdict(line.windows),
            }
            for line in lines
        ]
    }


def _alerts(now: datetime, window: str) -> dict[str, object]:
    columns = ("alert_id", "rule__name", "opened_at", "value")
    return {
        "alerts": [
            {"alert_id": alert_id, "rule": name, "opened_at": opened_at, "value": value}
            for alert_id, name, opened_at, value in open_alerts().values_list(*columns)
        ]
    }


def _jobs(now: datetime, window: str) -> dict[str, object]:
    jobs = Job.objects.filter(state__in=sorted(ACTIVE_STATES), dry_run=False).order_by("-job_id")
    return {"jobs": list(jobs.values("job_id", "kind", "state", "created_by", "created_at")[:_MOST_JOBS])}


def _archive(now: datetime, window: str) -> dict[str, object]:
    return {"tables": [asdict(total) for total in archive_totals()]}


def _entered_lately(now: datetime, state: MessageState) -> tuple[int, int]:
    """Return how often a state was entered in the last TREND, and in that before."""
    end = now.replace(second=0, microsecond=0) + timedelta(minutes=1)
    start = end - 2 * TREND
    slices = rollups.entered_over_time(start=start, end=end, width=TREND)
    counts = {one.at: one.count for one in slices if one.state == state}
    return counts.get(start + TREND, 0), counts.get(start, 0)


def _since(found: rollups.InState) -> datetime:
    return found.since


def _states(states: frozenset[MessageState]) -> str:
    return "state=" + ",".join(state for state in MessageState if state in states)


_Read = Callable[[datetime, str], dict[str, object]]
# What is read, and the query of the list that the tile opens.
_TILES: dict[str, tuple[_Read, str]] = {
    "failing": (_failing, _states(FAILURE_STATES)),
    "waiting": (_waiting, f"{_states(UNDER_WAY_STATES)}&last_process_timestamp_to=-15m"),
    "oldest": (_oldest, f"{_states(_UNFINISHED)}&ordering=receive_timestamp"),
    "throughput": (_throughput, ""),
    "flow": (_flow, ""),
    "groups": (_groups, ""),
    "services": (_services, ""),
    "alerts": (_alerts, ""),
    "jobs": (_jobs, ""),
    "archive": (_archive, ""),
}
