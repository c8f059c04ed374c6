"""The current status of a job's messages, exact or by a sample."""

import pytest

from messages_app.jobs.models import Job, JobChunk, JobItem
from messages_app.jobs.outcomes import End, TriedChunk, current_status, spread_evenly
from messages_app.jobs.selectors import item_page
from messages_app.message_store.models import MessageLine
from messages_app.messages.parquet_archive.models import ColdMessage
from tests.support.factories import make_archived_message, make_message, message_columns, next_id
from tests.support.ledgers import store_ledger
from tests.support.stores import set_process, store

pytestmark = pytest.mark.django_db


def restarted(*states: str | None, archived: str | None = None) -> Job:
    """Store a restart of messages that are now in these states; None: deleted."""
    job = Job.objects.create(kind="restart", state="done")
    ids = [make_message(state=state).pk for state in states if state]
    ids += [next_id() for state in states if state is None]
    if archived:
        ids.append(make_archived_message(state=archived).pk)
    store_ledger(job, dict.fromkeys(ids, "done"), new_state="PARTLY_FAILED")
    JobChunk.objects.filter(job_id=job.pk).update(attempt=1)
    return job


class TestSince:
    def test_shows_the_end_of_each(self):
        job = restarted(
            "OK", "OK", "FAILED", "CANCEL", "PROCESSING", "POSTPONED", "ON_HOLD", None, archived="OK"
        )

        found = current_status(job)

        assert (found.done, found.looked_at, found.is_exact) == (9, 9, True)
        assert (found.ok, found.failed, found.cancelled) == (3, 1, 1)
        assert (found.under_way, found.gone, found.archived) == (3, 1, 1)
        assert found.by_state["ON_HOLD"] == 1

    def test_finds_messages_archived_to_parquet(self):
        job = restarted("OK", None)
        gone = JobItem.objects.filter(job_id=job.pk).order_by("-msg_id").first().msg_id
        archive_to_parquet(gone, "FAILED")

        found = current_status(job)

        assert (found.ok, found.failed, found.gone, found.archived) == (1, 1, 0, 1)

    def test_omits_messages_that_the_job_did_not_change(self):
        job = Job.objects.create(kind="restart", state="done")
        ids = [make_message(state="FAILED").pk for _ in range(4)]
        store_ledger(job, dict(zip(ids, ("done", "skipped:moved_on", "failed:no_change", None), strict=True)))
        JobChunk.objects.filter(job_id=job.pk, chunk_no=0).update(attempt=1)

        found = current_status(job)

        assert (found.done, found.looked_at, found.failed) == (1, 1, 1)

    def test_checks_and_reports_an_even_sample_of_a_large_job(self):
        job = Job.objects.create(kind="restart", state="done")
        for chunk_no in range(6):
            store_chunk(job, chunk_no, [make_message(state="OK").pk for _ in range(4)])

        found = current_status(job, most=10)

        assert (found.done, found.looked_at, found.ok, found.is_exact) == (24, 10, 10, False)

    def test_is_empty_for_a_job_that_did_nothing(self):
        found = current_status(Job.objects.create(kind="restart", state="done"))

        assert (found.done, found.looked_at, found.is_exact) == (0, 0, True)

    def test_adds_up_the_chunks_that_were_read(self):
        job = Job.objects.create(kind="restart", state="done")
        for chunk_no, states in enumerate((["OK", "NEW", "WAITING"], ["NEW", "CANCEL"], ["NEW", "FAILED"])):
            store_chunk(job, chunk_no, [make_message(state=state).pk for state in states])
        found = current_status(job)
        assert found.by_state == {"OK": 1, "NEW": 3, "WAITING": 1, "CANCEL": 1, "FAILED": 1}
        assert (found.ok, found.failed, found.cancelled, found.under_way) == (1, 1, 1, 4)
        first = current_status(job, most=3)
        assert (first.done, first.looked_at, first.is_exact) == (7, 3, False)
        assert current_status(job, seconds=0).looked_at == 0


def ids_with_end(job: Job, end: str) -> list[int]:
    return [row.msg_id for row in item_page(job=job, end=End(end)).rows]


class TestRowsWithEnd:
    def test_are_the_messages_that_the_status_counts(self):
        job = restarted(
            "OK",
            "OK",
            "FAILED",
            "CANCEL",
            "PROCESSING",
            "PARTLY_FAILED",
            "ON_HOLD",
            None,
            None,
            archived="OK",
        )
        gone = JobItem.objects.filter(job_id=job.pk).order_by("msg_id").values_list("msg_id", flat=True)[7]
        archive_to_parquet(gone, "FAILED")
        status = current_status(job)
        for end, count in (
            ("ok", 3),
            ("failed", 2),
            ("cancelled", 1),
            ("under_way", 3),
            ("gone", 1),
            ("archived", 2),
        ):
            found = ids_with_end(job, end)
            assert (len(found), getattr(status, end)) == (count, count), end
        assert gone in ids_with_end(job, "failed")
        assert gone in ids_with_end(job, "archived")

    def test_are_rows_that_the_job_has_done(self):
        job = Job.objects.create(kind="restart", state="done")
        ids = [make_message(state="FAILED").pk for _ in range(4)]
        store_ledger(job, dict(zip(ids, ("done", "skipped:moved_on", "failed:no_change", None), strict=True)))
        assert ids_with_end(job, "failed") == ids[:1]

    def test_of_the_message_store_have_its_statuses(self):
        job = Job.objects.create(kind="reprocess", state="done")
        statuses = {10: "ok", 20: "failed", 99: "failed", 0: "under_way", 2: "under_way"}
        lines = {store_line(status): end for status, end in statuses.items()}
        missing = max(lines) + 1
        store_ledger(job, dict.fromkeys([*lines, missing], "done"))
        JobChunk.objects.filter(job_id=job.pk).update(attempt=1)
        status = current_status(job)
        for end in ("ok", "failed", "under_way"):
            expected = sorted(number for number, each in lines.items() if each == end)
            assert ids_with_end(job, end) == expected
            assert getattr(status, end) == len(expected)
        assert (ids_with_end(job, "gone"), ids_with_end(job, "archived")) == ([missing], [])


class TestSpread:
    def test_begins_with_chunks_from_all_over_the_job(self):
        chunks = [TriedChunk(chunk_no=number, tried=1) for number in range(100)]

        found = [chunk.chunk_no for chunk in spread_evenly(chunks)]

        assert {number // 25 for number in found[:8]} == {0, 1, 2, 3}
        assert sorted(found) == list(range(100))


def store_line(status: int) -> int:
    key = store()
    set_process(key, status=status)
    return MessageLine.objects.get(message_identifier=key).number


def archive_to_parquet(msg_id: int, state: str) -> None:
    message = message_columns(msg_id, state=state)
    names = {field.attname for field in ColdMessage._meta.concrete_fields} & set(message)
    ColdMessage.objects.create(part_id=1, **{name: message[name] for name in names})


def store_chunk(job: Job, chunk_no: int, ids: list[int]) -> None:
    JobChunk.objects.create(
        job_id=job.pk,
        chunk_no=chunk_no,
        content="messages",
        planned=len(ids),
        attempt=1,
        outcomes={"done": len(ids)},
        committed_at="2026-01-01T00:00:00Z",
    )
    for msg_id in ids:
        JobItem.objects.create(
            job_id=job.pk, chunk_no=chunk_no, msg_id=msg_id, root_msg_id=msg_id, old_state="FAILED"
        )
