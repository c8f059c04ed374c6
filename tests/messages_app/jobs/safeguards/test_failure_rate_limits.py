"""Stops of jobs by the console, at the last allowed number of failures and at the next one; without Spark."""

import pytest

from messages_app.jobs.models import Job, JobChunk
from messages_app.jobs.safeguards import failure_rate
from messages_app.jobs.safeguards.failure_rate import Tried, count_recent, look_at
from messages_app.shared.job_states import JobState
from tests.support.audit_entries import audit_rows, by_system
from tests.support.factories import make_message
from tests.support.ledgers import store_decided_chunk

pytestmark = pytest.mark.django_db


def store_job(kind: str = "restart", limit: float | None = 0.5, **columns: object) -> Job:
    options = {} if limit is None else {"stop_at_failure_rate": limit}
    columns = {"state": "running", "attempt": 2, "report": {"to_do": 9}} | columns
    return Job.objects.create(kind=kind, options=options, reason="r", created_by="ada", **columns)


def store_chunk(
    job: Job, chunk_no: int, *, ok: int = 0, failed: int = 0, open: int = 0, refused: int = 0
) -> None:
    """Store a chunk of messages by their current status; refused ones have failed in the job."""
    states = ["OK"] * ok + ["FAILED"] * failed + ["PROCESSING"] * open + ["CANCEL"] * refused
    ids = [make_message(state=state).pk for state in states]
    outcomes = {
        msg_id: "failed:uq_x" if state == "CANCEL" else "done"
        for msg_id, state in zip(ids, states, strict=True)
    }
    store_decided_chunk(job, chunk_no, outcomes)
    JobChunk.objects.filter(job_id=job.pk, chunk_no=chunk_no).update(attempt=1)


class TestLookAt:
    @pytest.mark.parametrize(
        ("limit", "counts", "is_stopped"),
        [
            (0.5, {"ok": 10, "failed": 10}, False),
            (0.5, {"ok": 9, "failed": 11}, True),
            (0.5, {"ok": 9, "failed": 10, "refused": 1}, True),
            (0.5, {"failed": 19}, False),
            (0.5, {"failed": 19, "open": 5}, False),
            (0.5, {"failed": 20}, True),
            (0.0, {"ok": 20}, False),
            (0.0, {"ok": 19, "failed": 1}, True),
            (1.0, {"failed": 25}, False),
            (None, {"failed": 25}, False),
        ],
    )
    def test_stops_a_job_with_more_failures_than_its_limit(self, limit, counts, is_stopped):
        job = store_job(limit=limit)
        store_chunk(job, 0, **counts)
        other = store_job(limit=limit)
        store_chunk(other, 0, failed=1)
        look_at(job)
        assert Job.objects.get(pk=other.pk).state == JobState.RUNNING
        after = Job.objects.get(pk=job.pk)
        assert after.state == ("stopping" if is_stopped else "running")
        if not is_stopped:
            assert (audit_rows(), after.report, after.error) == ([], {"to_do": 9}, "")

    def test_records_the_figures_and_the_reason(self):
        job = store_job(limit=0.25)
        store_chunk(job, 0, ok=15, failed=6, refused=3, open=7)
        look_at(job)
        after = Job.objects.get(pk=job.pk)
        error = "9 of the last 24 messages failed, more than 25 %."
        figures = {"failure_rate": {"tried": 24, "failed": 9, "limit": 0.25}}
        assert (after.state, after.error, after.report) == ("stopping", error, {"to_do": 9, **figures})
        states = {"before_state": "running", "after_state": "stopping"}
        assert audit_rows() == [by_system("stop_job", job_id=job.pk, reason=error, details=figures, **states)]

    @pytest.mark.parametrize("change", [{"state": "paused"}, {"attempt": 3}])
    def test_leaves_a_job_that_has_moved_on_meanwhile(self, change):
        job = store_job()
        store_chunk(job, 0, failed=20)
        Job.objects.filter(pk=job.pk).update(**change)
        look_at(job)
        assert (Job.objects.get(pk=job.pk).error, audit_rows()) == ("", [])


class TestRecent:
    @pytest.mark.parametrize(
        ("kind", "tried"),
        [("restart", Tried(tried=6, failed=5)), ("cancel", Tried(tried=13, failed=3))],
    )
    def test_counts_by_the_kind_of_the_job(self, kind, tried):
        job = store_job(kind)
        store_chunk(job, 0, ok=1, failed=2, refused=3, open=7)
        assert count_recent(job) == tried

    def test_reads_the_newest_chunks_in_growing_steps_until_there_are_enough(self, monkeypatch):
        job = store_job()
        for chunk_no in range(6):
            store_chunk(job, chunk_no, failed=1, ok=chunk_no)
        # The newest chunk is the one with the largest number, here: 5, 4, 3 and 1 are read.
        newest_first = JobChunk.objects.filter(job_id=job.pk).order_by("-committed_at")
        assert [chunk.chunk_no for chunk in newest_first] == [5, 4, 3, 2, 1, 0]
        assert count_recent(job) == Tried(tried=6 + 5 + 4 + 2, failed=4)
        monkeypatch.setattr(failure_rate, "_ENOUGH", 11)
        assert count_recent(job) == Tried(tried=6 + 5, failed=2)
        monkeypatch.setattr(failure_rate, "_ENOUGH", 12)
        assert count_recent(job) == Tried(tried=6 + 5 + 4, failed=3)

    @pytest.mark.parametrize(
        ("length", "steps"), [(0, []), (1, [0]), (2, [0, 1]), (3, [0, 1, 2]), (17, [0, 1, 2, 4, 8, 16])]
    )
    def test_steps_double(self, length, steps):
        assert list(failure_rate._iterate_steps(length)) == steps
