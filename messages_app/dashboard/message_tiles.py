"""The tiles of messages, from counts, or without counts from bounded queries."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import TypeVar

from messages_app.dashboard.snapshot import TREND, Look
from messages_app.jobs.models import Job
from messages_app.messages.alerts.services import open_alerts
from messages_app.messages.failures.selectors import failing_groups
from messages_app.messages.funnels.lanes import Lane
from messages_app.messages.funnels.selectors import FunnelFilter, funnel_page
from messages_app.messages.metrics.counts import LONG, InState, ends_by_service, entered_over_time
from messages_app.messages.requests.systems import FENCE, outside_systems
from messages_app.shared.message_states import FAILURE_STATES, FINAL_STATES, UNDER_WAY_STATES, MessageState

T = TypeVar("T")
UNFINISHED = frozenset(MessageState) - FINAL_STATES
MOST_MARKS = 20
_MOST_GROUPS, _MOST_LANES, _MOST_SYSTEMS = 20, 8, 12
# How many of the oldest messages that wait for funnels are read: enough for the few values shown.
_MOST_WAITING = 300


def failing(look: Look) -> dict[str, object]:
    lately, before = look.entered_lately(MessageState.FAILED)
    states = {state: look.in_states[state].count for state in FAILURE_STATES if state in look.in_states}
    return {
        "count": sum(states.values()),
        "by_state": states,
        "hour_ago": _then(
            look, lambda then: sum(then[each].count for each in FAILURE_STATES if each in then)
        ),
        "last_hour": lately,
        "hour_before": before,
    }


def waiting(look: Look) -> dict[str, object]:
    found = look.in_states
    states = {state: found[state].long for state in UNDER_WAY_STATES if state in found and found[state].long}
    return {
        "count": sum(states.values()),
        "by_state": states,
        "hour_ago": _then(
            look, lambda then: sum(then[each].long for each in UNDER_WAY_STATES if each in then)
        ),
        "longer_than_seconds": LONG.total_seconds(),
    }


def oldest(look: Look) -> dict[str, object]:
    first = _first(look.in_states)
    then = _then(look, _first)
    age = None if first is None else (look.now - first.since).total_seconds()
    return {
        "state": first and first.state,
        "since": first and first.since,
        "seconds": age,
        "seconds_hour_ago": then and (look.now - TREND - then.since).total_seconds(),
    }


def _first(found: Mapping[str, InState]) -> InState | None:
    """Return the state of the oldest message that is in progress; None if there is none."""
    return min((found[state] for state in UNFINISHED if state in found), key=_since, default=None)


def _then(look: Look, told: Callable[[Mapping[str, InState]], T]) -> T | None:
    """Return what there was to tell a TREND ago; None where no one looked then."""
    return None if look.in_states_then is None else told(look.in_states_then)


def throughput(look: Look) -> dict[str, object]:
    lately, before = look.entered_lately(MessageState.OK)
    minutes = TREND.total_seconds() / 60
    return {"per_minute": lately / minutes, "per_minute_before": before / minutes}


def flow(look: Look) -> dict[str, object]:
    slices = entered_over_time(start=look.start, end=look.now, width=look.width)
    marks = Job.objects.filter(started_at__gte=look.start, dry_run=False).order_by("-job_id")[:MOST_MARKS]
    return {
        "start": look.start,
        "end": look.now,
        "slice_seconds": look.width.total_seconds(),
        "slices": [asdict(one) for one in slices],
        "jobs": list(marks.values("job_id", "kind", "state", "started_at", "finished_at")),
    }


def services(look: Look) -> dict[str, object]:
    ends = ends_by_service(since=look.start)
    return {"services": [asdict(one) | {"failure_rate": one.failure_rate} for one in ends]}


def groups(look: Look) -> dict[str, object]:
    lines = failing_groups(most=_MOST_GROUPS, looks_up=False)
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
                "is_quiet": line.is_quiet,
                **asdict(line.windows),
            }
            for line in lines
        ]
    }


def alerts(look: Look) -> dict[str, object]:
    columns = ("alert_id", "rule_id", "rule__name", "opened_at", "value")
    return {
        "alerts": [
            {"alert_id": alert_id, "rule_id": rule_id, "rule": name, "opened_at": opened_at, "value": value}
            for alert_id, rule_id, name, opened_at, value in open_alerts().values_list(*columns)
        ]
    }


def funnels(look: Look) -> dict[str, object]:
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


def systems(look: Look) -> dict[str, object]:
    found = outside_systems(since=look.start, most=_MOST_SYSTEMS)
    return {"looked_at": FENCE, "most_counted": FENCE - 1, "systems": [asdict(one) for one in found]}


def _since(found: InState) -> datetime:
    return found.since
