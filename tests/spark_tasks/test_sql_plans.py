"""The rows of statements that plan and move, in worlds whose rows each miss one condition."""

from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import F
from django.db.models.functions import Now

from messages_app.jobs.models import Job, JobChunk, JobItem
from messages_app.messages.failures.models import FailureMember, NewFailure
from messages_app.messages.models import Message, MessageEvent
from messages_app.shared.sql_files import SqlFiles
from tests.messages_app.erasure.test_sql_messages import make_cold_message
from tests.spark_tasks.test_sql_rows import ids, run, store_job
from tests.support.factories import (
    NOON,
    make_archived_message,
    make_message,
    make_messages,
    make_request,
    make_response,
    message_columns,
)

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)
FINAL = ["CANCEL", "FAILED", "OK"]
AGES = {"final_states": FINAL, "cutoff": NOON, "last_msg_id": 100}


def old(msg_id: int, state: str = "OK", parent: int | None = None, **columns: object) -> None:
    make_message(
        msg_id=msg_id,
        state=state,
        parent_msg_id=parent,
        **{"receive_timestamp": NOON - 9 * MINUTE, "last_process_timestamp": NOON - MINUTE} | columns,
    )


def composed(name: str, **values: object) -> list[tuple]:
    """Run a statement with the old messages of the plan in it, and return its rows."""
    text = (
        SqlFiles("spark_tasks")
        .read_text(name)
        .format(messages=SqlFiles("spark_tasks").read_text("final_messages"))
    )
    with connection.cursor() as cursor:
        cursor.execute(text, {**AGES, "start": NOON - 99 * MINUTE, "end": NOON} | values)
        return sorted(cursor.fetchall())


class TestFamilies:
    def test_are_whole_if_every_member_may_move(self):
        old(1), old(2, parent=1), old(3, "CANCEL", parent=2)
        old(11), old(12, parent=11), old(13, "WAITING", parent=12)
        old(21), old(22, parent=21, last_process_timestamp=NOON)
        old(31), old(132, parent=31)
        old(41, parent=999), old(51)
        old(61, last_process_timestamp=None), old(62, parent=61, last_process_timestamp=None)
        old(71), old(72, parent=71, last_process_timestamp=None, receive_timestamp=NOON)
        old(81), old(100, parent=81)
        whole = [
            (1, 1, "OK"),
            (1, 2, "OK"),
            (1, 3, "CANCEL"),
            (51, 51, "OK"),
            (61, 61, "OK"),
            (61, 62, "OK"),
            (81, 81, "OK"),
            (81, 100, "OK"),
        ]
        assert composed("whole_families") == whole
        single = composed("single_messages")
        assert (51, 51, "OK") in single
        assert {root for root, _, _ in single} == {1, 2, 3, 11, 12, 21, 31, 41, 51, 61, 62, 71, 81, 100}

    def test_write_their_members_in_chunks_of_whole_families(self):
        for msg_id, parent in ((1, None), (2, 1), (3, None), (4, 3), (5, None), (6, None), (7, 6)):
            old(msg_id, "CANCEL" if msg_id == 4 else "OK", parent=parent)
        job, other = store_job(), store_job()
        queries = SqlFiles("spark_tasks")
        members = queries.read_text("whole_families").format(messages=queries.read_text("final_messages"))
        text = queries.read_text("write_members").format(members=members)
        values = {**AGES, "start": NOON - 99 * MINUTE, "end": NOON}
        with connection.cursor() as cursor:
            asked = {"job_id": job, "first_no": 300, "size": 3, "content": "messages"}
            cursor.execute(text, values | asked)
            assert cursor.rowcount == 3
        items = JobItem.objects.filter(job_id=job).order_by("msg_id")
        assert list(items.values_list("msg_id", "chunk_no", "root_msg_id", "old_state")) == [
            (1, 300, 1, "OK"),
            (2, 300, 1, "OK"),
            (3, 300, 3, "OK"),
            (4, 300, 3, "CANCEL"),
            (5, 301, 5, "OK"),
            (6, 302, 6, "OK"),
            (7, 302, 6, "OK"),
        ]
        chunks = JobChunk.objects.filter(job_id=job).order_by("chunk_no")
        columns = ("chunk_no", "content", "planned", "outcomes", "moved", "versions", "committed_at")
        assert list(chunks.values_list(*columns)) == [
            (number, "messages", planned, {}, {}, [], None)
            for number, planned in ((300, 4), (301, 1), (302, 2))
        ]
        assert not JobChunk.objects.filter(job_id=other).exists()
        JobItem.objects.filter(job_id=job, msg_id__in=[2, 5]).delete()
        item = {"job_id": other, "msg_id": 5, "root_msg_id": 5, "old_state": "OK"}
        JobItem.objects.create(chunk_no=0, **item)
        assert composed("unplanned_messages", job_id=job) == [(2, "OK", 1), (5, "OK", None)]

    def test_have_links_and_outsiders(self):
        old(1), old(2, parent=1), old(3, parent=2), old(4, "NEW", parent=5)
        old(6, last_process_timestamp=NOON), old(105), old(100)
        old(7, last_process_timestamp=None, receive_timestamp=NOON)
        assert sorted(run("family_links", start=1, end=2)) == [(2, 1), (3, 2)]
        assert sorted(run("family_links", start=2, end=5)) == [(3, 2), (4, 5)]
        assert sorted(run("outsider_states", ids=[1, 4, 6, 7, 100, 105, 200], **AGES)) == [
            (1, "OK", True),
            (4, "NEW", False),
            (6, "OK", False),
            (7, "OK", False),
            (100, "OK", True),
            (105, "OK", False),
        ]

    def test_bounds_are_the_first_time_and_the_first_of_few_parents(self):
        for msg_id, minutes, parent in ((1, 5, None), (2, 9, 40), (3, 7, 30), (4, -5, 50), (101, 20, None)):
            old(msg_id, parent=parent, last_process_timestamp=NOON - minutes * MINUTE)
        old(5, "NEW", last_process_timestamp=NOON - 99 * MINUTE), old(6, last_process_timestamp=NOON)
        old(7, receive_timestamp=NOON + MINUTE), old(100, last_process_timestamp=None)
        old(8, last_process_timestamp=None, receive_timestamp=NOON - 21 * MINUTE)
        for most, count in ((99, 6), (2, 2)):
            ((_, counted, first, *parents),) = run("plan_bounds", most=most, **AGES)
            assert (counted, first, parents) == (count, NOON - 21 * MINUTE, [30, 30])

    def test_bounds_are_behind_the_first_and_before_the_last_thousand_of_many_parents(self):
        make_messages(1_005)
        Message.objects.update(parent_msg_id=F("msg_id") - Message.objects.earliest("msg_id").pk)
        assert run("plan_bounds", most=1, **AGES)[0][3:] == (1_000, 4)


class TestOrphans:
    def test_first_ones_have_no_owner(self):
        for at in (NOON - 3 * MINUTE, NOON - 5 * MINUTE, NOON):
            make_request(None, req_timestamp=at), make_response(None, msg_id=None, res_timestamp=at - MINUTE)
        make_request(make_message(), req_timestamp=NOON - 99 * MINUTE)
        make_response(None, msg_id=None, res_timestamp=NOON)
        make_response(make_request(None, req_timestamp=NOON + MINUTE), res_timestamp=NOON - 98 * MINUTE)
        assert run("first_orphans", cutoff=NOON, most=9) == [(NOON - 5 * MINUTE, 2, NOON - 6 * MINUTE, 3)]
        assert run("first_orphans", cutoff=NOON, most=1) == [(NOON - 5 * MINUTE, 1, NOON - 6 * MINUTE, 1)]

    def test_responses_are_of_no_request_and_no_live_message_in_the_range(self):
        live = make_message().pk
        at = {name: NOON + n * MINUTE for n, name in enumerate(("before", "first", "last", "end"))}
        made = {name: make_response(None, msg_id=None, res_timestamp=when).pk for name, when in at.items()}
        made["gone"] = make_response(None, msg_id=live + 99, res_timestamp=at["first"]).pk
        made["live"] = make_response(None, msg_id=live, res_timestamp=at["first"]).pk
        made["paired"] = make_response(make_request(None), res_timestamp=at["first"]).pk
        found = ids("orphan_responses", start=at["first"], end=at["end"])
        assert found == [made["first"], made["last"], made["gone"]]
        asked = [pk for name, pk in made.items() if name != "before"][::-1]
        assert run("lock_orphan_responses", ids=asked, cutoff=at["end"]) == [(pk,) for pk in found]

    def test_requests_are_locked_unless_a_response_is_young(self):
        made = {}
        for name, sent, answered in (
            ("silent", -5, None),
            ("answered", -5, (-4, -3)),
            ("young answer", -5, (-4, 0)),
            ("young", 0, None),
            ("not asked", -5, None),
        ):
            request = make_request(None, req_timestamp=NOON + sent * MINUTE)
            made[name] = request.pk
            for minutes in answered or ():
                make_response(request, res_timestamp=NOON + minutes * MINUTE)
        made["owned"] = make_request(make_message(), req_timestamp=NOON - 5 * MINUTE).pk
        asked = [pk for name, pk in made.items() if name != "not asked"][::-1]
        found = run("lock_orphan_requests", ids=asked, cutoff=NOON)
        assert found == [(made["silent"],), (made["answered"],)]


class TestMoves:
    def test_locked_messages_have_their_age(self):
        old(3, parent=9), old(1, "NEW"), old(2, last_process_timestamp=NOON)
        old(4, last_process_timestamp=None, receive_timestamp=NOON), old(5)
        assert run("lock_messages", ids=[4, 3, 2, 1], cutoff=NOON) == [
            (1, None, "NEW", True),
            (2, None, "OK", False),
            (3, 9, "OK", True),
            (4, None, "OK", False),
        ]
        request = make_request(Message(msg_id=3, receive_timestamp=NOON)).pk
        make_request(Message(msg_id=5, receive_timestamp=NOON))
        assert run("lock_requests_of_messages", ids=[3, 4]) == [(request,)]
        assert run("unlocked_messages", ids=[5, 1, 99]) == [(1,), (5,)]

    def test_picked_messages_are_final_and_old(self):
        old(1, parent=7), old(2, "NEW", parent=8), old(3, last_process_timestamp=NOON, parent=9)
        old(4, last_process_timestamp=None), old(5)
        ((count, picked, versions, parents),) = run("pick_messages", ids=[1, 2, 3, 4], **AGES)
        assert (count, sorted(picked.strip("{}").split(",")), parents) == (2, ["1", "4"], "{7}")
        assert len(versions.split(",")) == 2
        assert run("pick_messages", ids=[2, 3], **AGES) == [(0, "{}", "{}", "{}")]

    def test_deleted_messages_are_as_they_were_picked(self):
        old(1), old(2), old(3)
        with connection.cursor() as cursor:
            cursor.execute("SELECT xmin::text FROM message WHERE msg_id = 1")
            version = cursor.fetchone()[0]
        assert run("delete_picked", msg_ids=[1, 2], versions=["1"]) == [(0,)]
        assert run("delete_picked", msg_ids=[1, 2], versions=[version, "1"]) == [(2,)]
        assert list(Message.objects.values_list("pk", flat=True)) == [3]

    def test_left_relatives_are_children_and_parents(self):
        old(1), old(2, parent=50), old(3)
        for msg_ids, parents, is_left in (([50], [], True), ([51], [1], True), ([51, 1], [52], False)):
            assert bool(run("left_relatives", msg_ids=msg_ids, parents=parents)) is is_left

    def test_active_jobs_and_chunks_are_those_of_the_job(self):
        job, other = store_job(), store_job()
        Job.objects.filter(pk=other).update(created_by="bob")
        run(
            "write_chunk",
            job_id=job,
            chunk_no=3,
            content="orphan_requests",
            planned=4,
            orphan_ids="[7]",
            outcomes="{}",
        )
        run("insert_items", job_id=job, chunk_no=3, msg_ids=[1, 2], root_ids=[5, 6], states=["OK", "NEW"])
        items = JobItem.objects.order_by("msg_id")
        columns = ("job_id", "chunk_no", "msg_id", "root_msg_id", "old_state")
        assert list(items.values_list(*columns)) == [(job, 3, 1, 5, "OK"), (job, 3, 2, 6, "NEW")]
        chunk = JobChunk.objects.values("job_id", "chunk_no", "content", "planned", "orphan_ids").get()
        assert list(chunk.values()) == [job, 3, "orphan_requests", 4, [7]]
        assert run("fence", job_id=job, attempt=2, state="running") == [(1,)]
        for values in ({"attempt": 1}, {"state": "paused"}, {"job_id": other + 9}):
            assert run("fence", **{"job_id": job, "attempt": 2, "state": "running"} | values) == []
        assert run("name_actor", job_id=job) == [("ada",)]
        assert run("name_actor", job_id=other) == [("bob",)]


class TestFailedMessages:
    def test_are_in_no_group_and_not_queued(self):
        failed = {"state": "FAILED", "failed_error_code": "E1", "failed_desc": "first line\nat second"}
        names = {"service_name": "orders", "operation_name": "create"}
        times = {"receive_timestamp": NOON, "last_process_timestamp": NOON + MINUTE}
        for msg_id in (1, 2, 3, 9):
            make_message(msg_id=msg_id, **failed, **names, **times)
        make_message(msg_id=4, **failed | {"state": "PARTLY_FAILED"}, **names, **times)
        make_archived_message(
            msg_id=5, **failed | {"failed_error_code": None}, **names, receive_timestamp=NOON
        )
        changed = {"receive_timestamp": NOON, "last_process_timestamp": NOON + 2 * MINUTE}
        make_archived_message(msg_id=11, **failed, **names, **changed)
        make_cold_message(12, state="FAILED", failed_summary="cold", **names, **changed)
        make_message(msg_id=13, **failed, **names, receive_timestamp=NOON)
        make_archived_message(msg_id=6, **names)
        make_cold_message(7, state="FAILED", failed_error_code="E7", failed_summary="short", **names)
        make_cold_message(8, state="OK", **names)
        NewFailure.objects.all().delete()
        FailureMember.objects.create(msg_id=2, group_id=1, at=NOON)
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO new_failure (msg_id, at, service_name, operation_name, failed_error_code, text)"
                " VALUES (3, now(), 'orders', 'create', 'E1', 'x')"
            )
            cursor.execute("UPDATE cold_message SET receive_timestamp = 'infinity' WHERE msg_id = 7")
            cursor.execute("UPDATE message SET last_process_timestamp = '0044-03-15 BC' WHERE msg_id = 1")
        second = int(NOON.timestamp())
        found = run("failed_messages", first=1, last=8)
        assert sorted(row[:5] for row in found) == [
            (1, -62135596800, "orders", "create", "E1"),
            (5, second, "orders", "create", ""),
            (7, 253402300799, "orders", "create", "E7"),
        ]
        far = {row[0]: row[1] - second for row in run("failed_messages", first=8, last=13)}
        assert far == {9: 60, 11: 120, 12: 120, 13: 0}
        assert [row[0] for row in run("failed_messages", first=14, last=99)] == []
        texts = {row[0]: row[5] for row in found}
        assert (texts[7], texts[1].startswith("first line")) == ("short", True)
        assert [row[0] for row in run("failed_messages", first=2, last=5)] == [5]


class TestExportMessages:
    def test_are_live_or_archived_in_the_order_of_ids(self):
        make_archived_message(msg_id=3, state="CANCEL"), make_message(msg_id=2, state="NEW")
        make_archived_message(msg_id=1), make_message(msg_id=4), make_archived_message(msg_id=5)
        text = SqlFiles("spark_tasks").read_text("export_messages")
        text = text.format(row="msg_id, state, archived", columns="msg_id, state")
        with connection.cursor() as cursor:
            cursor.execute(text, {"ids": [3, 2, 1]})
            assert cursor.fetchall() == [(1, "OK", True), (2, "NEW", False), (3, "CANCEL", True)]


class TestCountBounds:
    def test_are_the_lowest_ids_of_few_rows(self):
        assert run("count_bounds") == [(None, None, None, None)]
        for number in (0, 20):
            make_archived_message(msg_id=7 + number), make_cold_message(5 + number)
            make_message(msg_id=9 + number)
        MessageEvent.objects.create(event_id=4, msg_id=9, from_state="NEW", to_state="OK", at=Now())
        MessageEvent.objects.create(event_id=3, msg_id=9, from_state="NEW", to_state="OK", at=Now())
        assert run("count_bounds") == [(5, 5, 3, 3)]

    def test_are_behind_the_first_and_before_the_last_thousand_of_many_rows(self):
        columns = ", ".join(message_columns(1))
        values = list(message_columns(1).values())[1:]
        marks = ", ".join(["%s"] * len(values))
        with connection.cursor() as cursor:
            for table, first, last in (("message", 1, 1003), ("archive_message", 5001, 6002)):
                numbered = f"SELECT n, {marks} FROM generate_series({first}, {last}) AS n"
                numbered = numbered.replace("%s", "'c' || n", 1)
                cursor.execute(f"INSERT INTO {table} ({columns}) {numbered}", values[1:])
            cursor.execute(
                "INSERT INTO message_event (event_id, msg_id, from_state, to_state, at)"
                " SELECT n, 1, 'NEW', 'OK', now() FROM generate_series(1, 1002) AS n"
            )
        make_cold_message(9_000)
        assert run("count_bounds") == [(1001, 5002, 1001, 2)]


class TestArchivesWithoutKeys:
    TABLES = {
        "with_key": "CREATE UNIQUE INDEX ON with_key (id)",
        "no_index": "",
        "of_message": "CREATE INDEX ON of_message (msg_id, id)",
        "second_column": "CREATE INDEX ON second_column (id, msg_id)",
        "some_rows": "CREATE UNIQUE INDEX ON some_rows (id) WHERE id > 0",
        "some_messages": "CREATE INDEX ON some_messages (msg_id) WHERE msg_id > 0",
        "two_columns": "CREATE UNIQUE INDEX ON two_columns (id, msg_id)",
        "other_key": "CREATE UNIQUE INDEX ON other_key (msg_id)",
        "plain_index": "CREATE INDEX ON plain_index (id)",
    }

    def found(self, *names: str) -> set[tuple[str, bool]]:
        return set(run("archives_without_keys", archives=list(names), keys=["id"] * len(names)))

    def test_include_each_table_that_can_have_a_row_twice(self):
        with connection.cursor() as cursor:
            for name, index in self.TABLES.items():
                cursor.execute(f"CREATE TABLE {name} (id bigint, msg_id bigint)")
                cursor.execute(index or "SELECT 1")
            cursor.execute("CREATE TABLE of_no_message (id bigint)")
            assert self.found(*self.TABLES, "of_no_message") == set()
            cursor.execute("CREATE PROCEDURE archive_records() LANGUAGE sql AS 'SELECT 1'")
        indexed = {"of_message", "other_key"}
        assert self.found(*self.TABLES, "of_no_message") == {
            (name, name in indexed) for name in self.TABLES if name != "with_key"
        }
