"""The handover of a shift as plain text, to copy and to send."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from django.utils import timezone

from messages_app.core.formatting import count_of, format_age, format_clock_time, format_number
from messages_app.dashboard.handover import BY_HAND, Handover, ShiftGroup
from messages_app.incidents.listing import IncidentLine
from messages_app.jobs.repairs import Repair
from messages_app.messages.alerts.sentences import describe_value
from messages_app.notes.selectors import ReadNote

_MAX_TEXT = 200


def write_handover(shift: Handover, *, now: datetime) -> str:
    """Return the text: opened, repaired, still open, to watch, and the notes of the shift."""
    opened = [line for line in shift.open_incidents if line.incident.opened_at >= shift.since]
    parts = {
        "Opened": [_name_incident(line) for line in opened]
        + [f"{_name_incident(line)}, ended" for line in shift.ended_incidents],
        "Repaired": [*map(_name_repair, shift.repairs), *_name_acts(shift)],
        "Still open": [
            *map(_name_incident, shift.open_incidents),
            *(_name_group(one) for one in shift.open_groups),
        ],
        "Watch this": list(_list_watched(shift, now)),
        "Notes of the shift": [_name_note(read) for read in shift.notes],
    }
    title = f"Handover from {format_clock_time(shift.since)} to {format_clock_time(now)}"
    return "\n\n".join([title, *(_write_part(name, lines) for name, lines in parts.items())]) + "\n"


def _write_part(title: str, lines: Iterable[str]) -> str:
    return "\n".join([title, *([f"- {_on_one_line(line)}" for line in lines] or ["- nothing"])])


def _on_one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MAX_TEXT else f"{line[: _MAX_TEXT - 1]}…"


def _name_incident(line: IncidentLine) -> str:
    incident = line.incident
    words = f"{incident.title}: {format_number(line.failing_now)} failing, {incident.owner or 'no owner'}"
    return f"{words} ({line.note})" if line.note else words


def _name_repair(repair: Repair) -> str:
    job, status = repair.job, repair.status
    results = [
        f"{format_number(count)} {words}"
        for count, words in (
            (status.ok, "OK"),
            (status.failed, "failed again"),
            (status.cancelled, "cancelled"),
            (status.under_way, "in progress"),
            (status.gone, "removed"),
        )
        if count
    ]
    done = f"job {job.pk}, {job.kind} by {job.created_by}: {format_number(repair.progress.done)} done"
    return f"{done}, now {', '.join(results)}" if results else done


def _name_acts(shift: Handover) -> Iterator[str]:
    for act in shift.by_hand.acts:
        yield f"{act.actor} {BY_HAND[act.action]} {count_of(act.messages, 'message')} without a job"


def _name_group(one: ShiftGroup) -> str:
    group = one.group
    return (
        f"{group.service_name}: {group.title or 'no error text'}, {format_number(one.outcome.failed)} failed"
    )


def _list_watched(shift: Handover, now: datetime) -> Iterator[str]:
    """Yield what may need a person next: alerts, running jobs, and messages that have waited long."""
    for alert in shift.alerts:
        if alert.closed_at is None:
            value = describe_value(alert.rule.measure, alert.value)
            yield f"alert {alert.rule.name}: {value}, open for {format_age(now - alert.opened_at)}"
    for one in shift.running:
        yield f"job {one.job.pk}, {one.job.kind} by {one.job.created_by}, is {one.job.state}"
    if shift.oldest:
        since = timezone.localtime(shift.oldest.since)
        yield f"{shift.oldest.state} since {since:%Y-%m-%d %H:%M}: {count_of(shift.oldest.count, 'message')}"


def _name_note(read: ReadNote) -> str:
    return f"{read.note.author}: {read.note.text}"
