"""
The handover in words: the parts that the page, its print, the text, mails and webhooks show.
"""

from collections.abc import Iterator, Sequence

from django.urls import reverse

from messages_app.core.formatting import count_of, format_number
from messages_app.dashboard.handover import BY_HAND, Handover, ShiftGroup
from messages_app.dashboard.handover_lines import (
    Clock,
    HandoverLine,
    HandoverPart,
    address_of_job,
    describe_ended,
    describe_group,
    describe_open,
    describe_opened,
    name_group,
    name_job,
    shorten_text,
)
from messages_app.dashboard.handover_watch_lines import list_watched
from messages_app.jobs.repairs import Repair
from messages_app.jobs.selectors import JobProgress
from messages_app.messages.alerts.models import Alert
from messages_app.messages.alerts.sentences import describe_value

WATCH = "watch"


def describe_shift(shift: Handover) -> list[HandoverPart]:
    """Return the parts: opened, repaired, still open and to watch; closed alerts and archive runs if any."""
    clock = Clock(shift.until)
    opened = [describe_opened(line, clock) for line in shift.opened_incidents]
    repaired = [*_list_repaired(shift, clock)]
    still_open = [*_list_open(shift, clock)]
    watched = [*list_watched(shift, clock)]
    closed_alerts = [_describe_alert(one, clock) for one in shift.alerts if one.closed_at]
    archived = [_describe_archive_run(one, clock) for one in shift.archive_runs]
    parts = [
        HandoverPart(key="opened", title="Opened", summary=_count_opened(shift), lines=opened),
        HandoverPart(key="repaired", title="Repairs", summary=_count_repaired(shift), lines=repaired),
        HandoverPart(key="still-open", title="Still open", summary=_count_open(shift), lines=still_open),
        HandoverPart(
            key=WATCH,
            title="Watch this",
            summary=f"{count_of(len(watched), 'thing')} to watch" if watched else "nothing to watch",
            lines=watched,
        ),
        HandoverPart(key="closed-alerts", title="Alerts that closed", summary="", lines=closed_alerts),
        HandoverPart(key="archived", title="Archived", summary="", lines=archived),
    ]
    return [part for part in parts if part.summary or part.lines]


def _count_opened(shift: Handover) -> str:
    opened = len(shift.opened_incidents)
    return f"{count_of(opened, 'incident')} began" if opened else "no incident began"


def _count_repaired(shift: Handover) -> str:
    done = sum(one.progress.done for one in shift.repairs) + sum(act.messages for act in shift.by_hand.acts)
    if not done:
        return "no message was restarted or cancelled"
    return f"{format_number(done)} {'message was' if done == 1 else 'messages were'} restarted or cancelled"


def _count_open(shift: Handover) -> str:
    incidents, groups = len(shift.open_incidents), len(shift.loose_groups) + shift.more_groups
    counts = [
        *([f"{count_of(incidents, 'incident', more=shift.has_more_incidents)}"] if incidents else []),
        *([f"{count_of(groups, 'other group')} of failures"] if groups else []),
    ]
    if not counts:
        return "nothing is open"
    return f"{' and '.join(counts)} {'is' if incidents + groups == 1 else 'are'} still open"


def _list_repaired(shift: Handover, clock: Clock) -> Iterator[HandoverLine]:
    yield from (_describe_repair(repair, clock) for repair in shift.repairs)
    for act in shift.by_hand.acts:
        yield HandoverLine(
            title=f"{act.actor} {BY_HAND[act.action]} {count_of(act.messages, 'message')} without a job",
            facts=[f"last {clock.write(act.last)}"],
        )
    if not shift.by_hand.is_whole:
        yield HandoverLine(
            title="Older actions on single messages are not counted",
            facts=["the audit log has too many entries since then"],
        )
    yield from (_describe_repaired_group(one) for one in shift.repaired)
    yield from (
        describe_ended(line, clock) for line in shift.ended_incidents if line.incident.began_at < shift.since
    )


def _describe_repair(repair: Repair, clock: Clock) -> HandoverLine:
    job, progress, status = repair.job, repair.progress, repair.status
    counts = (
        (progress.done, "done"),
        (progress.skipped, "skipped"),
        (progress.failed, "failed"),
    )
    results = (
        (status.ok, "processed"),
        (status.failed, "failed again"),
        (status.cancelled, "cancelled"),
        (status.under_way, "in progress"),
        (status.gone, "removed"),
    )
    now = _write_counts(results)
    checked = "" if status.is_exact or not now else f" of {format_number(status.looked_at)} checked"
    return HandoverLine(
        title=name_job(job),
        address=address_of_job(job),
        facts=[
            _write_counts(counts),
            *([f"now {now}{checked}"] if now else []),
            *([f"ended {clock.write(job.finished_at)}"] if job.finished_at else []),
        ],
        note=shorten_text(job.reason),
        state="failed" if status.failed else "done",
    )


def _write_counts(counts: tuple[tuple[int, str], ...]) -> str:
    return ", ".join(f"{format_number(count)} {words}" for count, words in counts if count)


def _describe_repaired_group(one: ShiftGroup) -> HandoverLine:
    outcome = one.outcome
    counts = (
        (outcome.ok, "processed"),
        (outcome.cancelled, "cancelled"),
        (outcome.gone, "archived or removed"),
    )
    facts = ["none left to repair", _write_counts(counts), ", ".join(name_job(job) for job in one.jobs)]
    return name_group(one, facts, note=one.group.note, state="done")


def _list_open(shift: Handover, clock: Clock) -> Iterator[HandoverLine]:
    yield from (describe_open(one, clock) for one in shift.open_incidents)
    if shift.has_more_incidents:
        yield HandoverLine(title="More open incidents", address=reverse("incident-list"))
    older = [one for one in shift.loose_groups if one.group.last_seen < shift.since]
    yield from (describe_group(one, clock) for one in shift.loose_groups if one not in older)
    if older or shift.more_groups:
        yield _fold_groups(older, shift.more_groups, clock)
    if shift.ungrouped:
        yield HandoverLine(
            title=f"{count_of(shift.ungrouped, 'failing message')} in no group",
            address=f"{reverse('message-list')}?state=FAILED",
        )


def _fold_groups(groups: Sequence[ShiftGroup], more: int, clock: Clock) -> HandoverLine:
    """Return one line for groups without a failure in the shift, and for further ones."""
    lines = [describe_group(one, clock) for one in groups]
    if more:
        name = f"{count_of(more, 'more group')} of failures"
        lines.append(HandoverLine(title=name, address=reverse("failure-list")))
    return HandoverLine(
        title=f"{count_of(len(groups) + more, 'older group')} of failures",
        address=reverse("failure-list"),
        facts=["no failure in this time"] if not more else [],
        lines=lines,
        is_folded=True,
    )


def _describe_alert(alert: Alert, clock: Clock) -> HandoverLine:
    worst = describe_value(alert.rule.measure, alert.worst)
    closed = clock.write(alert.closed_at) if alert.closed_at else ""
    return HandoverLine(
        title=shorten_text(alert.rule.name),
        address=reverse("watch-rule", args=[alert.rule_id]),
        facts=[f"{clock.write(alert.opened_at)} to {closed}", f"worst {worst}"],
    )


def _describe_archive_run(progress: JobProgress, clock: Clock) -> HandoverLine:
    job = progress.job
    counts = ((progress.done, "archived"), (progress.skipped, "skipped"), (progress.failed, "failed"))
    return HandoverLine(
        title=name_job(job),
        address=address_of_job(job),
        facts=[
            _write_counts(counts) or "nothing archived",
            *([f"ended {clock.write(job.finished_at)}"] if job.finished_at else []),
        ],
    )
