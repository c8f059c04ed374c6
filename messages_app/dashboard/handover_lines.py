"""The lines of a handover: each names a thing, links its page, and has its facts in words."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils import timezone

from messages_app.core.formatting import count_of, format_number
from messages_app.dashboard.handover import OpenIncident, ShiftGroup
from messages_app.incidents.listing import IncidentLine
from messages_app.jobs.models import Job

_MAX_TEXT = 160
NO_OWNER = "no owner"


@dataclass(frozen=True, kw_only=True)
class HandoverLine:
    """
    One line of a part.

    Args:
        title: the name of a thing.
        address: of the page of the thing; empty: it has none.
        note: the newest note about it.
        state: the state whose colour its dot has on the page; empty: grey.
        lines: of things that belong to it; `is_folded`: the page opens them on request.
    """

    title: str
    address: str = ""
    facts: Sequence[str] = ()
    note: str = ""
    state: str = ""
    lines: Sequence["HandoverLine"] = ()
    is_folded: bool = False


@dataclass(frozen=True, kw_only=True)
class HandoverPart:
    """
    A part of a handover.

    Args:
        key: the id of the part on the page.
        summary: how much is in it, in words.
    """

    key: str
    title: str
    summary: str
    lines: Sequence[HandoverLine]


class Clock:
    """Writes times of a shift: without the date if it is that of the end of the shift."""

    def __init__(self, until: datetime) -> None:
        self._today = timezone.localtime(until).date()

    def write(self, moment: datetime) -> str:
        local = timezone.localtime(moment)
        return f"{local:%H:%M}" if local.date() == self._today else f"{local:%Y-%m-%d %H:%M}"


def shorten_text(text: str) -> str:
    """Return a text on one line, shortened if it is long."""
    line = " ".join(text.split())
    return line if len(line) <= _MAX_TEXT else f"{line[: _MAX_TEXT - 1]}…"


def describe_opened(line: IncidentLine, clock: Clock) -> HandoverLine:
    """Return the line of an incident that began in the shift."""
    incident = line.incident
    facts = [f"began {clock.write(incident.began_at)}"]
    if incident.is_open:
        facts += [*_count_rows(line), incident.owner or NO_OWNER]
    else:
        facts += [*_describe_end(line, clock), count_of(incident.affected, "message")]
    return _name_incident(line, facts, state="failed" if line.is_pressing else "")


def describe_ended(line: IncidentLine, clock: Clock) -> HandoverLine:
    """Return the line of an incident that ended in the shift and began before it."""
    began = f"began {clock.write(line.incident.began_at)}"
    return _name_incident(line, [*_describe_end(line, clock), began])


def _describe_end(line: IncidentLine, clock: Clock) -> Iterator[str]:
    incident = line.incident
    if incident.closed_at is not None:
        by = "automatically" if incident.closed_by == "system" else f"by {incident.closed_by}"
        yield f"closed {by} {clock.write(incident.closed_at)}"


def describe_open(one: OpenIncident, clock: Clock) -> HandoverLine:
    """Return the line of an open incident, with its groups."""
    incident = one.line.incident
    facts = [
        *_count_rows(one.line),
        *describe_rate(one),
        incident.owner or NO_OWNER,
        *([f"acknowledged by {incident.acknowledged_by}"] if incident.acknowledged_at else []),
        f"began {clock.write(incident.began_at)}",
        f"last failure {clock.write(incident.last_failure_at)}",
    ]
    groups = [describe_group(group, clock) for group in one.groups]
    return _name_incident(one.line, facts, state="failed" if one.line.is_pressing else "", lines=groups)


def describe_rate(one: OpenIncident) -> Iterator[str]:
    if one.rate.last_hour:
        yield f"{format_number(one.rate.last_hour)} in the last hour, {one.rate.trend}"


def describe_group(one: ShiftGroup, clock: Clock) -> HandoverLine:
    """Return the line of a failure group with messages that are not repaired."""
    group = one.group
    in_progress = f"{format_number(one.outcome.in_progress)} in progress" if one.outcome.in_progress else ""
    facts = [
        f"{format_number(one.failing_now)} failing",
        in_progress,
        group.owner,
        group.ticket,
        f"last failure {clock.write(group.last_seen)}",
    ]
    return name_group(one, facts, note=group.note)


def name_group(one: ShiftGroup, facts: Iterable[str], *, note: str = "", state: str = "") -> HandoverLine:
    group = one.group
    code = f" ({group.failed_error_code})" if group.failed_error_code else ""
    return HandoverLine(
        title=shorten_text(f"{group.service_name}: {group.title or 'no error text'}") + code,
        address=reverse("failure-group", args=[group.pk]),
        facts=[shorten_text(fact) for fact in facts if fact],
        note=shorten_text(note),
        state=state,
    )


def name_job(job: Job) -> str:
    by = f" by {job.created_by}" if job.created_by else ""
    return f"{job.kind.replace('_', ' ').capitalize()} {job.pk}{by}"


def address_of_job(job: Job) -> str:
    return reverse("job-detail", args=[job.pk])


def _count_rows(line: IncidentLine) -> Iterator[str]:
    if line.is_repaired:
        yield "repaired"
    else:
        yield f"{format_number(line.failing_now)} failing"
        if line.waiting > line.failing_now:
            yield f"{format_number(line.waiting - line.failing_now)} in progress"


def _name_incident(
    line: IncidentLine, facts: Iterable[str], *, state: str = "", lines: Sequence[HandoverLine] = ()
) -> HandoverLine:
    return HandoverLine(
        title=shorten_text(line.incident.title),
        address=reverse("incident", args=[line.incident.pk]),
        facts=[shorten_text(fact) for fact in facts],
        note=shorten_text(line.note),
        state=state,
        lines=lines,
    )
