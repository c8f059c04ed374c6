"""Each condition of what is read about external systems has a row that only it leaves out."""

from datetime import timedelta

import pytest
from django.db import connection

from messages_app.messages.traffic.systems import outside_systems, statements
from tests.support.factories import NOON, make_external_call, make_message, make_request, make_response

pytestmark = pytest.mark.django_db

SECOND = timedelta(seconds=1)


def answer(uri: str, *, after: float, at: timedelta = SECOND, failed: bool = False) -> int:
    """Store a request and its response, which came `after` seconds later, `at` after noon."""
    request = make_request(None, uri=uri, req_timestamp=NOON + at - timedelta(seconds=after))
    make_response(request, failed=failed, res_timestamp=NOON + at)
    return request.pk


class TestNewestResponses:
    def rows(self, fence: int = 9) -> list[tuple[str, bool, float | None]]:
        return statements.fetch_rows("newest_responses", {"since": NOON, "fence": fence})

    def test_are_those_since_a_time_newest_first(self):
        answer("before", after=1, at=-SECOND)
        answer("exactly", after=1, at=timedelta())
        answer("later", after=2, at=2 * SECOND, failed=True)
        answer("newest", after=3, at=3 * SECOND)
        make_response(None, res_timestamp=NOON + SECOND)
        assert sorted(self.rows()) == [("exactly", False, 1), ("later", True, 2), ("newest", False, 3)]
        assert sorted(self.rows(fence=2)) == [("later", True, 2), ("newest", False, 3)]

    def test_that_came_before_their_request_took_no_time(self):
        answer("early", after=-5)
        assert self.rows() == [("early", False, 0)]

    @pytest.mark.parametrize(
        ("table", "column"), [("request", "req_timestamp"), ("response", "res_timestamp")]
    )
    def test_with_an_infinite_time_have_no_duration(self, table, column):
        answer("odd", after=1)
        with connection.cursor() as cursor:
            cursor.execute(f"UPDATE {table} SET {column} = 'infinity'")
        assert self.rows() == [("odd", False, None)]
        (system,) = outside_systems(since=NOON)
        assert (system.responses, system.p95_seconds) == (1, None)


class TestOpenCalls:
    def test_are_the_newest_of_each_state_except_ok(self):
        message = make_message()
        for name, state in (
            ("a", "FAILED"),
            ("b", "FAILED"),
            ("b", "FAILED"),
            ("c", "PROCESSING"),
            ("d", "OK"),
        ):
            make_external_call(message, operation_name=name, state=state)
        values = {"states": ["FAILED", "PROCESSING", "OK"], "fence": 9}
        expected = [("a", "FAILED", 1), ("b", "FAILED", 2), ("c", "PROCESSING", 1)]
        assert sorted(statements.fetch_rows("open_calls", values)) == expected
        assert sorted(statements.fetch_rows("open_calls", values | {"fence": 2})) == expected[1:]
        assert statements.fetch_rows("open_calls", values | {"states": ["PROCESSING"]}) == [expected[2]]

    def test_of_several_operations_of_a_system_are_added_up(self):
        message = make_message()
        for place, state in enumerate(["FAILED"] * 2 + ["PROCESSING"] * 3):
            make_external_call(message, operation_name=f"http://crm.example/{place}", state=state)
        (system,) = outside_systems(since=NOON)
        assert (system.name, system.calls) == ("crm.example", {"FAILED": 2, "PROCESSING": 3})


class TestOrder:
    def test_is_by_failed_responses_open_calls_responses_and_name(self):
        message = make_message()
        answer("http://f.example/", after=1, failed=True)
        for name, state in (("e", "FAILED"), ("d", "PROCESSING"), ("c", "PROCESSING")):
            make_external_call(message, operation_name=f"http://{name}.example/", state=state)
        for _ in range(2):
            answer("http://b.example/", after=1)
        answer("http://a.example/", after=1)
        names = [system.name[0] for system in outside_systems(since=NOON)]
        assert names == ["f", "e", "b", "a", "c", "d"]
        assert [system.name[0] for system in outside_systems(since=NOON, most=2)] == ["f", "e"]

    @pytest.mark.parametrize(("count", "expected"), [(1, 1), (19, 19), (20, 19), (21, 20), (40, 38)])
    def test_of_durations_gives_the_95th_percentile(self, count, expected):
        for seconds in range(count, 0, -1):
            answer("http://a.example/", after=seconds)
        (system,) = outside_systems(since=NOON)
        assert system.p95_seconds == expected


class TestOperations:
    def test_are_distinct_and_limited_in_number(self):
        message = make_message()
        for name in ("b", "a", "b", "c"):
            make_external_call(message, operation_name=name)
        assert statements.fetch_rows("operations", {"limit": 9}) == [("a",), ("b",), ("c",)]
        assert statements.fetch_rows("operations", {"limit": 2}) == [("a",), ("b",)]
