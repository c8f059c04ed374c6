"""What happened since a time: for who begins a shift. Source: research/consoles.md (c) 15."""

from dataclasses import dataclass
from datetime import datetime

from messages_app.jobs.models import Job
from messages_app.jobs.queries import JobProgress, progress_of_jobs
from messages_app.jobs.states import FINAL_STATES, JobKind
from messages_app.messages.failing.models import FailureGroup
from messages_app.messages.failing.queries import pressing_since
from messages_app.messages.rollups.queries import InState, now_by_state
from messages_app.messages.states import FINAL_STATES as FINAL_MESSAGE_STATES
from messages_app.messages.watching.models import Alert
from messages_app.messages.watching.queries import alerts_since

MOST_JOBS = 200


@dataclass(frozen=True, kw_only=True)
class Handover:
    """
    Since a time.

    Args:
        groups: of failures, that became new or regressed.
        alerts: that opened, or are open still.
        jobs: that ended and left something undone, or failed.
        archive_runs: archive jobs that ended.
        oldest: what waits longest now; None where nothing waits.
    """

    since: datetime
    groups: list[FailureGroup]
    alerts: list[Alert]
    jobs: list[JobProgress]
    archive_runs: list[JobProgress]
    oldest: InState | None


def handover(since: datetime) -> Handover:
    ended = Job.objects.filter(state__in=sorted(FINAL_STATES), finished_at__gte=since, dry_run=False)
    progress = progress_of_jobs(list(ended.order_by("-job_id")[:MOST_JOBS]))
    waiting = [one for one in now_by_state(before=since).values() if one.state not in FINAL_MESSAGE_STATES]
    return Handover(
        since=since,
        groups=pressing_since(since),
        alerts=alerts_since(since),
        jobs=[one for one in progress if one.failed or one.job.error],
        archive_runs=[one for one in progress if one.job.kind == JobKind.ARCHIVE],
        oldest=min(waiting, key=lambda one: one.since, default=None),
    )
