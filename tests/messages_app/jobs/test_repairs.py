"""The jobs that repaired messages, by time and by failure group, among jobs that each miss one condition."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from messages_app.jobs import repairs
from messages_app.jobs.models import Job, JobChunk
from messages_app.jobs.repairs import repairs_of_groups, repairs_since
from messages_app.messages.failures.models import FailureMember
from tests.support.ledgers import store_decided_chunk, store_ledger
from tests.support.transaction_time import transaction_time

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)
GROUP, OTHER = 7, 8


def store_job(ledger: dict[int, str | None], *, open_chunk: bool = False, **columns: object) -> Job:
    """Store a restart that ended, whose set was frozen now."""
    asked = {"kind": "restart", "state": "done", "reason": "r", "watermark": transaction_time()} | columns
    job = Job.objects.create(**asked)
    if open_chunk:
        store_ledger(job, ledger)
    else:
        store_decided_chunk(job, 0, {msg_id: outcome or "done" for msg_id, outcome in ledger.items()})
    return job


def join(msg_id: int, group_id: int = GROUP, *, after: timedelta = -MINUTE) -> None:
    FailureMember.objects.create(msg_id=msg_id, group_id=group_id, at=transaction_time() + after)


def jobs_of(*groups: int) -> dict[int, list[int]]:
    return {group: [job.pk for job in jobs] for group, jobs in repairs_of_groups(groups).items()}


class TestRepairsOfGroups:
    def test_are_the_jobs_that_did_or_failed_messages_after_their_failure(self, monkeypatch):
        monkeypatch.setattr(repairs, "_JOBS", 20)
        join(1), join(2, OTHER), join(3, after=timedelta(0)), join(4, after=MINUTE)
        first = store_job({1: "done"})
        second = store_job({1: "done", 2: "done"})
        exactly = store_job({3: "done"})
        store_job({4: "done"})  # the message failed after it
        store_job({1: "done"}, kind="export")
        store_job({1: "skipped:locked", 3: "failed:uq_x"})
        store_job({1: None}, open_chunk=True)
        started = store_job({1: None, 9: None}, open_chunk=True)
        JobChunk.objects.filter(job_id=started.pk).update(done_through=1)
        before = store_job({1: None, 9: None}, open_chunk=True)
        JobChunk.objects.filter(job_id=before.pk).update(done_through=0)
        store_decided_chunk(before, 5, {9_000: "done"})  # another chunk of the same job
        assert jobs_of(GROUP, OTHER, 99) == {
            GROUP: [started.pk, exactly.pk, second.pk, first.pk],
            OTHER: [second.pk],
        }
        assert jobs_of(OTHER) == {OTHER: [second.pk]}

    def test_are_of_the_messages_of_the_hub(self):
        join(1)
        store_job({1: "done"}, kind="reprocess")  # of a message of the store that has this number
        cancel = store_job({1: "done"}, kind="cancel")
        assert jobs_of(GROUP) == {GROUP: [cancel.pk]}

    def test_are_read_from_a_hundred_messages_and_five_jobs_of_each(self):
        for msg_id in range(1, 102):
            join(msg_id)
        store_job({1: "done"})
        jobs = [store_job({2: "done"}).pk for _ in range(6)]
        assert jobs_of(GROUP) == {GROUP: jobs[:0:-1]}

    def test_are_read_from_the_newest_messages_and_their_newest_jobs(self, monkeypatch):
        monkeypatch.setattr(repairs, "_MESSAGES", 2)
        monkeypatch.setattr(repairs, "_JOBS", 2)
        for msg_id in (1, 2, 3):
            join(msg_id)
        store_job({1: "done"})
        jobs = [store_job({3: "done"}).pk for _ in range(3)]
        other = store_job({2: "done"}).pk
        assert jobs_of(GROUP) == {GROUP: [other, jobs[2], jobs[1]]}


class TestRepairsSince:
    def test_are_the_repairing_jobs_that_ended_since_then_the_latest_first(self):
        moment = transaction_time()
        ended = {"finished_at": moment + MINUTE}
        late = store_job({1: "done"}, finished_at=moment + 2 * MINUTE)
        store_job({9: "skipped:locked"}, **ended)
        tied = [store_job({number: "done"}, **ended).pk for number in (2, 3)]
        exactly = store_job({4: "done"}, state="stopped", finished_at=moment)
        store_job({5: "done"}, finished_at=moment - MINUTE)
        store_job({6: "done"}, state="stopping", **ended)
        store_job({7: "done"}, kind="export", **ended)
        store_job({8: "done"}, dry_run=True, **ended)
        order = [late.pk, tied[1], tied[0], exactly.pk]
        assert [repair.job.pk for repair in repairs_since(moment)] == order
        assert [repair.job.pk for repair in repairs_since(moment, most=2)] == order[:2]

    def test_show_how_many_messages_are_repaired(self):
        job = store_job({1: "done", 2: "done", 3: "failed:uq_x"}, finished_at=Now())
        JobChunk.objects.filter(job_id=job.pk).update(attempt=1)
        (repair,) = repairs_since(transaction_time() - MINUTE)
        assert (repair.progress.done, repair.progress.failed) == (2, 1)
        assert (repair.status.done, repair.status.gone) == (2, 2)
