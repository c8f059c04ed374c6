"""The rows of the statements of a preview, in worlds whose rows each miss one condition."""

from datetime import timedelta

import pytest
from django.db import connection

from messages_app.core.statements import Statements
from messages_app.jobs.models import Job, JobChunk
from tests.messages_app.erasure.test_sql_messages import make_cold_message
from tests.support.factories import NOON, make_archived_message, make_message
from tests.support.ledgers import store_measured_job

pytestmark = pytest.mark.django_db

statements = Statements("messages_app.jobs.preview")
MICROSECOND = timedelta(microseconds=1)
FINAL = {"final_states": ["CANCEL", "OK"], "cutoff": NOON}


class TestLive:
    @pytest.fixture(autouse=True)
    def messages(self) -> None:
        for msg_id, state, parent, received, changed in (
            (1, "OK", None, -1, None),
            (2, "CANCEL", 1, -1, 0),
            (3, "OK", 1, 0, -1),
            (4, "NEW", 99, -1, None),
            (5, "OK", 99, 0, None),
            (6, "OK", 5, -1, None),
        ):
            make_message(
                msg_id=msg_id,
                state=state,
                parent_msg_id=parent,
                receive_timestamp=NOON + received * MICROSECOND,
                last_process_timestamp=None if changed is None else NOON + changed * MICROSECOND,
            )
        make_archived_message(msg_id=7, parent_msg_id=1)

    def test_families_have_whether_a_member_is_final_and_old_enough(self):
        found = statements.fetch_rows("live_families", {"ids": [1, 2, 3, 4, 5, 7], **FINAL})
        assert sorted(found) == [
            (1, True, True),
            (2, True, False),
            (3, True, True),
            (4, False, False),
            (5, True, False),
        ]

    def test_parents_and_children_may_be_deleted(self):
        assert sorted(statements.fetch_rows("live_parents", {"ids": [1, 2, 4, 7]})) == [(2, 1), (4, 99)]
        children = {"ids": [1, 99, 2], "most": 9}
        assert sorted(statements.fetch_rows("live_children", children)) == [(2, 1), (3, 1), (4, 99), (5, 99)]
        found = statements.fetch_rows("live_children", children | {"most": 1})
        assert sorted(parent for _, parent in found) == [1, 99]


class TestArchived:
    @pytest.fixture(autouse=True)
    def messages(self) -> None:
        make_archived_message(msg_id=1), make_archived_message(msg_id=2, parent_msg_id=1)
        make_cold_message(3, parent_msg_id=2), make_archived_message(msg_id=4, parent_msg_id=99)
        make_cold_message(5, parent_msg_id=1), make_message(msg_id=6, parent_msg_id=1)

    def test_families_are_in_tables_and_in_files(self):
        assert sorted(statements.fetch_rows("archived_families", {"ids": [1, 3, 6, 99]})) == [(1,), (3,)]
        assert sorted(statements.fetch_rows("archived_parents", {"ids": [1, 2, 3, 4, 6]})) == [(2, 1), (3, 2)]
        children = {"ids": [1, 2, 99], "most": 9}
        found = sorted(statements.fetch_rows("archived_children", children))
        assert found == [(2, 1), (3, 2), (4, 99), (5, 1)]
        found = statements.fetch_rows("archived_children", children | {"most": 1})
        assert sorted(parent for _, parent in found) == [1, 2, 99]

    def test_conflicts_are_with_the_id_or_with_correlation_id_and_system(self):
        live = {"correlation_id": "c", "source_system": "CRM"}
        make_message(msg_id=11), make_message(msg_id=12), make_message(msg_id=50, **live)
        make_archived_message(msg_id=11), make_cold_message(12)
        make_archived_message(msg_id=13, **live), make_cold_message(14, **live)
        make_archived_message(msg_id=15, **live | {"source_system": "ERP"})
        make_cold_message(16, **live | {"correlation_id": "d"}), make_archived_message(msg_id=17, **live)
        found = statements.fetch_rows("live_again", {"ids": [11, 12, 13, 14, 15, 16, 50]})
        assert sorted(found) == [(11, True), (12, True), (13, False), (14, False)]


class TestRecentPace:
    VALUES = {"kind": "restart", "done": "done", "jobs": 2, "looked_at": 99}

    def test_is_of_the_last_jobs_of_a_kind(self):
        store_measured_job((0, 1_000, 9))
        store_measured_job((0, 10, 100), (5, 20, 50))
        for columns in (
            {"kind": "cancel"}, {"state": "failed"}, {"dry_run": True}, {"rate": 1.0},
            {"options": {"canary": 1}},
        ):  # fmt: skip
            store_measured_job((0, 500, 7), **columns)
        job = store_measured_job((0, 3, 30), (6, 8, 20), (9, 9, 5), options={"total": True})
        assert statements.fetch_rows("recent_pace", self.VALUES) == [(200.0, 25.0)]
        assert statements.fetch_rows("recent_pace", self.VALUES | {"jobs": 1}) == [(50.0, 5.0)]
        assert statements.fetch_rows("recent_pace", self.VALUES | {"looked_at": 1}) == [(50.0, 5.0)]
        JobChunk.objects.filter(job_id=job.pk).update(committed_at=None)
        assert statements.fetch_rows("recent_pace", self.VALUES | {"jobs": 1}) == [(None, None)]
        Job.objects.all().delete()
        assert statements.fetch_rows("recent_pace", self.VALUES) == [(None, None)]


class TestTables:
    def test_have_their_sizes_and_pages(self):
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE sized AS SELECT n, 'x' AS text FROM generate_series(1, 1000) AS n")
            cursor.execute("CREATE TABLE small AS SELECT 1 AS n")
            assert statements.fetch_rows("table_pages", {"table": "sized"})[0][1] is None
            cursor.execute("ANALYZE sized")
            cursor.execute("SELECT pg_total_relation_size('sized'), pg_relation_size('sized') / 8192")
            size, pages = cursor.fetchone()
            cursor.execute("CREATE VIEW seen AS SELECT n FROM sized UNION ALL SELECT n FROM small")
        assert statements.fetch_rows("table_sizes", {"tables": ["sized", "missing"]}) == [
            ("sized", size, 1000.0)
        ]
        assert statements.fetch_rows("table_pages", {"table": "sized"}) == [(pages, 1000 / pages)]
        for name in ("seen", "missing"):
            assert statements.fetch_rows("table_pages", {"table": name}) == [(0, None)]
        assert statements.fetch_rows("view_query", {"table": "sized"}) == [(None,)]
