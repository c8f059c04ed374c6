"""The handover of a shift: incidents, repairs and their authors, and open problems."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from messages_app.audit.selectors import ActsByHand, acts_by_hand
from messages_app.incidents.listing import IncidentLine, incidents_ended_since, open_incidents
from messages_app.jobs.kinds.registry import spec_of
from messages_app.jobs.models import Job
from messages_app.jobs.repairs import Repair, repairs_of_groups, repairs_since
from messages_app.jobs.selectors import JobProgress, progress_of_jobs
from messages_app.messages.alerts.models import Alert
from messages_app.messages.alerts.selectors import alerts_since
from messages_app.messages.failures.models import PRESSING_STATES, FailureGroup
from messages_app.messages.failures.selectors import (
    GroupOutcome,
    failed_since,
    outcomes_of_groups,
    pressing_since,
)
from messages_app.messages.metrics.counts import InState, now_by_state
from messages_app.notes.models import NoteKind
from messages_app.notes.selectors import ReadNote, notes_on
from messages_app.shared.job_states import ACTIVE_STATES, FINAL_STATES
from messages_app.shared.message_states import FINAL_STATES as FINAL_MESSAGE_STATES
from messages_app.shared.message_states import MessageAction

MAX_JOBS = 200
# The newest failures of a shift, and its newest running jobs.
MAX_GROUPS, MAX_RUNNING = 30, 20
# The newest open incidents, and the last ones that ended.
MAX_INCIDENTS = 30

# Actions on single messages, by their name in the audit log, in words.
BY_HAND = {
    MessageAction.RESTART: "restarted",
    MessageAction.CANCEL: "cancelled",
    "reprocess_stored": "reprocessed",
    "retry_now_stored": "retried",
}


@dataclass(frozen=True, kw_only=True)
class ShiftGroup:
    """A failure group of a shift, the current status of its messages, and the jobs that repaired them."""

    group: FailureGroup
    outcome: GroupOutcome
    jobs: list[Job]


@dataclass(frozen=True, kw_only=True)
class Handover:
    """
    A shift: the time since a moment.

    Args:
        open_incidents: incidents that are open now, whenever they began: most failing rows first.
        ended_incidents: incidents that ended, the latest first.
        repairs: jobs that restarted, cancelled or reprocessed messages and ended.
        by_hand: actions on single messages, without a job.
        repaired: failure groups without messages that are still FAILED or in progress.
        open_groups: failure groups with such messages, new and regressed groups first.
        groups: the groups that became new or regressed, repaired or not.
        running: jobs that have not ended.
        alerts: alerts that opened, or are still open.
        jobs: jobs that failed, or ended with messages that were not done.
        archive_runs: archive jobs that ended.
        oldest: the message that has waited longest now; None if none waits.
        notes: the notes on the shift itself, newest first.
    """

    since: datetime
    open_incidents: list[IncidentLine]
    ended_incidents: list[IncidentLine]
    repairs: list[Repair]
    by_hand: ActsByHand
    repaired: list[ShiftGroup]
    open_groups: list[ShiftGroup]
    groups: list[FailureGroup]
    running: list[JobProgress]
    alerts: list[Alert]
    jobs: list[JobProgress]
    archive_runs: list[JobProgress]
    oldest: InState | None
    notes: list[ReadNote] = field(default_factory=list)


def read_handover(since: datetime) -> Handover:
    ended = Job.objects.filter(state__in=sorted(FINAL_STATES), finished_at__gte=since, dry_run=False)
    progress = progress_of_jobs(list(ended.order_by("-finished_at", "-job_id")[:MAX_JOBS]))
    waiting = [one for one in now_by_state(before=since).values() if one.state not in FINAL_MESSAGE_STATES]
    repairs = repairs_since(since)
    shift_groups = _shift_groups(since, repairs)
    return Handover(
        since=since,
        open_incidents=open_incidents(most=MAX_INCIDENTS),
        ended_incidents=incidents_ended_since(since, most=MAX_INCIDENTS),
        repairs=repairs,
        by_hand=acts_by_hand(since, actions=sorted(BY_HAND)),
        repaired=[one for one in shift_groups if one.outcome.is_repaired],
        open_groups=_open_ones(shift_groups),
        groups=pressing_since(since),
        running=_running_jobs(),
        alerts=alerts_since(since),
        jobs=[one for one in progress if one.failed or one.job.error],
        archive_runs=[one for one in progress if spec_of(one.job.kind).frees_space],
        oldest=min(waiting, key=lambda one: one.since, default=None),
        notes=notes_on(NoteKind.SHIFT, since=since),
    )


def _shift_groups(since: datetime, repairs: Iterable[Repair]) -> list[ShiftGroup]:
    """Return the groups that failed since a moment, and the groups of its jobs."""
    groups = {group.pk: group for group in failed_since(since, most=MAX_GROUPS)}
    group_ids = {one.job.filter["failure_group"] for one in repairs if "failure_group" in one.job.filter}
    groups |= FailureGroup.objects.in_bulk(int(group_id) for group_id in group_ids)
    outcomes, jobs = outcomes_of_groups(groups), repairs_of_groups(groups)
    return [
        ShiftGroup(group=group, outcome=outcomes[group_id], jobs=jobs.get(group_id, []))
        for group_id, group in groups.items()
    ]


def _open_ones(shift_groups: Iterable[ShiftGroup]) -> list[ShiftGroup]:
    """Return the groups with unrepaired messages: new and regressed first, then by number of messages."""
    unrepaired = [one for one in shift_groups if one.outcome.total and not one.outcome.is_repaired]
    return sorted(
        unrepaired,
        key=lambda one: (one.group.state not in PRESSING_STATES, -one.outcome.failed, -one.group.pk),
    )


def _running_jobs() -> list[JobProgress]:
    active = Job.objects.filter(state__in=sorted(ACTIVE_STATES), dry_run=False)
    return progress_of_jobs(list(active.order_by("-job_id")[:MAX_RUNNING]))
