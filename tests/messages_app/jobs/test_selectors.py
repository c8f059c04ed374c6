"""The sums of a job's ledger, and the lists of its chunks, among the rows of other jobs."""

import pytest
from django.db.models.functions import Now

from messages_app.jobs.exports import parts_of
from messages_app.jobs.models import Job, JobChunk
from messages_app.jobs.selectors import job_progress, progress_of_jobs

pytestmark = pytest.mark.django_db


def store_job(**columns: object) -> Job:
    return Job.objects.create(**{"kind": "archive_history", "state": "running", "reason": "r"} | columns)


def store_chunk(
    job: Job, chunk_no: int, *, planned: int, content: str = "messages", **columns: object
) -> None:
    JobChunk.objects.create(job_id=job.pk, chunk_no=chunk_no, content=content, planned=planned, **columns)


class TestProgressOfJobs:
    def test_sums_each_ledger_by_outcome_and_content(self):
        job, other, dry = store_job(), store_job(), store_job(dry_run=True, report={"planned": 7})
        store_chunk(job, 0, planned=10, outcomes={"done": 3, "skipped:locked": 2, "failed:uq_x": 1})
        store_chunk(job, 1, planned=20, outcomes={"done": 4, "skipped:moved_on": 5})
        store_chunk(job, 2, planned=40, content="orphan_requests", outcomes={"done": 30})
        store_chunk(job, 3, planned=80, content="orphan_responses", outcomes={"skipped:locked": 60})
        store_chunk(other, 0, planned=160, outcomes={"done": 100})
        store_chunk(dry, 0, planned=320, outcomes={"done": 200})

        second, first, third = progress_of_jobs([other, job, dry])

        assert (first.planned, first.done, first.skipped, first.failed, first.left) == (30, 7, 7, 1, 15)
        assert first.outcomes == [
            ("done", 7),
            ("failed:uq_x", 1),
            ("skipped:locked", 2),
            ("skipped:moved_on", 5),
        ]
        assert first.orphans == {
            "orphan_requests": {"planned": 40, "done": 30},
            "orphan_responses": {"planned": 80, "skipped:locked": 60},
        }
        assert (second.planned, second.done, second.orphans) == (160, 100, {})
        assert (third.planned, third.done, third.outcomes) == (7, 0, [])

    def test_sums_moved_rows_by_table(self):
        job, other = store_job(), store_job()
        store_chunk(job, 0, planned=1, moved={"message/2026-01": 3, "message/2026-02": 4, "request": 5})
        store_chunk(job, 1, planned=1, moved={"message/2026-01": 8, "external_call": 1})
        store_chunk(other, 0, planned=1, moved={"message": 100})
        assert list(job_progress(job.pk).moved.items()) == [
            ("external_call", 1),
            ("message", 15),
            ("request", 5),
        ]


class TestPartsOf:
    def test_are_in_the_order_of_the_file(self):
        job, other = store_job(kind="export"), store_job(kind="export")
        ended = {"committed_at": Now()}
        store_chunk(job, 2, planned=1, moved={"file/0-20": 20}, **ended)
        store_chunk(job, 0, planned=1, moved={"file/100-130": 30, "file/9-99": 90, "rows/0-9": 9}, **ended)
        store_chunk(other, 0, planned=1, moved={"file/0-5": 5}, **ended)
        assert parts_of(job) == [("9-99", 90), ("100-130", 30), ("0-20", 20)]
