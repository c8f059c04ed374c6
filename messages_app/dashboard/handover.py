"""The handover of a shift: opened incidents, repairs with their authors, and open problems."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from django.db import DatabaseError

from messages_app.audit.selectors import ActsByHand, acts_by_hand
from messages_app.core.clock import database_clock, time_limit
from messages_app.incidents.listing import IncidentLine, incidents_ended_since, open_incidents
from messages_app.incidents.rates import Rate, read_rates
from messages_app.incidents.selectors import incidents_of_groups
from messages_app.jobs.kinds.registry import spec_of
from messages_app.jobs.models import Job
from messages_app.jobs.repairs import Repair, repairs_of_groups, repairs_since
from messages_app.jobs.schedules.selectors import FailedSchedule, failed_schedules
from messages_app.jobs.selectors import JobProgress, progress_of_jobs
from messages_app.messages.alerts.models import Alert
from messages_app.messages.alerts.selectors import alerts_since
from messages_app.messages.failures.listing import GroupLine, GroupQuery, find_groups
from messages_app.messages.failures.models import PRESSING_STATES, FailureGroup
from messages_app.messages.failures.selectors import (
    GroupOutcome,
    failed_since,
    outcomes_of_groups,
    pressing_since,
)
from messages_app.messages.funnels.lanes import Sketch
from messages_app.messages.funnels.selectors import long_held_lanes
from messages_app.messages.metrics.counts import InState, now_by_state
from messages_app.messages.metrics.failing import failing_now
from messages_app.notes.models import NoteKind
from messages_app.notes.selectors import ReadNote, notes_on
from messages_app.shared.job_states import ACTIVE_STATES, FINAL_STATES
from messages_app.shared.message_states import FINAL_STATES as FINAL_MESSAGE_STATES
from messages_app.shared.message_states import MessageAction

logger = logging.getLogger(__name__)

T = TypeVar("T")

MAX_JOBS = 200
# The newest failures of a shift, as many groups with failing messages, and its newest running jobs.
MAX_GROUPS, MAX_RUNNING = 30, 20
# The newest open incidents, and the last ones that ended.
MAX_INCIDENTS = 30
# The time for the funnels, and for the schedules.
_READ_MS = 500

# Actions on single messages, by their name in the audit log, in words.
BY_HAND = {
    MessageAction.RESTART: "restarted",
    MessageAction.CANCEL: "cancelled",
    "reprocess_stored": "reprocessed",
    "retry_now_stored": "retried",
}


@dataclass(frozen=True, kw_only=True)
class Watch:
    """
    Funnels and schedules that the next shift has to watch. Each is read apart from the other.

    Args:
        lanes: funnel values that messages wait for longer than they should, the longest wait first.
        schedules: schedules whose last run failed.
        unread: the names of lists that could not be read.
    """

    lanes: Sequence[Sketch] = ()
    schedules: Sequence[FailedSchedule] = ()
    unread: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class ShiftGroup:
    """
    A failure group of a shift, the current status of its messages, and the jobs that repaired them.

    Args:
        line: its failures over time, if messages of it are failing now.
    """

    group: FailureGroup
    outcome: GroupOutcome
    jobs: list[Job]
    line: GroupLine | None = None

    @property
    def failing_now(self) -> int:
        return self.line.failing_now if self.line else self.outcome.failed


@dataclass(frozen=True, kw_only=True)
class OpenIncident:
    """An open incident, how fast its failures come, and its groups with messages that are not repaired."""

    line: IncidentLine
    rate: Rate
    groups: Sequence[ShiftGroup] = ()


@dataclass(frozen=True, kw_only=True)
class Handover:
    """
    A shift: the time from a moment until now.

    Args:
        open_incidents: incidents that are open now, whenever they began: most failing rows first.
        has_more_incidents: whether further ones are open.
        ended_incidents: incidents that ended, the latest first.
        repairs: jobs that restarted, cancelled or reprocessed messages and ended.
        by_hand: actions on single messages, without a job.
        repaired: failure groups without messages that are still FAILED or in progress.
        loose_groups: failure groups with such messages, of any age, that belong to no open incident.
        more_groups: how many further groups have failing messages.
        ungrouped: failing messages that are in no group, or not yet.
        failing: all failing messages.
        groups: the groups that became new or regressed, repaired or not.
        running: jobs that have not ended.
        alerts: alerts that opened, or are still open.
        jobs: jobs that failed, or ended with messages that were not done.
        archive_runs: archive jobs that ended.
        oldest: the message that has waited longest now; None if none waits.
        watch: funnels and schedules that may need a person.
        notes: the notes on the shift itself, newest first.
    """

    since: datetime
    until: datetime
    open_incidents: list[OpenIncident] = field(default_factory=list)
    has_more_incidents: bool = False
    ended_incidents: list[IncidentLine] = field(default_factory=list)
    repairs: list[Repair] = field(default_factory=list)
    by_hand: ActsByHand
    repaired: list[ShiftGroup] = field(default_factory=list)
    loose_groups: list[ShiftGroup] = field(default_factory=list)
    more_groups: int = 0
    ungrouped: int = 0
    failing: int = 0
    groups: list[FailureGroup] = field(default_factory=list)
    running: list[JobProgress] = field(default_factory=list)
    alerts: list[Alert] = field(default_factory=list)
    jobs: list[JobProgress] = field(default_factory=list)
    archive_runs: list[JobProgress] = field(default_factory=list)
    oldest: InState | None = None
    watch: Watch = field(default_factory=Watch)
    notes: list[ReadNote] = field(default_factory=list)

    @property
    def open_groups(self) -> list[ShiftGroup]:
        """The groups with unrepaired messages: those of incidents first."""
        return [*(group for one in self.open_incidents for group in one.groups), *self.loose_groups]

    @property
    def opened_incidents(self) -> list[IncidentLine]:
        """The incidents whose failures began in the shift, the latest first, ended or not."""
        lines = [*(one.line for one in self.open_incidents), *self.ended_incidents]
        began = [line for line in lines if line.incident.began_at >= self.since]
        return sorted(began, key=lambda line: (line.incident.began_at, line.incident.pk), reverse=True)


def read_handover(since: datetime) -> Handover:
    now = database_clock()
    ended = Job.objects.filter(state__in=sorted(FINAL_STATES), finished_at__gte=since, dry_run=False)
    progress = progress_of_jobs(list(ended.order_by("-finished_at", "-job_id")[:MAX_JOBS]))
    waiting = [one for one in now_by_state(before=since).values() if one.state not in FINAL_MESSAGE_STATES]
    repairs = repairs_since(since)
    failing = failing_now()
    failing_groups = find_groups(
        failing, GroupQuery(is_failing=True, ordering="-failing_now", most=MAX_GROUPS)
    )
    shift_groups = _shift_groups(since, repairs, failing_groups.lines)
    lines = open_incidents(most=MAX_INCIDENTS + 1)
    incidents, loose = _gather_groups(lines[:MAX_INCIDENTS], _open_ones(shift_groups), now)
    return Handover(
        since=since,
        until=now,
        open_incidents=incidents,
        has_more_incidents=len(lines) > MAX_INCIDENTS,
        ended_incidents=incidents_ended_since(since, most=MAX_INCIDENTS),
        repairs=repairs,
        by_hand=acts_by_hand(since, actions=sorted(BY_HAND)),
        repaired=[one for one in shift_groups if one.outcome.is_repaired],
        loose_groups=loose,
        more_groups=failing_groups.open - len(failing_groups.lines),
        ungrouped=failing.ungrouped,
        failing=failing.count,
        groups=pressing_since(since),
        running=_running_jobs(),
        alerts=alerts_since(since),
        jobs=[one for one in progress if one.failed or one.job.error],
        archive_runs=[one for one in progress if spec_of(one.job.kind).frees_space],
        oldest=min(waiting, key=lambda one: one.since, default=None),
        watch=read_watch(),
        notes=notes_on(NoteKind.SHIFT, since=since),
    )


def _shift_groups(
    since: datetime, repairs: Iterable[Repair], failing: Iterable[GroupLine]
) -> list[ShiftGroup]:
    """Return the groups that failed since a moment, those with failing messages, and those of its jobs."""
    lines = {line.group.pk: line for line in failing}
    groups = {group.pk: group for group in failed_since(since, most=MAX_GROUPS)}
    groups |= {group_id: line.group for group_id, line in lines.items()}
    group_ids = {str(one.job.filter["failure_group"]) for one in repairs if "failure_group" in one.job.filter}
    groups |= FailureGroup.objects.in_bulk(int(group_id) for group_id in group_ids)
    outcomes, jobs = outcomes_of_groups(groups), repairs_of_groups(groups)
    return [
        ShiftGroup(
            group=group,
            outcome=outcomes[group_id],
            jobs=jobs.get(group_id, []),
            line=lines.get(group_id),
        )
        for group_id, group in groups.items()
    ]


def _open_ones(shift_groups: Iterable[ShiftGroup]) -> list[ShiftGroup]:
    """Return the groups with unrepaired messages: new and regressed first, then by number of messages."""
    unrepaired = [one for one in shift_groups if one.failing_now or one.outcome.in_progress]
    return sorted(
        unrepaired,
        key=lambda one: (one.group.state not in PRESSING_STATES, -one.failing_now, -one.group.pk),
    )


def _gather_groups(
    lines: Sequence[IncidentLine], groups: Sequence[ShiftGroup], now: datetime
) -> tuple[list[OpenIncident], list[ShiftGroup]]:
    """Return the incidents with their groups, and the other groups. A group is in its newest incident."""
    ids = {line.incident.pk for line in lines}
    incident_ids = incidents_of_groups([one.group.pk for one in groups]) if groups else {}
    places: Mapping[int, int | None] = {
        one.group.pk: next((each for each in incident_ids.get(one.group.pk, []) if each in ids), None)
        for one in groups
    }
    rates = read_rates([line.incident for line in lines], now=now)
    incidents = [
        OpenIncident(
            line=line,
            rate=rates[line.incident.pk],
            groups=[one for one in groups if places[one.group.pk] == line.incident.pk],
        )
        for line in lines
    ]
    return incidents, [one for one in groups if places[one.group.pk] is None]


def _running_jobs() -> list[JobProgress]:
    active = Job.objects.filter(state__in=sorted(ACTIVE_STATES), dry_run=False)
    return progress_of_jobs(list(active.order_by("-job_id")[:MAX_RUNNING]))


def read_watch() -> Watch:
    """Return what the next shift has to watch, as far as it can be read."""
    lanes, schedules = _read_watched("Funnels", long_held_lanes), _read_watched("Schedules", failed_schedules)
    unread = [name for name, rows in (("Funnels", lanes), ("Schedules", schedules)) if rows is None]
    return Watch(lanes=lanes or [], schedules=schedules or [], unread=unread)


def _read_watched(name: str, read: Callable[[], list[T]]) -> list[T] | None:
    """Return the rows; None if they cannot be read, such as without a right on a table of the hub."""
    try:
        with time_limit(_READ_MS):
            return read()
    except DatabaseError:
        logger.warning("%s could not be read for the handover.", name, exc_info=True)
        return None
