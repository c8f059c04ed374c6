"""Jobs as rows of the tables, for tests that show them; no worker has processed them."""

from django.contrib.auth.models import User

from messages_app.jobs.models import Job, JobChunk
from messages_app.shared.job_states import JobKind, JobState
from tests.support.ledgers import store_ledger


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
