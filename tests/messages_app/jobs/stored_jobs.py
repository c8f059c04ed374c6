"""Jobs as rows of the tables, for tests that show them; no worker has processed them."""

from datetime import timedelta

from django.contrib.auth.models import User

from messages_app.core.clock import database_clock
from messages_app.jobs.leases import Lease
from messages_app.jobs.models import Job, JobChunk
from messages_app.shared.job_states import JobKind, JobState
from tests.support.ledgers import store_ledger

# The error for a creator who has lost the permission.
NO_RESTART = "Its creator ada no longer has the permission messages_app.restart_message."


def make_job(**columns: object) -> Job:
    defaults = {"kind": JobKind.ARCHIVE, "reason": "house-keeping", "created_by": "ada"}
    asked = defaults | {"options": {"older_than_months": 2}} | columns
    return Job.objects.create(**{"creator_id": user_id_of(asked["created_by"])} | asked)


def user_id_of(username: object) -> int | None:
    """Return the id of a user, or None."""
    return User.objects.filter(username=username).values_list("pk", flat=True).first()


def make_restart(**columns: object) -> Job:
    return make_job(**{"kind": JobKind.RESTART, "options": {}, "filter": {"state": "FAILED"}} | columns)


def make_half_done_job(**columns: object) -> Job:
    """
    Store a running job with messages 1 to 8: 1 and 2 are done, 3 is skipped, 4 has failed, the others are
    open.
    """
    job = make_job(**{"state": JobState.RUNNING, "attempt": 1} | columns)
    decided = {1: "done", 2: "done", 3: "skipped:moved_on", 4: "failed:uq_x"}
    store_ledger(job, decided | dict.fromkeys(range(5, 9)))
    JobChunk.objects.filter(job_id=job.pk, outcomes__done=2).update(
        attempt=1, moved={"message": 2, "request": 3}
    )
    return job


# The plan of `make_planned`: three messages to do.
_PLAN = {1: "skipped:in_job", 2: None, 3: None, 4: None}


def make_planned(state: str = "queued", **columns: object) -> Job:
    """Store a restart whose plan has three messages to do and one that it skips."""
    held = {"attempt": 2, "lease_until": database_clock() + timedelta(minutes=5)}
    defaults = {"kind": "restart", "reason": "r", "created_by": "ana", "chunk_count": 2}
    job = Job.objects.create(state=state, **defaults | held | columns)
    store_ledger(job, _PLAN)
    return job


def held_lease(job: Job) -> Lease:
    """Return the lease of the worker that has a job of `make_planned`."""
    return Lease(job_id=job.pk, attempt=2)
