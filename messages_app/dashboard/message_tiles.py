"""The tiles of messages, from counts, or without counts from bounded queries."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import TypeVar

from messages_app.dashboard.flow_chart import STATES as FLOW_STATES
from messages_app.dashboard.flow_chart import EnteredBefore, FlowContent
from messages_app.dashboard.snapshot import TREND, Content, Snapshot
from messages_app.incidents.listing import last_end, open_incidents
from messages_app.incidents.rates import read_rates
from messages_app.jobs.models import Job
from messages_app.messages.alerts.measures import holds_since
from messages_app.messages.alerts.selectors import open_alerts
from messages_app.messages.failures.incident_source import count_open
from messages_app.messages.failures.listing import failing_groups
from messages_app.messages.funnels.filters import FunnelFilter
from messages_app.messages.funnels.lanes import Lane
from messages_app.messages.funnels.selectors import funnel_page
from messages_app.messages.metrics.counts import InState, ends_by_service, entered_over_time
from messages_app.messages.metrics.passes import LONG
from messages_app.messages.traffic.systems import FENCE, outside_systems
from messages_app.shared.message_states import FINAL_STATES, UNDER_WAY_STATES, MessageState

T = TypeVar("T")
UNFINISHED = frozenset(MessageState) - FINAL_STATES
MAX_MARKS = 20
_HOUR, _WEEK = timedelta(hours=1), timedelta(days=7)
# Counts of more than eight days ago have no hours.
_COMPARED = timedelta(days=1, hours=1)
_MAX_INCIDENTS = 8
_MAX_GROUPS, _MAX_LANES, _MAX_SYSTEMS = 20, 8, 12
# The number of oldest messages waiting for funnels that are read: enough for the few values shown.
_MAX_WAITING = 300


def read_failing(snapshot: Snapshot) -> Content:
    """Return messages that are failing now, whatever their age, and messages that the hub is retrying."""
    lately, before = snapshot.entered_lately(MessageState.FAILED)
    return {
        "failing_now": snapshot.failing.count,
        "as_of": snapshot.failing.as_of,
        "hour_ago": _value_at_trend(snapshot, lambda then: _count_in(then, MessageState.FAILED)),
        "last_hour": lately,
        "hour_before": before,
        "retrying": _count_in(snapshot.in_states, MessageState.PARTLY_FAILED),
    }


def _count_in(states: Mapping[str, InState], state: MessageState) -> int:
    return states[state].count if state in states else 0


def read_waiting(snapshot: Snapshot) -> Content:
    in_states = snapshot.in_states
    states = {
        state: in_states[state].long
        for state in UNDER_WAY_STATES
        if state in in_states and in_states[state].long
    }
    return {
        "count": sum(states.values()),
        "by_state": states,
        "hour_ago": _value_at_trend(
            snapshot, lambda then: sum(then[each].long for each in UNDER_WAY_STATES if each in then)
        ),
        "longer_than_seconds": LONG.total_seconds(),
    }


def read_oldest(snapshot: Snapshot) -> Content:
    first = _first_in_progress(snapshot.in_states)
    then = _value_at_trend(snapshot, _first_in_progress)
    age = None if first is None else (snapshot.now - first.since).total_seconds()
    return {
        "state": first.state if first else None,
        "since": first.since if first else None,
        "seconds": age,
        "seconds_hour_ago": (snapshot.now - TREND - then.since).total_seconds() if then else None,
    }


def _first_in_progress(states: Mapping[str, InState]) -> InState | None:
    """Return the state of the oldest message that is in progress, or None."""
    return min((states[state] for state in UNFINISHED if state in states), key=_time_of_state, default=None)


def _value_at_trend(snapshot: Snapshot, value_of: Callable[[Mapping[str, InState]], T]) -> T | None:
    """Return the result of a function for the counts of a TREND ago, or None if there were no counts then."""
    return None if snapshot.in_states_then is None else value_of(snapshot.in_states_then)


def read_throughput(snapshot: Snapshot) -> Content:
    lately, before = snapshot.entered_lately(MessageState.OK)
    minutes = TREND.total_seconds() / 60
    return {"per_minute": lately / minutes, "per_minute_before": before / minutes}


def read_flow(snapshot: Snapshot) -> FlowContent:
    slices = entered_over_time(start=snapshot.start, end=snapshot.now, width=snapshot.width)
    started = Job.objects.filter(started_at__gte=snapshot.start, dry_run=False).order_by("-job_id")
    marks = started.only("kind", "state", "started_at", "finished_at")[:MAX_MARKS]
    return {
        "start": snapshot.start,
        "end": snapshot.now,
        "slice_seconds": snapshot.width.total_seconds(),
        "slices": [{"at": one.at, "state": one.state, "count": one.count} for one in slices],
        "week_before": _read_week_before(snapshot),
        "jobs": [
            {
                "job_id": job.pk,
                "kind": job.kind,
                "state": job.state,
                "started_at": job.started_at,
                "finished_at": job.finished_at,
            }
            for job in marks
            if job.started_at
        ],
    }


def _read_week_before(snapshot: Snapshot) -> list[EnteredBefore]:
    """
    Return the slices of the same time a week before, from counts per hour; empty for a whole week.

    Counts become hours after 25 hours and days after eight days, so the slices of an hour share its count
    evenly. Source: docs/contributing/decisions/0008-rollups.md, "Coarser steps for older counts".
    """
    if snapshot.end_of_hours - snapshot.start > _COMPARED:
        return []
    first = snapshot.start.replace(minute=0)
    entered = entered_over_time(start=first - _WEEK, end=snapshot.end_of_hours - _WEEK, width=_HOUR)
    by_hour: dict[datetime, int] = defaultdict(int)
    for one in entered:
        if one.state in FLOW_STATES:
            by_hour[one.at + _WEEK] += one.count
    if not by_hour:
        return []
    times = [snapshot.start + place * snapshot.width for place in range(snapshot.slices)]
    share = snapshot.width / _HOUR
    return [{"at": at, "count": round(by_hour[at.replace(minute=0)] * share, 2)} for at in times]


def read_services(snapshot: Snapshot) -> Content:
    return {
        "services": [
            {
                "service_name": one.service_name,
                "through": one.through,
                "failed": one.failed,
                "p95_seconds": one.p95_seconds,
                "failure_rate": one.failure_rate,
            }
            for one in ends_by_service(since=snapshot.start)
        ]
    }


def read_groups(snapshot: Snapshot) -> Content:
    """Return groups of failures, and the number of failing messages that are in no group, or not yet."""
    lines = failing_groups(snapshot.failing, most=_MAX_GROUPS)
    return {
        "is_exact": snapshot.failing.is_by_group,
        "ungrouped": snapshot.failing.ungrouped,
        "groups": [
            {
                "group_id": line.group.pk,
                "service_name": line.group.service_name,
                "failed_error_code": line.group.failed_error_code,
                "title": line.group.title,
                "state": line.group.state,
                "last_seen": line.group.last_seen,
                "failing_now": line.failing_now,
                "is_settled": line.is_settled,
                "hour": line.windows.hour,
                "hours_3": line.windows.hours_3,
                "day": line.windows.day,
                "days_7": line.windows.days_7,
            }
            for line in lines
        ],
    }


def read_incidents(snapshot: Snapshot) -> Content:
    """Return open incidents, and the number of failing messages that are in none of them."""
    lines = open_incidents()
    first_lines = lines[:_MAX_INCIDENTS]
    messages = count_open([line.incident.pk for line in lines]) if lines else {}
    rates = read_rates([line.incident for line in first_lines], now=snapshot.now)
    inside = sum(messages[line.incident.pk].failing for line in lines if line.incident.pk in messages)
    return {
        "open": len(lines),
        "ungrouped": max(snapshot.failing.count - inside, 0),
        "last_closed_at": last_end() if not lines else None,
        "incidents": [
            {
                "incident_id": line.incident.pk,
                "title": line.incident.title,
                "external_system": line.incident.external_system,
                "services": line.incident.services,
                "owner": line.incident.owner,
                "began_at": line.incident.began_at,
                "last_failure_at": line.incident.last_failure_at,
                "failing_now": line.failing_now,
                "rate": asdict(rates[line.incident.pk]),
                "is_pressing": line.is_pressing,
                "failing_messages": messages[line.incident.pk].failing if line.incident.pk in messages else 0,
                "is_repaired": line.is_repaired,
            }
            for line in first_lines
        ],
    }


def read_alerts(snapshot: Snapshot) -> Content:
    return {
        "alerts": [
            {
                "alert_id": alert.pk,
                "rule_id": alert.rule_id,
                "rule": alert.rule.name,
                "measure": alert.rule.measure,
                "notifies": alert.rule.has_channel,
                "opened_at": alert.opened_at,
                "holds_since": holds_since(alert),
                "value": alert.value,
            }
            for alert in open_alerts()
        ]
    }


def read_funnels(snapshot: Snapshot) -> Content:
    """Return the funnel values for which messages have waited the longest."""
    page = funnel_page(FunnelFilter(blocked=True), page_size=_MAX_LANES, most_waiting=_MAX_WAITING)
    return {
        "found": page.lanes_found,
        "waiting": page.waiting_found,
        "is_exact": not page.truncated,
        "lanes": [_make_lane(lane) for lane in page.rows],
    }


def _make_lane(lane: Lane) -> Content:
    return {
        "value": lane.value,
        "component_id": lane.component_id,
        "since": lane.since,
        "waiting": len(lane.waiting),
        "holders": [holder.member.msg_id for holder in lane.holders],
    }


def read_systems(snapshot: Snapshot) -> Content:
    measured = outside_systems(since=snapshot.start, most=_MAX_SYSTEMS)
    systems = [asdict(one) | {"health": one.health} for one in measured]
    return {"looked_at": FENCE, "most_counted": FENCE - 1, "systems": systems}


def _time_of_state(in_state: InState) -> datetime:
    return in_state.since
