"""The current status of one chunk, among rows of other chunks and jobs that miss one condition."""

from datetime import timedelta

import pytest
from django.db import connection
from django.db.models.functions import Now

from messages_app.jobs.models import Job, JobChunk, JobItem, JobRefusal
from messages_app.jobs.outcomes import TriedChunk, count_statuses, tried_chunks
from messages_app.message_store.models import MessageLine
from messages_app.messages.models import Message
from tests.messages_app.jobs.outcomes.test_current_status import archive_to_parquet
from tests.support.factories import make_archived_message, make_message, next_id
from tests.support.stores import define, store

pytestmark = pytest.mark.django_db


def store_job(kind: str = "restart") -> Job:
    return Job.objects.create(kind=kind, state="running", reason="r")


def store_chunk(job: Job, chunk_no: int, ids: list[int], **columns: object) -> JobChunk:
    for msg_id in ids:
        JobItem.objects.create(
            job_id=job.pk, chunk_no=chunk_no, msg_id=msg_id, root_msg_id=msg_id, old_state="FAILED"
        )
    columns = {"content": "messages", "planned": len(ids), "attempt": 1} | columns
    return JobChunk.objects.create(job_id=job.pk, chunk_no=chunk_no, **columns)


def refuse(job: Job, msg_id: int, outcome: str) -> None:
    JobRefusal.objects.create(
        job_id=job.pk, msg_id=msg_id, root_msg_id=msg_id, old_state="FAILED", outcome=outcome
    )


def statuses(job: Job, chunk_no: int, **how: int) -> list[tuple]:
    found = count_statuses(job, chunk_no, **how)
    return sorted((str(one.place), one.state or "", one.is_untouched, one.count) for one in found)


def version_of(msg_id: int) -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT xmin::text FROM message WHERE msg_id = %s", [msg_id])
        return cursor.fetchone()[0]


class TestCountStatuses:
    def test_is_of_the_tried_messages_of_one_chunk_of_one_job(self):
        job, other = store_job(), store_job()
        ids = [
            make_message(state=state).pk for state in ("OK", "OK", "POSTPONED", "FAILED", "WAITING", "NEW")
        ]
        ok, moved, postponed, failed, skipped, refused = ids
        archived = make_archived_message(state="CANCEL").pk
        gone, cold = next_id(), next_id()
        archive_to_parquet(cold, "FAILED")
        both = make_message(state="PROCESSING").pk
        make_archived_message(msg_id=both, state="OK"), archive_to_parquet(both, "OK")
        later = make_message(state="ON_HOLD").pk
        tried = [*ids, archived, gone, cold, both]
        store_chunk(job, 0, [*tried, later], done_through=both, versions=[version_of(ok), version_of(failed)])
        store_chunk(job, 1, [make_message(state="ON_HOLD").pk], committed_at=Now())
        store_chunk(other, 0, [make_message(state="ON_HOLD").pk], committed_at=Now(), versions=["1"])
        refuse(job, skipped, "skipped:locked"), refuse(job, refused, "failed:uq_x")
        refuse(other, ok, "skipped:locked"), refuse(other, postponed, "failed:uq_x")
        Message.objects.filter(pk=moved).update(custom_data="x")

        assert statuses(job, 0) == sorted(
            [
                ("live", "OK", True, 2),  # all rows of this test have one version
                ("live", "POSTPONED", True, 1),
                ("live", "FAILED", True, 1),
                ("live", "PROCESSING", True, 1),
                ("refused", "NEW", True, 1),
                ("archived", "CANCEL", False, 1),
                ("archived", "FAILED", False, 1),
                ("gone", "", False, 1),
            ]
        )
        JobChunk.objects.filter(job_id=job.pk).update(versions=["1"])
        assert ("live", "OK", False, 2) in statuses(job, 0)

    @pytest.mark.parametrize("end", [-1, 0, 1])
    def test_reads_an_open_chunk_up_to_its_last_message(self, end):
        job = store_job()
        ids = [make_message(state="OK").pk for _ in range(4)]
        store_chunk(job, 0, ids, done_through=ids[1] + end)
        assert statuses(job, 0) == [("live", "OK", False, 2 + end)]
        JobChunk.objects.update(committed_at=Now(), done_through=None)
        assert statuses(job, 0) == [("live", "OK", False, 4)]

    def test_samples_messages_by_their_hash(self):
        job = store_job()
        ids = [make_message(state="OK").pk for _ in range(20)]
        store_chunk(job, 0, ids, committed_at=Now())
        with connection.cursor() as cursor:
            cursor.execute("SELECT id FROM unnest(%s::bigint[]) AS id ORDER BY hashint8(id) LIMIT 3", [ids])
            sample = {row[0] for row in cursor}
        assert sample != set(ids[:3])
        Message.objects.filter(pk__in=sample).update(state="FAILED")
        assert statuses(job, 0, most=3) == [("live", "FAILED", False, 3)]

    def test_is_of_the_lines_of_the_message_store(self):
        define()
        states = (0, 1, 2, 3, 10, 20, 25, 26, 10, 10)
        numbers = []
        for place, status in enumerate(states):
            store([{"id": place}])
            line = MessageLine.objects.latest("number")
            MessageLine.objects.filter(pk=line.pk).update(status=status)
            numbers.append(line.number)
        job, other = store_job("reprocess"), store_job("reprocess")
        store_chunk(job, 0, [*numbers[:9], 10**9], done_through=numbers[7])
        JobItem.objects.filter(job_id=job.pk, msg_id=10**9).update(msg_id=-5)  # a line that is gone
        store_chunk(job, 1, [numbers[9]], committed_at=Now())
        store_chunk(other, 0, [numbers[9]], committed_at=Now())
        refuse(job, numbers[0], "skipped:locked"), refuse(job, numbers[1], "failed:uq_x")
        refuse(other, numbers[4], "failed:uq_x"), refuse(other, numbers[5], "skipped:locked")
        assert statuses(job, 0) == [
            ("gone", "", False, 1),
            ("live", "FAILED", False, 3),
            ("live", "OK", False, 1),
            ("live", "PROCESSING", False, 2),
            ("refused", "PROCESSING", False, 1),
        ]
        assert sum(count for *_, count in statuses(job, 0, most=2)) == 2


class TestTriedChunks:
    def test_are_the_started_chunks_of_messages_with_a_result_the_latest_first(self):
        job, other = store_job(), store_job()
        done = {"outcomes": {"done": 2, "failed:uq_x": 1, "skipped:locked": 4}}
        hour = timedelta(hours=1)
        store_chunk(job, 0, [], committed_at=Now() - 2 * hour, **done)
        store_chunk(job, 1, [], committed_at=Now() - hour, **done)
        store_chunk(job, 2, [], committed_at=Now() - 3 * hour, **done)
        store_chunk(job, 4, [], **done)
        store_chunk(job, 3, [], outcomes={"failed:too_slow": 1})
        store_chunk(job, 5, [], committed_at=Now(), outcomes={"skipped:locked": 4})
        store_chunk(job, 6, [], committed_at=Now(), **done, attempt=None)
        store_chunk(job, 7, [], committed_at=Now(), **done, content="orphan_requests")
        store_chunk(other, 8, [], committed_at=Now(), **done)
        tried = [(3, 1), (4, 3), (1, 3), (0, 3), (2, 3)]
        assert tried_chunks(job.pk) == [TriedChunk(chunk_no=number, tried=count) for number, count in tried]
