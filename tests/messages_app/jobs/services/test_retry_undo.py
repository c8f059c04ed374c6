"""Jobs that follow another job: the allowed ones, and their stored rows."""

import datetime as dt

import pytest
from django.db import connection
from django.utils import timezone

from messages_app.audit.models import AuditEntry
from messages_app.jobs.errors import AlreadyRunning, JobConflict, JobNotFound, NotAllowed
from messages_app.jobs.models import Job
from messages_app.jobs.services.retry_undo import retry_failed, undo_deadline, undo_job
from messages_app.shared.job_states import ACTIVE_STATES, FINAL_STATES, JobState
from tests.support.factories import make_user
from tests.support.jobs import ANA, WHY
from tests.support.ledgers import store_ledger
from tests.support.threads import in_threads


def ended_job(kind: str = "cancel", *, hours: float = 1, outcome: str = "done", **columns: object) -> Job:
    """Store a job that ended `hours` ago, with one message with this outcome."""
    columns = {"finished_at": timezone.now() - dt.timedelta(hours=hours), "state": "done"} | columns
    job = Job.objects.create(kind=kind, reason="test", **columns)
    store_ledger(job, {1: outcome})
    return job


@pytest.mark.django_db
class TestUndoJob:
    @pytest.mark.parametrize(("kind", "undone_by"), [("cancel", "cancel"), ("archive", "restore")])
    @pytest.mark.parametrize("state", sorted(FINAL_STATES))
    def test_makes_a_job_and_names_both_in_the_audit(self, kind, undone_by, state):
        origin = ended_job(kind, state=state)

        job = undo_job(job_id=origin.pk, **WHY)

        assert (job.kind, job.undo_of, job.filter, job.state) == (undone_by, origin.pk, {}, JobState.PLANNING)
        entry = AuditEntry.objects.get(job_id=job.pk)
        assert (entry.action, entry.actor, entry.details["undo_of"]) == ("undo_job", ANA.username, origin.pk)

    @pytest.mark.parametrize("state", sorted(ACTIVE_STATES))
    def test_refuses_a_job_that_has_not_ended(self, state):
        origin = ended_job(state=state, finished_at=None)

        with pytest.raises(JobConflict, match="once it has ended") as refused:
            undo_job(job_id=origin.pk, **WHY)
        assert refused.value.current_state == state

    @pytest.mark.parametrize("kind", ["restart", "restore", "export"])
    def test_refuses_a_kind_that_cannot_be_undone(self, kind):
        with pytest.raises(JobConflict, match="only archive and cancel jobs"):
            undo_job(job_id=ended_job(kind).pk, **WHY)

    def test_refuses_past_its_hours_by_the_clock_of_the_database(self, settings):
        origin = ended_job(hours=settings.JOB_UNDO_HOURS + 0.01)

        with pytest.raises(JobConflict, match="could be undone until"):
            undo_job(job_id=origin.pk, **WHY)

    def test_refuses_a_job_that_did_nothing_and_an_undo(self):
        with pytest.raises(JobConflict, match=r"changed nothing|made no changes"):
            undo_job(job_id=ended_job(outcome="skipped:locked").pk, **WHY)
        with pytest.raises(JobConflict, match="cannot be undone"):
            undo_job(job_id=ended_job(undo_of=5).pk, **WHY)

    def test_rejects_any_other_job(self):
        with pytest.raises(JobNotFound):
            undo_job(job_id=12, **WHY)


@pytest.mark.django_db(transaction=True)
class TestUndoOfOneJob:
    def test_is_made_only_once_at_a_time(self):
        origin = ended_job()

        answers = in_threads(*(lambda: undo_job(job_id=origin.pk, **WHY) for _ in range(4)))

        [made] = [answer for answer in answers if isinstance(answer, Job)]
        refused = [answer for answer in answers if isinstance(answer, AlreadyRunning)]
        assert [answer.job_id for answer in refused] == [made.pk] * 3
        Job.objects.filter(pk=made.pk).update(state="stopped", finished_at=timezone.now())
        assert undo_job(job_id=origin.pk, **WHY).pk != made.pk


@pytest.mark.django_db
class TestUndoDeadline:
    def test_is_hours_after_the_end(self, settings):
        origin = ended_job(hours=1)

        deadline = undo_deadline(origin)

        assert deadline.until - origin.finished_at == dt.timedelta(hours=settings.JOB_UNDO_HOURS)
        assert not deadline.is_over

    def test_is_missing_if_there_is_no_undo(self):
        assert undo_deadline(ended_job("restart")) is None
        assert undo_deadline(ended_job(state="running", finished_at=None)) is None


@pytest.mark.django_db
class TestRetryFailed:
    def test_makes_a_job_of_the_same_kind_filter_and_options(self):
        origin = ended_job(
            "restart", outcome="failed:x", filter={"state": "FAILED"}, options={"total": True, "rate": 5.0}
        )

        job = retry_failed(job_id=origin.pk, **WHY)

        assert (job.kind, job.retry_of, job.filter) == ("restart", origin.pk, {"state": "FAILED"})
        assert (job.options, job.rate) == ({"total": True, "rate": 5.0}, 5.0)
        entry = AuditEntry.objects.get(job_id=job.pk)
        assert (entry.action, entry.details["retry_of"]) == ("retry_failed", origin.pk)

    def test_of_an_undo_is_an_undo_too(self):
        origin = ended_job(outcome="failed:x", undo_of=5)

        job = retry_failed(job_id=origin.pk, **WHY)

        assert (job.undo_of, job.retry_of) == (5, origin.pk)

    def test_refuses_if_nothing_failed(self):
        with pytest.raises(JobConflict, match="No messages failed"):
            retry_failed(job_id=ended_job("restart").pk, **WHY)

    def test_refuses_a_job_that_has_not_ended(self):
        origin = ended_job("restart", outcome="failed:x", state="running", finished_at=None)

        with pytest.raises(JobConflict, match="once it has ended"):
            retry_failed(job_id=origin.pk, **WHY)

    def test_refuses_a_kind_that_is_defined_twice(self):
        with pytest.raises(JobConflict, match="start a new job"):
            retry_failed(job_id=ended_job("export", outcome="failed:x").pk, **WHY)

    def test_of_an_archive_job_is_refused_while_another_one_runs(self):
        origin = ended_job("archive", outcome="failed:x", options={"older_than_months": 2})
        running = Job.objects.create(kind="archive", reason="test", state="running")

        with pytest.raises(AlreadyRunning) as refused:
            retry_failed(job_id=origin.pk, **WHY)
        assert refused.value.job_id == running.pk

    def test_of_an_archive_job_has_the_age_limit_of_its_own_moment(self):
        origin = ended_job("archive", outcome="failed:x", options={"older_than_months": 2, "to": "parquet"})

        job = retry_failed(job_id=origin.pk, **WHY)

        assert (job.kind, job.options) == ("archive", {"older_than_months": 2, "to": "parquet"})
        assert dt.timedelta(days=58) < job.watermark - job.cutoff < dt.timedelta(days=63)

    def test_of_a_restore_of_an_undo_is_an_undo_too(self):
        origin = ended_job("restore", outcome="failed:archive_file_unreadable", undo_of=5)

        job = retry_failed(job_id=origin.pk, **WHY)

        assert (job.kind, job.undo_of, job.retry_of) == ("restore", 5, origin.pk)

    def test_refuses_users_who_may_not_make_such_a_job(self):
        with pytest.raises(NotAllowed):
            retry_failed(job_id=ended_job("restart", outcome="failed:x").pk, user=make_user("support"), **WHY)


@pytest.mark.django_db
class TestLedgerOfAnUndo:
    def test_is_read_by_its_keys(self):
        origin = ended_job()
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off")  # the ledger is small here
            cursor.execute(
                "EXPLAIN SELECT * FROM job_ledger WHERE job_id = %s ORDER BY chunk_no, msg_id LIMIT 50",
                [origin.pk],
            )
            plan = "\n".join(row[0] for row in cursor)
        assert "Seq Scan on job_item" not in plan


@pytest.mark.django_db
def test_a_retry_of_an_undo_names_the_job_that_undoes_the_same_job():
    origin = ended_job("cancel")
    undo = ended_job("cancel", undo_of=origin.pk, outcome="failed:no_change")
    running = Job.objects.create(kind="cancel", state="running", undo_of=origin.pk, reason="test")
    with pytest.raises(AlreadyRunning) as refused:
        retry_failed(job_id=undo.pk, **WHY)
    assert str(refused.value) == f"Job {running.pk} is already undoing job {origin.pk}."
    assert refused.value.job_id == running.pk
