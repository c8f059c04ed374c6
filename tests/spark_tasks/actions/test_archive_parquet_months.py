"""The month of a part is that of UTC, whatever zone the database or the session has."""

import datetime as dt

import psycopg
import pytest

from messages_app.core.statements import Statements
from messages_app.jobs.connections import database_dsn
from tests.support import factories

statements = Statements("spark_tasks.parquet")


pytestmark = pytest.mark.django_db(transaction=True)

LAST_OF_MARCH = dt.datetime(2026, 3, 31, 23, 30, tzinfo=dt.UTC)
FIRST_OF_APRIL = dt.datetime(2026, 4, 1, 0, 30, tzinfo=dt.UTC)
MARCH, APRIL = dt.date(2026, 3, 1), dt.date(2026, 4, 1)


def months(name: str, ids: list[int], zone: str) -> dict[int, dt.date]:
    with psycopg.connect(database_dsn()) as session:
        session.execute("SELECT set_config('timezone', %s, false)", [zone])
        return dict(session.execute(statements.read_text(name), {"ids": ids}).fetchall())


@pytest.mark.parametrize("zone", ["UTC", "Europe/Prague", "America/Los_Angeles"])
class TestMonthsOfFiles:
    def test_follow_the_last_change_of_messages(self, zone):
        last, first = (
            factories.make_message(state="OK", last_process_timestamp=at).pk
            for at in (LAST_OF_MARCH, FIRST_OF_APRIL)
        )
        assert months("months_of_messages", [last, first], zone) == {last: MARCH, first: APRIL}

    def test_follow_the_time_of_orphan_requests(self, zone):
        last, first = (
            factories.make_request(None, req_timestamp=at).pk for at in (LAST_OF_MARCH, FIRST_OF_APRIL)
        )
        assert months("months_of_orphan_requests", [last, first], zone) == {last: MARCH, first: APRIL}

    def test_follow_the_time_of_orphan_responses(self, zone):
        last, first = (
            factories.make_response(None, res_timestamp=at).pk for at in (LAST_OF_MARCH, FIRST_OF_APRIL)
        )
        assert months("months_of_orphan_responses", [last, first], zone) == {last: MARCH, first: APRIL}
