"""The rows of statements of executors, in worlds whose rows each miss one condition."""

from datetime import timedelta

import pytest
from django.db import connection
from django.db.models.functions import Now
from psycopg.types.json import Jsonb

from messages_app.jobs.models import Job, JobChunk, JobItem, JobRefusal
from messages_app.messages.models import Message
from messages_app.shared.sql_files import SqlFiles
from tests.messages_app.jobs.outcomes.test_current_status import archive_to_parquet
from tests.support.factories import NOON, make_archived_message, make_message, make_request, make_response

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)
ACTIVE = ["queued", "running"]


def run(name: str, **values: object) -> list[tuple]:
    """Run a statement of executors and return its rows; without rows, the number of changed ones."""
    with connection.cursor() as cursor:
        cursor.execute(SqlFiles("spark_tasks").read_text(name), values)
        return [(cursor.rowcount,)] if cursor.description is None else cursor.fetchall()


def ids(name: str, **values: object) -> list[object]:
    return sorted(row[0] for row in run(name, **values))


def store_job(kind: str = "restart", state: str = "running", **columns: object) -> int:
    return Job.objects.create(kind=kind, state=state, reason="r", created_by="ada", attempt=2, **columns).pk


def store_chunk(job_id: int, chunk_no: int, msg_ids: tuple[int, ...], **columns: object) -> None:
    JobChunk.objects.create(
        job_id=job_id, chunk_no=chunk_no, content="messages", planned=len(msg_ids), **columns
    )
    for msg_id in msg_ids:
        item = {"job_id": job_id, "msg_id": msg_id, "root_msg_id": msg_id + 100, "old_state": "FAILED"}
        JobItem.objects.create(chunk_no=chunk_no, **item)


def refuse(job_id: int, msg_id: int) -> None:
    item = {"job_id": job_id, "msg_id": msg_id, "root_msg_id": msg_id, "old_state": "FAILED"}
    JobRefusal.objects.create(outcome="skipped:locked", **item)


def chunk(job_id: int, chunk_no: int) -> JobChunk:
    return JobChunk.objects.get(job_id=job_id, chunk_no=chunk_no)


def versions() -> set[str]:
    """Return the versions of all messages: one, because a test is one transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT xmin::text FROM message")
        return {row[0] for row in cursor}


class TestJobs:
    def test_rivals_are_other_active_jobs_of_these_kinds_that_are_not_previews(self):
        job, rival = store_job(), store_job(state="queued")
        store_job("export"), store_job(state="done"), store_job(dry_run=True)
        assert ids("active_jobs_of", kinds=["restart"], active_states=ACTIVE) == [job, rival]
        rivals = {"rivals": ["restart"], "active_states": ACTIVE}
        assert ids("other_active_jobs", job_id=job, **rivals) == [rival]

    def test_a_job_is_current_for_one_attempt_in_one_state(self):
        job = store_job(rate=5.0)
        store_job(rate=7.0)
        assert run("is_current", job_id=job, attempt=2, state="running") == [(5.0,)]
        assert run("is_current", job_id=job, attempt=1, state="running") == []
        assert run("is_current", job_id=job, attempt=2, state="queued") == []

    def test_a_slice_is_booked_after_the_last_one_by_the_attempt_that_has_the_job(self):
        job, other = store_job(rate=2.0), store_job(rate=2.0)
        slices = {"job_id": job, "state": "running", "messages": 20}
        assert run("book_slice", attempt=1, **slices) == []
        assert run("book_slice", attempt=2, **slices | {"state": "queued"}) == []
        (first,), (second,) = (run("book_slice", attempt=2, **slices) for _ in range(2))
        assert (first, second) == ((2.0, 0.0), (2.0, pytest.approx(10, abs=2)))
        assert Job.objects.get(pk=other).paced_until is None
        Job.objects.filter(pk=job).update(rate=None)
        assert run("book_slice", attempt=2, **slices) == [(None, 0.0)]
        assert Job.objects.get(pk=job).paced_until is None


class TestChunks:
    @pytest.fixture
    def job(self) -> int:
        job, other = store_job(), store_job()
        store_chunk(job, 0, (6, 5, 4, 3, 2, 1), outcomes={"done": 2, "skipped:locked": 1}, done_through=1)
        store_chunk(job, 1, (7,), outcomes={"skipped:locked": 1})
        store_chunk(job, 2, (), outcomes={"done": 1}, committed_at=Now())
        store_chunk(other, 0, (8, 3), outcomes={"done": 2})
        refuse(job, 2), refuse(other, 3)
        return job

    @pytest.mark.parametrize(("done_through", "items"), [(None, [1, 3, 4, 5, 6]), (3, [4, 5, 6]), (6, [])])
    def test_open_items_follow_the_last_done_one_and_are_not_refused(self, job, done_through, items):
        found = run("chunk_items", job_id=job, chunk_no=0, done_through=done_through)
        assert found == [(msg_id, msg_id + 100, "FAILED") for msg_id in items]

    def test_chunks_are_those_of_the_job(self, job):
        assert run("done_chunks", job_id=job) == [(0,), (2,)]
        for first, end, count in ((0, 3, 3), (1, 3, 2), (0, 2, 2), (1, 1, 0)):
            assert run("part_chunks", job_id=job, first_no=first, end_no=end) == [(count,)]
        assert run("lock_chunk", job_id=job, chunk_no=0) == [("messages", 6, 3, None, 1, False)]
        assert run("lock_chunk", job_id=job, chunk_no=2) == [("messages", 0, 1, None, None, True)]

    def test_messages_of_jobs_exclude_refused_ones(self, job):
        other = Job.objects.exclude(pk=job).get().pk
        asked = {"ids": [1, 2, 3, 8, 9]}
        assert ids("items_of_jobs", job_ids=[job, other], **asked) == [1, 3, 8]
        assert ids("items_of_jobs", job_ids=[other], **asked) == [8]

    def test_slices_are_added_up_until_the_chunk_is_committed(self, job):
        values = {"job_id": job, "chunk_no": 0, "attempt": 2, "new_state": "OK"}
        first = {"outcomes": Jsonb({"done": 3}), "moved": Jsonb({"a": 1}), "versions": Jsonb(["7"])}
        last = {
            "outcomes": Jsonb({"done": 1, "failed:x": 4}),
            "moved": Jsonb({"a": 2, "b": 5}),
            "versions": Jsonb(["9"]),
        }
        assert run("commit_slice", done_through=4, **first, **values) == [(1,)]
        open_chunk = chunk(job, 0)
        assert (open_chunk.done_through, open_chunk.committed_at) == (4, None)
        assert run("commit_slice", done_through=None, **last, **values) == [(1,)]
        done = chunk(job, 0)
        assert done.outcomes == {"done": 6, "skipped:locked": 1, "failed:x": 4}
        assert (done.moved, done.versions, done.new_state) == ({"a": 3, "b": 5}, ["7", "9"], "OK")
        assert (done.attempt, done.done_through, done.began_at) == (2, None, open_chunk.began_at)
        assert done.committed_at is not None
        assert run("commit_slice", done_through=None, **last, **values) == [(0,)]
        assert chunk(job, 1).outcomes == {"skipped:locked": 1}
        assert JobChunk.objects.exclude(job_id=job).get().outcomes == {"done": 2}


class TestMessages:
    def test_final_ones_are_those_of_the_range_of_times_and_ids(self):
        times = {
            "start": NOON,
            "before": NOON - MINUTE / 60,
            "last": NOON + MINUTE * 59 / 60,
            "end": NOON + MINUTE,
        }
        named = {name: make_message(state="OK", receive_timestamp=at).pk for name, at in times.items()}
        named["changed"] = make_message(
            state="OK", last_process_timestamp=NOON, receive_timestamp=NOON - MINUTE
        ).pk
        named["moved"] = make_message(
            state="OK", last_process_timestamp=NOON - MINUTE, receive_timestamp=NOON
        ).pk
        make_message(state="WAITING", receive_timestamp=NOON)
        last = make_message(state="CANCEL", receive_timestamp=NOON).pk
        make_message(state="OK", receive_timestamp=NOON)
        found = ids(
            "final_messages", final_states=["OK", "CANCEL"], start=NOON, end=NOON + MINUTE, last_msg_id=last
        )
        assert found == [named["start"], named["last"], named["changed"], last]

    def test_relatives_are_live_parents_and_children_of_the_given_ones(self):
        parent, other = make_message(state="OK").pk, make_message(state="NEW").pk
        child = make_message(parent_msg_id=parent, state="FAILED").pk
        grandchild = make_message(parent_msg_id=child, state="WAITING").pk
        make_message(parent_msg_id=other)
        make_archived_message(parent_msg_id=child)
        assert sorted(run("relatives", ids=[child])) == [
            (child, parent, "OK"),
            (child, grandchild, "WAITING"),
        ]
        assert run("live_children", ids=[child, parent], most=9) == [(child, parent), (grandchild, child)]
        assert len(run("live_children", ids=[child, parent], most=1)) == 1
        assert sorted(run("live_parents", ids=[child, parent, grandchild])) == [
            (child, parent),
            (grandchild, child),
        ]
        assert sorted(run("live_states", ids=[parent, grandchild])) == [
            (parent, "OK"),
            (grandchild, "WAITING"),
        ]

    def test_existing_ones_are_live_or_archived_in_the_order_of_ids(self):
        make_archived_message(msg_id=3), make_message(msg_id=2), make_archived_message(msg_id=1)
        make_message(msg_id=3), make_message(msg_id=4), make_archived_message(msg_id=5)
        assert run("existing_messages", ids=[1, 2, 3, 9]) == [(1,), (2,), (3,)]
        archive_to_parquet(2, "OK"), archive_to_parquet(7, "OK")
        assert ids("archived_messages", ids=[1, 2, 3, 9]) == [1, 2, 3]

    def test_states_are_put_back_in_rows_that_have_not_changed_since(self):
        job, other = store_job(), store_job()
        rows = [make_message(state="OK").pk for _ in range(4)]
        rows.append(make_message(state="NEW").pk)
        (version,) = versions()
        store_chunk(job, 0, (*rows[:2], rows[4]), new_state="OK", versions=[version])
        store_chunk(job, 1, (rows[2],), new_state="OK", versions=["1"])
        store_chunk(other, 0, (rows[3],), new_state="OK", versions=[version])
        asked = {"origin_id": job, "ids": [rows[0], *rows[2:]]}
        assert [row[0] for row in run("put_back_states", **asked)] == [rows[0]]
        states = dict(Message.objects.values_list("pk", "state"))
        assert states == dict(zip(rows, ("FAILED", "OK", "OK", "OK", "NEW"), strict=True))


class TestOrphanRequests:
    def test_are_of_no_message_in_the_range_with_answers_before_the_limit(self):
        answers = {"none": None, "early": NOON - MINUTE, "at the limit": NOON}
        named = {}
        for name, at in answers.items():
            request = make_request(None, req_timestamp=NOON - 5 * MINUTE)
            named[name] = request.pk
            if at:
                make_response(request, msg_id=None, res_timestamp=NOON - 2 * MINUTE)
                make_response(request, msg_id=None, res_timestamp=at)
        make_request(make_message(), req_timestamp=NOON - 5 * MINUTE)
        for name, minutes in (("first", 9), ("before", 10), ("last", 2), ("end", 1)):
            named[name] = make_request(None, req_timestamp=NOON - minutes * MINUTE).pk
        found = ids("orphan_requests", start=NOON - 9 * MINUTE, end=NOON - MINUTE, cutoff=NOON)
        assert found == [named["none"], named["early"], named["first"], named["last"]]
