"""Plans, ends and counts of one attempt: it changes its own job and no other; without Spark."""

from datetime import timedelta

import pytest

from messages_app.core.clock import database_clock
from messages_app.jobs.engine import runner
from messages_app.jobs.engine.runner import DRIVERS
from messages_app.jobs.engine.watch import watch_jobs
from messages_app.jobs.leases import Lease
from messages_app.jobs.models import Job, JobChunk, JobItem, JobRefusal
from spark_tasks.contract import Fenced
from spark_tasks.storage.faults import StorageAway
from tests.support.ledgers import store_ledger

pytestmark = pytest.mark.django_db(transaction=True)

LEDGER = {1: "done", 2: "done", 3: "skipped:locked", 4: "failed:uq_x"}


def store_job(state: str = "running", **columns: object) -> Job:
    held = {"attempt": 3, "lease_until": database_clock() + timedelta(minutes=5)}
    defaults = {
        "kind": "cancel",
        "reason": "r",
        "created_by": "command line (ana)",
        "error": "old",
        "report": {"to_do": 9},
    }
    return Job.objects.create(state=state, **defaults | held | columns)


def held(job: Job) -> Lease:
    return Lease(job_id=job.pk, attempt=3)


def rows_of(job: Job) -> list[int]:
    """Return the numbers of chunks, items and refusals of a job."""
    return [model.objects.filter(job_id=job.pk).count() for model in (JobChunk, JobItem, JobRefusal)]


class TestFinish:
    def test_ends_a_job_with_the_sums_of_its_ledger(self):
        job = store_job()
        store_ledger(job, LEDGER)
        JobChunk.objects.filter(job_id=job.pk).update(moved={"message": 2})
        orphans = {"content": "orphan_requests", "planned": 5, "outcomes": {"done": 5}}
        JobChunk.objects.create(job_id=job.pk, chunk_no=7, **orphans)
        runner._finish_job(held(job), DRIVERS["cancel"])
        after = Job.objects.get(pk=job.pk)
        assert (after.state, after.error, after.lease_until) == ("done", "", None)
        assert after.finished_at is not None
        assert after.report == {
            "to_do": 9,
            "moved": {"message": 2},
            "orphans": {"orphan_requests": {"planned": 5, "done": 5}},
        }

    def test_fails_a_job_whose_ledger_does_not_add_up(self):
        job = store_job("stopping")
        store_ledger(job, LEDGER | {5: None, 6: None})
        runner._finish_job(held(job), DRIVERS["cancel"])
        after = Job.objects.get(pk=job.pk)
        assert (after.state, after.error) == ("failed", "Count mismatch: 2 messages have no outcome.")

    @pytest.mark.parametrize("change", [{"attempt": 4}, {"state": "paused"}, {"state": "queued"}])
    def test_changes_nothing_once_the_job_has_moved_on(self, change):
        job = store_job(**change)
        store_ledger(job, LEDGER)
        before = Job.objects.values().get(pk=job.pk)
        runner._finish_job(held(job), DRIVERS["cancel"])
        assert Job.objects.values().get(pk=job.pk) == before


class TestClearPlan:
    def test_removes_only_the_plan_of_the_job(self):
        job, other = store_job("planning"), store_job("planning")
        for one in (job, other):
            store_ledger(one, LEDGER)
        runner._clear_plan(held(job))
        assert (rows_of(job), rows_of(other)) == ([0, 0, 0], [1, 4, 2])

    @pytest.mark.parametrize("change", [{"attempt": 4}, {"attempt": 2}, {"state": "queued"}])
    def test_removes_nothing_for_an_overtaken_attempt(self, change):
        job = store_job(**{"state": "planning"} | change)
        store_ledger(job, LEDGER)
        with pytest.raises(Fenced, match=f"Job {job.pk} is not planned under attempt 3 any more."):
            runner._clear_plan(held(job))
        assert rows_of(job) == [1, 4, 2]


class TestHasGivenUp:
    @pytest.mark.parametrize(
        ("attempt", "chunk", "resumed", "has_given_up"),
        [(5, None, 0, False), (6, None, 0, True), (8, 3, 0, False), (9, 3, 0, True), (9, 3, 4, False)],
    )
    def test_after_attempts_without_progress_since_a_chunk_or_a_resume(
        self, settings, attempt, chunk, resumed, has_given_up
    ):
        settings.JOB_MAX_ATTEMPTS = 5
        job = store_job(attempt=attempt, resumed_attempt=resumed)
        store_ledger(job, LEDGER)
        JobChunk.objects.filter(job_id=job.pk).update(attempt=chunk)
        other = store_job(resumed_attempt=99)
        store_ledger(other, LEDGER)
        JobChunk.objects.filter(job_id=other.pk).update(attempt=99)
        assert runner._has_given_up(Lease(job_id=job.pk, attempt=attempt)) is has_given_up


class TestEndAttempt:
    @pytest.mark.parametrize(
        ("error", "state", "has_trace"),
        [
            (StorageAway("s3://hub asks to wait: 503."), "paused", False),
            (ValueError("a fault"), "running", True),
        ],
    )
    def test_logs_a_trace_unless_the_fault_passes(self, caplog, error, state, has_trace):
        job = store_job()
        try:
            raise error
        except Exception as raised:
            runner._end_attempt(held(job), raised)
        job.refresh_from_db()
        assert (job.state, "a fault" in job.error) == (state, has_trace)
        (record,) = [one for one in caplog.records if f"Job {job.pk}" in one.getMessage()]
        assert (record.exc_info is not None) is has_trace
        assert has_trace or "asks to wait: 503." in record.getMessage()


class TestGiveBack:
    @pytest.mark.parametrize("state", ["paused", "queued", "running"])
    def test_releases_the_job_without_an_error(self, state):
        job, other = store_job(state), store_job(state)
        runner._give_back(held(job))
        found = Job.objects.get(pk=job.pk)
        assert (found.state, found.lease_until, found.error) == (state, None, "")
        assert Job.objects.get(pk=other.pk).lease_until is not None


class TestShort:
    @pytest.mark.parametrize(
        ("text", "short"),
        [("first\nsecond", "first"), ("\n x ", "x"), ("", "ValueError"), ("y" * 2001, "y" * 2000)],
    )
    def test_is_the_first_line_or_the_kind_of_error(self, text, short):
        assert runner._shorten_error(ValueError(text)) == short


class TestWatch:
    def test_ends_stopping_jobs_that_no_worker_has(self):
        now = database_clock()
        for state, lease_until, ends in (
            ("stopping", now - timedelta(seconds=1), True),
            ("stopping", None, True),
            ("stopping", now + timedelta(minutes=5), False),
            ("running", now - timedelta(seconds=1), False),
            ("paused", None, False),
        ):
            job = store_job(state, lease_until=lease_until)
            store_ledger(job, {1: "done", 2: None})
            watch_jobs()
            after = Job.objects.get(pk=job.pk)
            assert after.state == ("stopped" if ends else state)
            assert after.error == "old"
            refused = JobRefusal.objects.filter(job_id=job.pk).values_list("msg_id", "outcome")
            assert list(refused) == ([(2, "skipped:stopped")] if ends else [])
