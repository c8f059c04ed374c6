"""What the tiles of messages hold: from counts, and where there are none from a bounded look."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import TypeVar

from messages_app.first_page.windows import WINDOWS
from messages_app.jobs.models import Job
from messages_app.messages.exchanges.systems import FENCE, outside_systems
from messages_app.messages.failing.queries import failing_groups
from messages_app.messages.funnels.filters import FunnelFilter
from messages_app.messages.funnels.lanes import Lane
from messages_app.messages.funnels.queries import funnel_page
from messages_app.messages.rollups import queries as rollups
from messages_app.messages.rollups.folding import LONG
from messages_app.messages.states import FAILURE_STATES, FINAL_STATES, UNDER_WAY_STATES, MessageState
from messages_app.messages.watching.queries import open_alerts

TREND = timedelta(hours=1)
T = TypeVar("T")
UNFINISHED = frozenset(MessageState) - FINAL_STATES
MOST_MARKS = 20
_MOST_GROUPS, _MOST_LANES, _MOST_SYSTEMS = 20, 8, 12
# Of those that wait before funnels, so many of the oldest: enough for the few values that are shown.
_MOST_WAITING = 300


def failing(now: datetime, window: str) -> dict[str, object]:
    found = rollups.now_by_state(before=now - LONG)
    lately, before = _entered_lately(now, MessageState.FAILED)
    states = {state: found[state].count for state in FAILURE_STATES if state in found}
    return {
        "count": sum(states.values()),
        "by_state": states,
        "hour_ago": _then(now, lambda then: sum(then[each].count for each in FAILURE_STATES if each in then)),
        "last_hour": lately,
        "hour_before": before,
    }


def waiting(now: datetime, window: str) -> dict[str, object]:
    found = rollups.now_by_state(before=now - LONG)
    states = {state: found[state].long for state in UNDER_WAY_STATES if state in found and found[state].long}
    return {
        "count": sum(states.values()),
        "by_state": states,
        "hour_ago": _then(
            now, lambda then: sum(then[each].long for each in UNDER_WAY_STATES if each in then)
        ),
        "longer_than_seconds": LONG.total_seconds(),
    }


def oldest(now: datetime, window: str) -> dict[str, object]:
    first = _first(rollups.now_by_state(before=now))
    then = _then(now, _first)
    age = None if first is None else (now - first.since).total_seconds()
    return {
        "state": first and first.state,
        "since": first and first.since,
        "seconds": age,
        "seconds_hour_ago": then and (now - TREND - then.since).total_seconds(),
    }


def _first(found: Mapping[str, rollups.InState]) -> rollups.InState | None:
    """Return the state of the oldest message that is under way; None where none is."""
    return min((found[state] for state in UNFINISHED if state in found), key=_since, default=None)


def _then(now: datetime, told: Callable[[Mapping[str, rollups.InState]], T]) -> T | None:
    """Return what there was to tell a TREND ago; None where nobody looked then."""
    found = rollups.then_by_state(now - TREND)
    return None if found is None else told(found)


def throughput(now: datetime, window: str) -> dict[str, object]:
    lately, before = _entered_lately(now, MessageState.OK)
    minutes = TREND.total_seconds() / 60
    return {"per_minute": lately / minutes, "per_minute_before": before / minutes}


def flow(now: datetime, window: str) -> dict[str, object]:
    start, width = WINDOWS[window].start(now), WINDOWS[window].width
    slices = rollups.entered_over_time(start=start, end=now, width=width)
    marks = Job.objects.filter(started_at__gte=start, dry_run=False).order_by("-job_id")[:MOST_MARKS]
    return {
        "start": start,
        "end": now,
        "slice_seconds": width.total_seconds(),
        "slices": [asdict(one) for one in slices],
        "jobs": list(marks.values("job_id", "kind", "state", "started_at", "finished_at")),
    }


def services(now: datetime, window: str) -> dict[str, object]:
    ends = rollups.ends_by_service(since=WINDOWS[window].start(now))
    return {"services": [asdict(one) | {"failure_rate": one.failure_rate} for one in ends]}


def groups(now: datetime, window: str) -> dict[str, object]:
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
                "failing_now": line.failing_now,
                **asdict(line.windows),
            }
            for line in lines
        ]
    }


def alerts(now: datetime, window: str) -> dict[str, object]:
    columns = ("alert_id", "rule_id", "rule__name", "opened_at", "value")
    return {
        "alerts": [
            {"alert_id": alert_id, "rule_id": rule_id, "rule": name, "opened_at": opened_at, "value": value}
            for alert_id, rule_id, name, opened_at, value in open_alerts().values_list(*columns)
        ]
    }


def funnels(now: datetime, window: str) -> dict[str, object]:
    """Return the funnel values that messages wait for longest."""
    page = funnel_page(FunnelFilter(blocked=True), page_size=_MOST_LANES, most_waiting=_MOST_WAITING)
    return {
        "found": page.lanes_found,
        "waiting": page.waiting_found,
        "is_exact": not page.truncated,
        "lanes": [_lane(lane) for lane in page.rows],
    }


def _lane(lane: Lane) -> dict[str, object]:
    return {
        "value": lane.value,
        "component_id": lane.component_id,
        "since": lane.since,
        "waiting": len(lane.waiting),
        "holders": [holder.member.msg_id for holder in lane.holders],
    }


def systems(now: datetime, window: str) -> dict[str, object]:
    found = outside_systems(since=WINDOWS[window].start(now), most=_MOST_SYSTEMS)
    return {"looked_at": FENCE, "most_counted": FENCE - 1, "systems": [asdict(one) for one in found]}


def _entered_lately(now: datetime, state: MessageState) -> tuple[int, int]:
    """Return how often a state was entered in the last TREND, and in that before."""
    end = now.replace(second=0, microsecond=0) + timedelta(minutes=1)
    start = end - 2 * TREND
    slices = rollups.entered_over_time(start=start, end=end, width=TREND)
    counts = {one.at: one.count for one in slices if one.state == state}
    return counts.get(start + TREND, 0), counts.get(start, 0)


def _since(found: rollups.InState) -> datetime:
    return found.since
