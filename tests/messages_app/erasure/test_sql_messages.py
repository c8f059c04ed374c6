"""The rows of the statements that find and lock messages, in worlds whose rows each miss one condition."""

import pytest
from django.db.models.functions import Now

from messages_app.core.statements import Statements
from messages_app.erasure.rows import _rows_of, ids_of
from messages_app.jobs.models import Job, JobChunk, JobItem
from messages_app.messages.failures.models import FailureGroup, FailureMember
from messages_app.messages.models import ArchiveExternalCall, ArchiveFunnel
from messages_app.messages.parquet_archive.models import ColdFile, ColdMessage, ColdPart
from tests.support.factories import (
    NOON,
    make_archived_message,
    make_external_call,
    make_funnel,
    make_message,
    make_request,
    message_columns,
)

pytestmark = pytest.mark.django_db

statements = Statements("messages_app.erasure")
KEY, OTHER = "C-4711", "C-0815"


def make_cold_message(msg_id: int, *, part_id: int = 1, **columns: object) -> None:
    names = {field.attname for field in ColdMessage._meta.concrete_fields}
    values = message_columns(msg_id, **{"state": "OK"} | columns)
    ColdMessage.objects.create(
        part_id=part_id, **{name: value for name, value in values.items() if name in names}
    )


def store_job(
    kind: str, msg_ids: list[int], *, state: str = "done", chunk_no: int = 0, **columns: object
) -> int:
    """Store a job with one chunk of messages."""
    if state in {"done", "failed", "stopped"}:
        columns = {"finished_at": Now()} | columns
    job = Job.objects.create(kind=kind, state=state, reason="x", created_by="ada", **columns)
    JobChunk.objects.create(job_id=job.pk, chunk_no=chunk_no, content="messages", planned=len(msg_ids))
    for msg_id in msg_ids:
        item = {"job_id": job.pk, "msg_id": msg_id, "root_msg_id": msg_id, "old_state": "OK"}
        JobItem.objects.create(chunk_no=chunk_no, **item)
    return job.pk


class TestFound:
    def test_live_messages_have_the_key_in_a_column_a_funnel_or_a_call(self):
        for msg_id, columns in enumerate(
            (
                {"object_id": KEY},
                {"process_id": KEY},
                {"funnel_value": KEY},
                {"correlation_id": KEY},
                {"object_id": OTHER, "custom_data": KEY},
                {},
                {},
                {},
                {},
                {"object_id": KEY, "process_id": KEY, "funnel_value": KEY},
            ),
            start=11,
        ):
            message = make_message(msg_id=msg_id, **columns)
            make_funnel(message, funnel_value=KEY if msg_id == 16 else OTHER)
            operations = {17: "direct:crm", 18: "direct:erp", 19: "direct:unknown"}
            if msg_id in operations:
                make_external_call(message, operation_name=operations[msg_id], entity_id=KEY)
            make_external_call(message, operation_name="direct:crm", entity_id=f"{OTHER}-{msg_id}")
        values = {"key": KEY, "operations": ["direct:crm", "direct:erp"], "first": -1, "most": 99}
        everything = [11, 12, 13, 14, 16, 17, 18, 20]
        assert ids_of("found_live", values) == everything
        for first in range(11, 22):
            assert ids_of("found_live", values | {"first": first}) == [n for n in everything if n >= first]
        assert ids_of("found_live", values | {"first": 12, "most": 3}) == [12, 13, 14]

    def test_archived_messages_have_the_key_in_a_column_a_funnel_or_a_call(self):
        names = ("object_id", "process_id", "funnel_value", "correlation_id")
        for msg_id, columns in enumerate(
            (*({name: KEY} for name in names), {"object_id": OTHER}, {}, {}), start=11
        ):
            make_archived_message(msg_id=msg_id, **columns)
            ArchiveFunnel.objects.create(
                funnel_id=msg_id, msg_id=msg_id, funnel_value=KEY if msg_id == 16 else OTHER
            )
            ArchiveExternalCall.objects.create(
                call_id=msg_id,
                msg_id=msg_id,
                operation_name="direct:crm",
                state="OK",
                entity_id=KEY if msg_id == 17 else OTHER,
                msg_timestamp=NOON,
                creation_timestamp=NOON,
                last_update_timestamp=NOON,
            )
        make_message(object_id=KEY)
        values = {"key": KEY, "first": -1, "most": 99}
        everything = [11, 12, 13, 14, 16, 17]
        for first in range(10, 19):
            found = ids_of("found_archived", values | {"first": first})
            assert found == [n for n in everything if n >= first]
        assert ids_of("found_archived", values | {"first": 12, "most": 3}) == [12, 13, 14]

    def test_messages_in_files_have_the_key_in_a_column(self):
        names = ("object_id", "process_id", "funnel_value", "correlation_id")
        for msg_id, columns in enumerate((*({name: KEY} for name in names), {"object_id": OTHER}), start=11):
            make_cold_message(msg_id, **columns)
        make_message(object_id=KEY)
        values = {"key": KEY, "first": -1, "most": 99}
        for first in range(10, 16):
            found = ids_of("found_cold", values | {"first": first})
            assert found == [n for n in (11, 12, 13, 14) if n >= first]
        assert ids_of("found_cold", values | {"first": 11, "most": 3}) == [11, 12, 13]

    def test_operations_are_those_of_all_calls(self):
        assert ids_of("operations", {}) == []
        for name in ("direct:c", "direct:a", "direct:b", "direct:a"):
            make_external_call(make_message(), operation_name=name)
        assert ids_of("operations", {}) == ["direct:a", "direct:b", "direct:c"]


class TestBranches:
    def test_have_the_descendants_of_every_place_with_their_depth(self):
        make_message(msg_id=1), make_message(msg_id=9), make_message(msg_id=8, parent_msg_id=9)
        make_archived_message(msg_id=2, parent_msg_id=1), make_cold_message(3, parent_msg_id=1)
        make_message(msg_id=4, parent_msg_id=3), make_archived_message(msg_id=5, parent_msg_id=4)
        make_message(msg_id=6, parent_msg_id=7)
        found = statements.fetch_rows("branches", {"place": "message", "ids": [1, 9]})
        assert sorted(found) == [
            (1, "archive_message", 2, 1),
            (1, "archive_message", 5, 3),
            (1, "cold_message", 3, 1),
            (1, "message", 1, 0),
            (1, "message", 4, 2),
            (9, "message", 8, 1),
            (9, "message", 9, 0),
        ]
        assert statements.fetch_rows("branches", {"place": "cold_message", "ids": [7]}) == [
            (7, "cold_message", 7, 0),
            (7, "message", 6, 1),
        ]

    def test_looks_have_the_state_the_parent_and_the_job_of_each(self):
        make_message(msg_id=1, state="NEW", parent_msg_id=5)
        make_archived_message(msg_id=1, state="CANCEL"), make_cold_message(2, parent_msg_id=6)
        make_message(msg_id=3)
        job_id = store_job("cancel", [2], state="queued")
        assert sorted(statements.fetch_rows("looks", {"ids": [1, 2, 7]})) == [
            ("archive_message", 1, "CANCEL", None, None),
            ("cold_message", 2, "OK", 6, job_id),
            ("message", 1, "NEW", 5, None),
        ]


class TestLocks:
    def test_messages_are_final_and_in_no_unfinished_job(self):
        for msg_id in range(1, 9):
            make_message(msg_id=msg_id, state="NEW" if msg_id == 2 else "FAILED")
            make_archived_message(msg_id=msg_id, state="OK")
        store_job("restart", [3], state="queued"), store_job("restart", [4])
        store_job("export", [5], state="running"), store_job("export", [6], state="failed")
        store_job("reprocess", [7], state="running")
        values = {
            "ids": [7, 6, 5, 4, 3, 2, 1],
            "final": ["FAILED", "OK"],
            "ended": ["done", "failed"],
            "file_kinds": ["export"],
        }
        assert _rows_of("message", "lock_messages", values) == [1, 4, 6, 7]
        assert _rows_of("archive_message", "lock_messages", values) == [1, 2, 4, 6, 7]
        assert _rows_of("archive_message", "lock_messages", values | {"final": ["CANCEL"]}) == []

    def test_requests_are_those_of_the_messages(self):
        first, second = make_message(), make_message()
        mine = [make_request(first).pk, make_request(first).pk]
        make_request(second), make_request(None)
        assert sorted(_rows_of("request", "lock_requests", {"ids": [first.pk]})) == mine


class TestBeside:
    def test_exports_include_each_that_may_have_a_file_of_a_message(self):
        running = store_job("export", [1, 2], state="running")
        done = store_job("export", [1], report={"bytes": 7})
        store_job("export", [1], report={"removed_at": "2026-11-01"}), store_job("cancel", [1])
        store_job("export", [3])
        found = statements.fetch_rows("exports_of", {"ids": [1, 2, 9], "file_kinds": ["export"]})
        assert sorted(found) == [(1, running, "running"), (1, done, "done"), (2, running, "running")]

    def test_examples_of_failures_are_forgotten_once_in_the_groups_of_the_messages(self):
        groups = {}
        for number, example in enumerate(("Ada has no address", "Ada again", "Charles", "[erased]"), start=1):
            groups[number] = FailureGroup.objects.create(
                fingerprint=str(number),
                service_name="billing",
                operation_name="pay",
                summary=f"summary {number}",
                example=example,
                first_seen=NOON,
                last_seen=NOON,
            ).pk
            FailureMember.objects.create(msg_id=number, group_id=groups[number], at=NOON)
        FailureMember.objects.create(msg_id=11, group_id=groups[1], at=NOON)
        values = {"ids": [1, 2, 4, 11], "erased": "[erased]"}
        assert sorted(ids_of("forget_examples", values)) == [groups[1], groups[2]]
        examples = dict(FailureGroup.objects.values_list("pk", "example"))
        assert examples == {
            groups[1]: "[erased]",
            groups[2]: "[erased]",
            groups[3]: "Charles",
            groups[4]: "[erased]",
        }
        assert ids_of("forget_examples", values) == []


class TestParts:
    def test_are_the_part_of_a_message_and_the_one_that_it_was_restored_from(self):
        for msg_id, part_id in ((1, 51), (2, 52), (9, 59)):
            make_cold_message(msg_id, part_id=part_id)
        for name, content, chunk_no, has_file in (
            ("kept", "messages", 0, True),
            ("no file", "messages", 0, False),
            ("orphans", "orphan_requests", 0, True),
            ("other chunk", "messages", 1, True),
        ):
            job_id = store_job("archive", [1, 3])
            part = ColdPart.objects.create(
                job_id=job_id, chunk_no=chunk_no, content=content, month="2026-05-01", kept=2
            )
            if has_file:
                ColdFile.objects.create(
                    part_id=part.pk, table_name="message", path=name, rows=2, first_id=1, last_id=3, bytes=9
                )
            if name == "kept":
                kept = part.pk
        found = statements.fetch_rows("parts_of", {"ids": [1, 2, 3]})
        assert sorted(found) == sorted([(51, 1), (52, 2), (kept, 1), (kept, 3)])
