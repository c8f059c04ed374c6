"""
Things to watch for the next shift, in words: failures that grow or have no owner, open alerts, funnels beyond
their time, schedules and jobs that failed, and jobs that run.
"""

from collections.abc import Iterator, Sequence
from urllib.parse import urlencode

from django.urls import reverse

from messages_app.core.formatting import count_of, format_age, format_number
from messages_app.dashboard.handover import Handover, OpenIncident, ShiftGroup
from messages_app.dashboard.handover_lines import (
    NO_OWNER,
    Clock,
    HandoverLine,
    address_of_job,
    describe_rate,
    name_group,
    name_job,
    shorten_text,
)
from messages_app.jobs.kinds.registry import spec_of
from messages_app.jobs.schedules.presets import describe_times
from messages_app.jobs.schedules.selectors import FailedSchedule
from messages_app.jobs.selectors import JobProgress
from messages_app.messages.alerts.sentences import describe_value
from messages_app.messages.failures.models import PRESSING_STATES
from messages_app.messages.funnels.lanes import Sketch

_MAX_GROUPS, _MAX_LANES = 5, 5


def list_watched(shift: Handover, clock: Clock) -> Iterator[HandoverLine]:
    """Yield the lines, the most urgent first."""
    yield from filter(None, (_watch_incident(one) for one in shift.open_incidents))
    groups = filter(None, (_watch_group(one) for one in shift.loose_groups))
    yield from [*groups][:_MAX_GROUPS]
    yield from _list_alerts(shift)
    yield from _list_lanes(shift, clock)
    yield from (_describe_schedule(one, clock) for one in shift.watch.schedules)
    repaired = {one.job.pk for one in shift.repairs}
    yield from (_describe_failed_job(one) for one in shift.jobs if one.job.pk not in repaired)
    yield from (_describe_running_job(one) for one in shift.running)
    if shift.oldest:
        oldest = shift.oldest
        yield HandoverLine(
            title=f"Oldest message: {oldest.state} for {format_age(shift.until - oldest.since)}",
            address=f"{reverse('message-list')}?state={oldest.state}&ordering=receive_timestamp",
            facts=[f"{count_of(oldest.count, 'message')} in this state"],
            state="paused",
        )
    for name in shift.watch.unread:
        facts = ["check them on their page"]
        yield HandoverLine(title=f"{name} could not be read", facts=facts, state="paused")


def _watch_incident(one: OpenIncident) -> HandoverLine | None:
    """Return the line of an incident that grows or that no one owns; None if it needs no one."""
    is_rising, is_unowned = one.rate.trend == "rising", not one.line.incident.owner
    if one.line.is_repaired or not (is_rising or is_unowned):
        return None
    return HandoverLine(
        title=shorten_text(one.line.incident.title),
        address=reverse("incident", args=[one.line.incident.pk]),
        facts=[*(describe_rate(one) if is_rising else []), *([NO_OWNER] if is_unowned else [])],
        state="failed" if is_rising or one.line.is_pressing else "",
    )


def _watch_group(one: ShiftGroup) -> HandoverLine | None:
    """Return the line of a group in no incident that grows, or is new and has no owner."""
    if one.line is None or not one.line.is_urgent:
        return None
    is_unowned = one.group.state in PRESSING_STATES and not one.group.owner
    facts = [
        f"{format_number(one.line.windows.hour)} in the last hour, rising" if one.line.is_growing else "",
        NO_OWNER if is_unowned else "",
    ]
    return name_group(one, facts, state="failed")


def _list_alerts(shift: Handover) -> Iterator[HandoverLine]:
    for alert in shift.alerts:
        if alert.closed_at is None:
            yield HandoverLine(
                title=f"Alert {shorten_text(alert.rule.name)}",
                address=reverse("watch-rule", args=[alert.rule_id]),
                facts=[
                    f"value {describe_value(alert.rule.measure, alert.value)}",
                    f"open for {format_age(shift.until - alert.opened_at)}",
                ],
                state="paused",
            )


def _list_lanes(shift: Handover, clock: Clock) -> Iterator[HandoverLine]:
    lanes = _merge_lanes(shift.watch.lanes)
    yield from (_describe_lane(one, clock) for one in lanes[:_MAX_LANES])
    if len(lanes) > _MAX_LANES:
        yield HandoverLine(
            title=f"{count_of(len(lanes) - _MAX_LANES, 'more funnel value')} beyond their time",
            address=f"{reverse('funnel-list')}?blocked=true",
            state="paused",
        )


def _merge_lanes(lanes: Sequence[Sketch]) -> list[list[Sketch]]:
    """Return the lanes for which the same messages wait together, such as those of one message's values."""
    merged: dict[tuple[str | None, frozenset[int]], list[Sketch]] = {}
    for lane in lanes:
        key = (lane.component_id, frozenset(member.msg_id for member in lane.waiting))
        merged.setdefault(key, []).append(lane)
    return [*merged.values()]


def _describe_lane(merged: Sequence[Sketch], clock: Clock) -> HandoverLine:
    lane = merged[0]
    query = {"value": lane.value} | ({"component": lane.component_id} if lane.component_id else {})
    waiting = len(lane.waiting)
    verb = "waits" if waiting == 1 else "wait"
    return HandoverLine(
        title=f"Funnel {shorten_text(', '.join(one.value for one in merged))}",
        address=f"{reverse('funnel-list')}?{urlencode(query)}",
        facts=[f"{count_of(waiting, 'message')} {verb} since {clock.write(lane.since)}"],
        state="paused",
    )


def _describe_schedule(one: FailedSchedule, clock: Clock) -> HandoverLine:
    why = one.why if one.job is None else f"job {one.job.pk} failed: {one.job.error or 'no reason is known'}"
    return HandoverLine(
        title=f"Schedule {one.schedule.pk}: {spec_of(one.schedule.kind).name}",
        address=reverse("schedule-list"),
        facts=[describe_times(one.schedule.cron), f"run {clock.write(one.at)}", shorten_text(why)],
        state="failed",
    )


def _describe_failed_job(progress: JobProgress) -> HandoverLine:
    job = progress.job
    failed = f"{count_of(progress.failed, 'message')} failed" if progress.failed else ""
    return HandoverLine(
        title=name_job(job),
        address=address_of_job(job),
        facts=[job.state, *([failed] if failed else []), *([shorten_text(job.error)] if job.error else [])],
        state="failed",
    )


def _describe_running_job(progress: JobProgress) -> HandoverLine:
    job = progress.job
    ended = progress.planned - progress.left
    counts = f"{format_number(ended)} of {format_number(progress.planned)}" if progress.planned else ""
    return HandoverLine(
        title=name_job(job),
        address=address_of_job(job),
        facts=[job.state, *([counts] if counts else [])],
        note=shorten_text(job.reason),
        state="running",
    )
