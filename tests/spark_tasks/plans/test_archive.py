"""The contents of an archive plan: with and without relatives and orphans, and its parts."""

import datetime as dt

import pytest
from django.db import connection
from django.utils import timezone

from messages_app.jobs.connections import database_dsn
from messages_app.jobs.models import JobChunk, JobItem, JobRefusal
from messages_app.shared.message_states import FINAL_STATES, MessageState
from spark_tasks.plans import archive
from spark_tasks.plans.archive import ArchiveScope, plan_bounds, planned_rows, write_single_families
from spark_tasks.plans.plan_writer import write_part
from spark_tasks.session import spark_session
from spark_tasks.tables import named_tables
from tests.spark_tasks.moves.scenes import executor
from tests.spark_tasks.plans.test_plan_writer_claims import planning_job
from tests.support import factories

pytestmark = pytest.mark.django_db(transaction=True)

OLD = timezone.now() - dt.timedelta(days=100)


@pytest.fixture(scope="module")
def spark(spark_remote):
    with spark_session(spark_remote) as session:
        yield session


def scope(**changes: object) -> ArchiveScope:
    values = {
        "dsn": database_dsn(),
        "cutoff": (timezone.now() - dt.timedelta(days=60)).isoformat(),
        "final_states": tuple(sorted(FINAL_STATES)),
        "last_msg_id": 10**9,
    }
    return ArchiveScope(**values | changes)


def message(state: str = MessageState.OK, **columns: object):
    return factories.make_message(
        state=state, receive_timestamp=OLD, last_process_timestamp=OLD, **columns
    ).msg_id


def planned(spark, asked: ArchiveScope) -> list[tuple]:
    return [tuple(row) for row in planned_rows(spark, scope=asked, bounds=plan_bounds(asked)).collect()]


class TestPlanBounds:
    def test_needs_tasks_for_the_messages_that_may_move_and_not_for_the_table(self, monkeypatch):
        monkeypatch.setattr(archive, "_MESSAGES_A_TASK", 2)
        for _ in range(3):
            message()
        factories.make_messages(9)
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE message")

        found = plan_bounds(scope())
        assert (found.messages, found.tasks, found.ranges) == (12, 6, 2)

    def test_needs_tasks_for_the_old_rows_without_a_message(self, monkeypatch):
        monkeypatch.setattr(archive, "_MESSAGES_A_TASK", 2)
        factories.make_messages(9)
        for _ in range(3):
            factories.make_request(None, req_timestamp=OLD)
        factories.make_request(None)
        factories.make_response(None, res_timestamp=OLD)

        assert plan_bounds(scope()).orphans == {"orphan_requests": (OLD, 2), "orphan_responses": (OLD, 1)}

    def test_needs_as_many_tasks_as_the_table_if_more_may_move_than_are_counted(self, monkeypatch):
        monkeypatch.setattr(archive, "_MESSAGES_A_TASK", 2)
        monkeypatch.setattr(archive, "_COUNTED", 2)
        for _ in range(3):
            message()
        factories.make_messages(9)
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE message")

        assert plan_bounds(scope()).ranges == 6


class TestPlannedRows:
    def test_treats_each_message_as_a_family_if_none_has_a_parent(self, spark):
        first, second = message(), message(MessageState.FAILED)
        message(MessageState.WAITING)

        assert sorted(planned(spark, scope())) == [
            ("messages", first, first, "OK", None),
            ("messages", second, second, "FAILED", None),
        ]

    @pytest.mark.slow
    def test_keeps_families_together_if_some_have_a_parent(self, spark):
        parent = message()
        child, alone = message(parent_msg_id=parent), message()

        assert {row[1:3] for row in planned(spark, scope())} == {
            (parent, parent),
            (parent, child),
            (alone, alone),
        }

    def test_adds_rows_without_a_message(self, spark):
        request = factories.make_request(None, req_timestamp=OLD)
        response = factories.make_response(None, res_timestamp=OLD)

        assert {row[:3] for row in planned(spark, scope())} == {
            ("orphan_requests", request.req_id, request.req_id),
            ("orphan_responses", response.res_id, response.res_id),
        }

    def test_searches_for_no_orphans_if_one_of_their_tables_is_not_archived(self, spark):
        factories.make_response(None, res_timestamp=OLD)

        assert planned(spark, scope(tables=named_tables(["message", "response"]))) == []

    def test_is_empty_for_an_empty_hub(self, spark):
        assert planned(spark, scope()) == []


class TestWriteSingleFamilies:
    def written(self, spark, key) -> int:
        asked = scope()
        return write_single_families(spark, key=key, scope=asked, bounds=plan_bounds(asked), size=2)

    def test_writes_messages_and_rows_without_a_message(self, spark):
        ids = {message() for _ in range(5)}
        message(MessageState.WAITING)
        request = factories.make_request(None, req_timestamp=OLD)
        key = planning_job("archive")

        assert self.written(spark, key) == 4
        assert set(JobItem.objects.values_list("msg_id", flat=True)) == ids
        planned = JobChunk.objects.filter(job_id=key.job_id).values_list("content", "planned")
        assert sorted(planned) == [("messages", 1), ("messages", 2), ("messages", 2), ("orphan_requests", 1)]
        assert JobChunk.objects.get(content="orphan_requests").orphan_ids == [request.req_id]

    def test_skips_messages_that_another_job_has(self, spark):
        taken, free = message(), message()
        earlier, key = planning_job("restart"), planning_job("archive")
        with executor() as session:
            rows = [("messages", taken, taken, "OK", None)]
            write_part(session, earlier, 0, rows, size=2, claims=True)

        assert self.written(spark, key) == 1
        refused = JobRefusal.objects.filter(job_id=key.job_id).values_list("msg_id", "outcome")
        assert list(refused) == [(taken, "skipped:in_job")]
        assert JobItem.objects.filter(job_id=key.job_id, msg_id=free).exists()

    def test_writes_nothing_for_an_empty_hub(self, spark):
        assert self.written(spark, planning_job("archive")) == 0
