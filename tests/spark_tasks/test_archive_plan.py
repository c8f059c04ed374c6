"""What an archive plan holds: with and without relatives and orphans, and of how many parts."""

import datetime as dt

import pytest
from django.utils import timezone

from messages_app.jobs.kinds.kind import database_dsn
from messages_app.messages.states import FINAL_STATES, MessageState
from spark_tasks.archive_plan import ArchiveScope, plan_bounds, planned_rows
from spark_tasks.session import spark_session
from spark_tasks.tables import named_tables
from tests import factories

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


class TestPlannedRows:
    def test_takes_each_message_for_itself_where_none_has_a_parent(self, spark):
        first, second = message(), message(MessageState.FAILED)
        message(MessageState.WAITING)

        assert sorted(planned(spark, scope())) == [
            ("messages", first, first, "OK", None),
            ("messages", second, second, "FAILED", None),
        ]

    def test_keeps_families_together_where_some_have(self, spark):
        parent = message()
        child, alone = message(parent_msg_id=parent), message()

        assert {row[1:3] for row in planned(spark, scope())} == {
            (parent, parent),
            (parent, child),
            (alone, alone),
        }

    def test_adds_what_no_message_owns(self, spark):
        request = factories.make_request(None, req_timestamp=OLD)
        response = factories.make_response(None, res_timestamp=OLD)

        assert {row[:3] for row in planned(spark, scope())} == {
            ("orphan_requests", request.req_id, request.req_id),
            ("orphan_responses", response.res_id, response.res_id),
        }

    def test_looks_for_no_orphans_where_a_table_of_theirs_is_not_archived(self, spark):
        factories.make_response(None, res_timestamp=OLD)

        assert planned(spark, scope(tables=named_tables(["message", "response"]))) == []

    def test_is_empty_for_an_empty_hub(self, spark):
        assert planned(spark, scope()) == []
