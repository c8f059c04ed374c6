"""The rows of statements of the Parquet archive, in worlds whose rows each miss one condition."""

import json
from datetime import UTC, date, datetime

import pytest
from django.db import connection
from psycopg.types.json import Jsonb

from messages_app.audit.models import AuditEntry
from messages_app.jobs.models import Job, JobChunk, JobItem
from messages_app.messages.models import ArchiveExternalCall, ArchiveRequest, ArchiveResponse
from messages_app.messages.parquet_archive.models import ColdFile, ColdMessage, ColdPart
from messages_app.shared.sql_files import SqlFiles
from tests.messages_app.erasure.test_sql_messages import make_cold_message
from tests.support.factories import (
    NOON,
    make_archived_message,
    make_external_call,
    make_message,
    make_request,
    make_response,
)

pytestmark = pytest.mark.django_db

# Ids that the hub's sequence does not reach.
FAR = 10**12


def run(name: str, **values: object) -> list[tuple]:
    """Run a statement and return its rows; without rows, the number of changed ones."""
    with connection.cursor() as cursor:
        cursor.execute(SqlFiles("spark_tasks.parquet").read_text(name), values)
        return [(cursor.rowcount,)] if cursor.description is None else cursor.fetchall()


def make_part(part_id: int, **columns: object) -> None:
    defaults = {"job_id": 7, "chunk_no": part_id, "content": "messages", "month": "2026-05-01", "kept": 10}
    ColdPart.objects.create(part_id=part_id, **defaults | columns)


def make_file(file_id: int, part_id: int, table_name: str = "message", rows: int = 1) -> None:
    ColdFile.objects.create(
        file_id=file_id,
        part_id=part_id,
        table_name=table_name,
        path=f"path {file_id}",
        rows=rows,
        first_id=100 + file_id,
        last_id=200 + file_id,
        bytes=300 + file_id,
        sha256=f"sha {file_id}",
    )


def archive_request(req_id: int, msg_id: int | None = None) -> None:
    ArchiveRequest.objects.create(
        req_id=req_id, msg_id=msg_id, res_join_id="j", uri="u", req_envelope="x", req_timestamp=NOON
    )


def archive_response(res_id: int, req_id: int | None = None) -> None:
    ArchiveResponse.objects.create(res_id=res_id, req_id=req_id, res_envelope="x", res_timestamp=NOON)


def archive_call(call_id: int, msg_id: int, operation: str, entity: str) -> None:
    ArchiveExternalCall.objects.create(
        call_id=call_id,
        msg_id=msg_id,
        operation_name=operation,
        entity_id=entity,
        state="OK",
        msg_timestamp=NOON,
        creation_timestamp=NOON,
        last_update_timestamp=NOON,
    )


class TestArchivedFamilies:
    def test_have_members_in_tables_and_in_files(self):
        make_archived_message(msg_id=1, state="CANCEL"), make_archived_message(msg_id=2, parent_msg_id=1)
        make_cold_message(3, parent_msg_id=2, state="FAILED"), make_cold_message(4, parent_msg_id=99)
        make_message(msg_id=5, parent_msg_id=2)
        assert sorted(run("archived_anywhere", ids=[1, 3, 5])) == [(1,), (3,)]
        assert sorted(run("archived_relatives", ids=[2, 4])) == [(2, 1), (2, 3)]
        assert sorted(run("archived_relatives", ids=[3])) == [(3, 2)]
        assert sorted(run("family_children", ids=[1, 2, 99])) == [
            (2, 1, "OK"),
            (3, 2, "FAILED"),
            (4, 99, "OK"),
        ]
        assert sorted(run("family_parents", ids=[1, 3, 5])) == [(1, None), (3, 2)]
        assert sorted(run("family_states", ids=[1, 3, 5])) == [(1, "CANCEL"), (3, "FAILED")]

    def test_messages_are_locked_in_the_order_of_ids(self):
        for msg_id in (3, 2, 1):
            make_archived_message(msg_id=msg_id), make_cold_message(msg_id + 10, part_id=50 + msg_id)
        assert run("lock_archived_messages", ids=[1, 3, 4]) == [(1,), (3,)]
        assert run("hold_messages", ids=[11, 13, 14]) == [(11, 51), (13, 53)]


class TestOrphans:
    def test_archived_requests_and_responses_are_of_nothing_and_not_live(self):
        live, ids = make_request(None).pk, [FAR + 3, FAR + 2, FAR + 1]
        for req_id, msg_id in ((ids[0], None), (ids[1], 7), (ids[2], None), (live, None), (FAR + 4, None)):
            archive_request(req_id, msg_id)
        assert run("archived_orphan_requests", ids=[*ids, live]) == [(FAR + 1,), (FAR + 3,)]
        assert run("archived_requests_of_messages", ids=[7, 8]) == [(FAR + 2,)]
        live = make_response(None, msg_id=None).pk
        for res_id, req_id in ((ids[0], None), (ids[1], 7), (ids[2], None), (live, None), (FAR + 4, None)):
            archive_response(res_id, req_id)
        assert run("archived_orphan_responses", ids=[*ids, live]) == [(FAR + 1,), (FAR + 3,)]

    def test_live_ones_are_those_of_the_given_ids(self):
        request, other = make_request(None).pk, make_request(None).pk
        assert run("live_orphan_requests", ids=[request, other + 9]) == [(request,)]
        response, other = make_response(None, msg_id=None).pk, make_response(None, msg_id=None).pk
        assert run("live_orphan_responses", ids=[response, other + 9]) == [(response,)]

    def test_of_a_job_are_those_of_chunks_in_which_some_were_done(self):
        job, other = (Job.objects.create(kind="archive", state="done", reason="r").pk for _ in range(2))
        for number, (job_id, content, orphans, outcomes) in enumerate(
            (
                (job, "orphan_requests", [1, 2], {"done": 2}),
                (job, "orphan_responses", [3], {"done": 1}),
                (job, "orphan_requests", [4], {"skipped:locked": 1}),
                (job, "messages", None, {"done": 1}),
                (other, "orphan_requests", [5], {"done": 1}),
            )
        ):
            JobChunk.objects.create(
                job_id=job_id,
                chunk_no=number,
                content=content,
                planned=1,
                orphan_ids=orphans,
                outcomes=outcomes,
            )
        assert sorted(run("orphans_of_job", job_id=job)) == [
            ("orphan_requests", 1, 1, None, None),
            ("orphan_requests", 2, 2, None, None),
            ("orphan_responses", 3, 3, None, None),
        ]

    def test_parts_are_those_of_the_content_that_are_not_emptied(self):
        for part_id in (3, 2, 1):
            make_part(part_id, content="orphan_requests", restored_ids=[part_id])
        make_part(4, content="orphan_responses"), make_part(5, content="orphan_requests", job_id=8)
        make_part(6, content="orphan_requests", emptied_at=NOON)
        found = run("orphan_parts", job_id=7, content="orphan_requests")
        assert [part_id for part_id, _ in found] == [1, 2, 3]
        assert [json.loads(restored) for _, restored in found] == [[1], [2], [3]]

    @pytest.mark.parametrize(
        ("at", "is_kept"),
        [
            ("0001-01-01 23:59:59.999999+00", False),
            ("0001-01-02 00:00:00+00", True),
            ("9999-12-30 23:59:59.999999+00", True),
            ("9999-12-31 00:00:00+00", False),
            ("infinity", True),
            ("-infinity", True),
        ],
    )
    def test_unkept_ones_have_a_time_that_no_file_can_keep(self, at, is_kept):
        request, answered, other = (make_request(None).pk for _ in range(3))
        response, unanswered = make_response(None, msg_id=None).pk, make_response(None, msg_id=None).pk
        with connection.cursor() as cursor:
            cursor.execute("INSERT INTO response (req_id, res_envelope) VALUES (%s, 'x')", [answered])
            cursor.execute(
                "UPDATE request SET req_timestamp = %s WHERE req_id = ANY (%s)", [at, [request, other]]
            )
            cursor.execute("UPDATE response SET res_timestamp = %s WHERE req_id = %s", [at, answered])
            cursor.execute("UPDATE response SET res_timestamp = %s WHERE res_id = %s", [at, response])
        plain = make_request(None).pk
        make_response(None, msg_id=None)
        found = sorted(run("unkept_orphan_requests", ids=[request, answered, plain]))
        assert found == ([] if is_kept else [(request,), (answered,)])
        found = run("unkept_orphan_responses", ids=[response, unanswered])
        assert found == ([] if is_kept else [(response,)])


class TestMonths:
    def test_are_those_of_the_last_change_in_utc(self):
        edge = datetime(2026, 10, 31, 23, 30, tzinfo=UTC)
        later = datetime(2026, 11, 1, 0, 0, tzinfo=UTC)
        make_message(msg_id=1, receive_timestamp=later, last_process_timestamp=edge)
        make_message(msg_id=2, receive_timestamp=edge, last_process_timestamp=later)
        make_message(msg_id=3, receive_timestamp=edge), make_message(msg_id=4)
        requests = [make_request(None, req_timestamp=at).pk for at in (edge, later)]
        responses = [make_response(None, msg_id=None, res_timestamp=at).pk for at in (edge, later)]
        october, november = date(2026, 10, 1), date(2026, 11, 1)
        months = [(1, october), (2, november), (3, october)]
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL TIME ZONE 'Europe/Prague'")
        assert sorted(run("months_of_messages", ids=[1, 2, 3])) == months
        assert sorted(run("months_of_orphan_requests", ids=requests)) == list(
            zip(requests, (october, november), strict=True)
        )
        assert run("months_of_orphan_requests", ids=requests[1:]) == [(requests[1], november)]
        assert run("months_of_orphan_responses", ids=responses[:1]) == [(responses[0], october)]

    def test_begin_with_the_first_of_the_calendar(self):
        make_message(msg_id=1), make_message(msg_id=2)
        request, response = make_request(None).pk, make_response(None, msg_id=None).pk
        with connection.cursor() as cursor:
            cursor.execute("UPDATE message SET last_process_timestamp = '-infinity' WHERE msg_id = 1")
            cursor.execute("UPDATE request SET req_timestamp = '0044-03-15 BC'")
            cursor.execute("UPDATE response SET res_timestamp = '-infinity'")
        first = date(1, 1, 1)
        assert sorted(run("months_of_messages", ids=[1, 2])) == [(1, first), (2, date(2026, 11, 1))]
        assert run("months_of_orphan_requests", ids=[request]) == [(request, first)]
        assert run("months_of_orphan_responses", ids=[response]) == [(response, first)]


class TestParts:
    def test_are_written_with_their_files_and_forgotten(self):
        ((part_id,),) = run(
            "write_part", job_id=3, chunk_no=4, content="messages", month="2026-05-01", kept=5
        )
        run(
            "write_file",
            part_id=part_id,
            table_name="funnel",
            path="p",
            rows=6,
            first_id=7,
            last_id=8,
            bytes=9,
            sha256="s",
        )
        part = ColdPart.objects.values().get()
        assert part.pop("written_at") is not None
        assert part == {
            "part_id": part_id,
            "job_id": 3,
            "chunk_no": 4,
            "content": "messages",
            "month": date(2026, 5, 1),
            "kept": 5,
            "restored": 0,
            "restored_ids": [],
            "emptied_at": None,
        }
        columns = ("part_id", "table_name", "path", "rows", "first_id", "last_id", "bytes", "sha256")
        assert ColdFile.objects.values_list(*columns).get() == (part_id, "funnel", "p", 6, 7, 8, 9, "s")

    def test_files_are_those_of_the_parts_jobs_and_paths(self):
        for part_id, job_id in ((1, 7), (2, 8), (3, 9)):
            make_part(part_id, job_id=job_id), make_file(10 * part_id, part_id, rows=part_id)
        make_file(11, 1, "funnel", rows=5)
        assert sorted(run("files_of_parts", part_ids=[1, 2])) == [
            (1, "funnel", "path 11", "sha 11"),
            (1, "message", "path 10", "sha 10"),
            (2, "message", "path 20", "sha 20"),
        ]
        assert sorted(run("part_files", part_id=1)) == [
            (10, "message", "path 10", "sha 10", 1),
            (11, "funnel", "path 11", "sha 11", 5),
        ]
        assert sorted(run("paths_of_jobs", job_ids=[7, 9])) == [("path 10",), ("path 11",), ("path 30",)]
        assert sorted(run("known_paths", paths=["path 10", "path 20", "x"])) == [("path 10",), ("path 20",)]

    def test_a_file_is_replaced_or_forgotten_only_under_its_path(self):
        make_file(1, 1), make_file(2, 1, "funnel"), make_file(3, 2)
        columns = (
            "file_id",
            "part_id",
            "table_name",
            "path",
            "rows",
            "first_id",
            "last_id",
            "bytes",
            "sha256",
        )
        before = {row[0]: row for row in ColdFile.objects.values_list(*columns)}
        new = {"path": "new", "rows": 5, "first_id": 6, "last_id": 7, "bytes": 8, "sha256": "s"}
        assert run("replace_file", file_id=1, old_path="path 2", **new) == [(0,)]
        assert run("replace_file", file_id=1, old_path="path 1", **new) == [(1,)]
        assert run("forget_file", file_id=2, old_path="path 1") == [(0,)]
        assert run("forget_file", file_id=2, old_path="path 2") == [(1,)]
        assert set(ColdFile.objects.values_list(*columns)) == {
            (1, 1, "message", "new", 5, 6, 7, 8, "s"),
            before[3],
        }

    def test_restored_rows_are_added_until_all_are(self):
        make_part(1, restored=2, restored_ids=[5]), make_part(2)
        for restored, ids, count, is_emptied in (
            (3, [6], 5, False),
            (4, [], 9, False),
            (1, [7, 8], 10, True),
        ):
            assert run("count_restored", part_id=1, restored=restored, restored_ids=Jsonb(ids)) == [(1,)]
            part = ColdPart.objects.get(pk=1)
            assert (part.kept, part.restored, part.emptied_at is not None) == (10, count, is_emptied)
        assert part.restored_ids == [5, 6, 7, 8]
        other = ColdPart.objects.get(pk=2)
        assert (other.restored, other.restored_ids, other.emptied_at) == (0, [], None)

    def test_erased_rows_are_subtracted_until_none_is_left(self):
        make_part(1, restored=4), make_part(2), make_part(3, kept=5, restored=5, emptied_at=NOON)
        for erased, restored, left in ((3, 1, (7, 3, False)), (2, 0, (5, 3, False)), (3, 1, (2, 2, True))):
            assert run("count_erased", part_id=1, erased=erased, restored=restored) == [(1,)]
            part = ColdPart.objects.get(pk=1)
            assert (part.kept, part.restored, part.emptied_at is not None) == left
        run("count_erased", part_id=3, erased=1, restored=1)
        third = ColdPart.objects.get(pk=3)
        assert (third.kept, third.restored, third.emptied_at) == (4, 4, NOON)
        assert ColdPart.objects.get(pk=2).kept == 10

    def test_messages_are_forgotten_in_their_part(self):
        for msg_id, part_id in ((1, 1), (2, 1), (3, 2), (4, 1)):
            make_cold_message(msg_id, part_id=part_id)
        assert run("forget_erased", ids=[1, 3], part_id=1) == [(1,)]
        assert run("forget_messages", ids=[2, 9]) == [(1,)]
        assert set(ColdMessage.objects.values_list("pk", flat=True)) == {3, 4}

    def test_are_held_with_the_jobs_of_their_messages(self):
        for msg_id, part_id in ((3, 1), (2, 1), (1, 1), (4, 2), (5, 1)):
            make_cold_message(msg_id, part_id=part_id)
        job = Job.objects.create(kind="restore", state="queued", reason="r").pk
        other = Job.objects.create(kind="restore", state="queued", reason="r").pk
        for job_id, msg_id in ((job, 2), (other, 9)):
            JobChunk.objects.create(job_id=job_id, chunk_no=msg_id, content="messages", planned=1)
            JobItem.objects.create(
                job_id=job_id, chunk_no=msg_id, msg_id=msg_id, root_msg_id=1, old_state="OK"
            )
        assert run("hold_part", ids=[4, 3, 2, 1], part_id=1) == [(1, None), (2, job), (3, None)]
        assert run("chunk_of_message", job_id=job, msg_id=2) == [(2,)]
        assert run("chunk_of_message", job_id=job, msg_id=9) == []

    def test_an_erasure_is_in_the_audit(self):
        run("audit_erased", actor="ada", reason="by letter", details=Jsonb({"rows": 3}))
        entry = AuditEntry.objects.get()
        found = (entry.actor, entry.action, entry.outcome, entry.reason, entry.details)
        assert found == ("ada", "erase_subject", "done", "by letter", {"rows": 3})


class TestLiveConflicts:
    REASONS = {"id_live": "id", "correlation_live": "correlation", "call_live": "call"}

    def test_are_of_the_id_the_correlation_id_or_a_call(self):
        make_external_call(make_message(msg_id=1), operation_name="a", entity_id="e1")
        make_external_call(make_message(msg_id=500, correlation_id="c2", source_system="CRM"), entity_id="e3")
        live = {"correlation_id": "c2", "source_system": "CRM"}
        for number, make in (
            (0, make_archived_message),
            (100, lambda msg_id, **columns: make_cold_message(msg_id, **columns)),
        ):
            make(msg_id=number + 1, correlation_id=f"x{number}")
            make(msg_id=number + 2, **live | ({"correlation_id": "other"} if number else {}))
            make(msg_id=number + 3, correlation_id="c2", source_system="ERP")
            make(msg_id=number + 4, correlation_id=f"y{number}")
            archive_call(number + 4, number + 4, "a", "e1")
            make(msg_id=number + 5, correlation_id=f"z{number}")
            archive_call(number + 5, number + 5, "b", "e1"), archive_call(number + 6, number + 5, "a", "e2")
        make_message(msg_id=101), make_cold_message(106, correlation_id="c2", source_system="CRM")
        make_archived_message(msg_id=500, **live | {"correlation_id": "c9"})
        ids = [*range(1, 6), *range(101, 107)]
        assert sorted(run("live_conflicts", ids=ids, **self.REASONS)) == [
            (1, "id"),
            (2, "correlation"),
            (4, "call"),
            (101, "id"),
            (106, "correlation"),
        ]
        made = {
            "msg_ids": [7, 8, 9, 7],
            "operations": ["a", "b", "a", "a"],
            "entities": ["e1", "e1", "e2", "e1"],
        }
        assert run("live_calls", **made) == [(7,)]
