from datetime import timedelta

import pytest
from django.db import connection

from messages_app.messages.metrics import state_report
from messages_app.messages.metrics.state_report import TimeRange
from messages_app.shared.message_states import MessageState
from tests.support.factories import NOON, make_message

pytestmark = pytest.mark.django_db

RANGE = TimeRange(NOON, NOON + timedelta(hours=1))


class TestCountRange:
    def test_counts_by_service_operation_source_and_state(self):
        for state in ("OK", "OK", "POSTPONED"):
            make_message(state=state, receive_timestamp=NOON)
        make_message(state="NEW", source_system="ERP", receive_timestamp=NOON)
        matrix = state_report.count_range(RANGE)
        assert [(row.source_system, row.states, row.total) for row in matrix.rows] == [
            ("CRM", {"OK": 2, "POSTPONED": 1}, 3),
            ("ERP", {"NEW": 1}, 1),
        ]
        assert (matrix.truncated, matrix.counted_from) == (False, NOON)

    def test_counts_only_the_newest_of_too_many_messages(self, monkeypatch):
        monkeypatch.setattr(state_report, "FENCE", 3)
        for minutes, service in ((0, "old"), (20, "mid"), (30, "new"), (30, "new")):
            make_message(service_name=service, receive_timestamp=NOON + timedelta(minutes=minutes))
        matrix = state_report.count_range(RANGE)
        assert [(row.service_name, row.total) for row in matrix.rows] == [("mid", 1), ("new", 2)]
        assert (matrix.truncated, matrix.counted_from) == (True, NOON + timedelta(minutes=20))

    def test_counts_the_last_stored_of_too_many_messages_of_one_moment(self, monkeypatch):
        monkeypatch.setattr(state_report, "FENCE", 2)
        for service in ("first", "second", "third"):
            make_message(service_name=service, receive_timestamp=NOON)
        assert [row.service_name for row in state_report.count_range(RANGE).rows] == ["second", "third"]

    def test_returns_at_most_the_maximum_of_rows_by_service_operation_and_source(self, monkeypatch):
        monkeypatch.setattr(state_report, "MAX_ROWS", 3)
        names = [("b", "1", "X"), ("a", "2", "X"), ("a", "1", "Y"), ("a", "1", "X")]
        for service, operation, source in names:
            make_message(
                service_name=service, operation_name=operation, source_system=source, receive_timestamp=NOON
            )
        matrix = state_report.count_range(RANGE)
        rows = [(row.service_name, row.operation_name, row.source_system) for row in matrix.rows]
        assert rows == [("a", "1", "X"), ("a", "1", "Y"), ("a", "2", "X")]
        assert (matrix.truncated, matrix.counted_from) == (True, NOON)

    def test_is_complete_with_exactly_the_maximum_of_rows(self, monkeypatch):
        monkeypatch.setattr(state_report, "MAX_ROWS", 2)
        for service in ("a", "b"):
            make_message(service_name=service, receive_timestamp=NOON)
        matrix = state_report.count_range(RANGE)
        assert ([row.service_name for row in matrix.rows], matrix.truncated) == (["a", "b"], False)

    @pytest.mark.parametrize("minutes", [0, 60])
    def test_counts_at_both_ends_of_the_range(self, minutes):
        make_message(receive_timestamp=NOON + timedelta(minutes=minutes))
        assert [row.total for row in state_report.count_range(RANGE).rows] == [1]

    @pytest.mark.parametrize("minutes", [-1, 61])
    def test_counts_within_the_range(self, minutes):
        make_message(receive_timestamp=NOON + timedelta(minutes=minutes))
        assert state_report.count_range(RANGE).rows == []

    def test_counts_an_unknown_state(self):
        make_message(state="ODD", receive_timestamp=NOON)
        assert state_report.count_range(RANGE).rows[0].states == {"ODD": 1}


class TestCountByState:
    def test_counts_every_state_except_ok_exactly(self):
        make_message(state="FAILED"), make_message(state="FAILED"), make_message(state="OK")
        totals = {total.state: total for total in state_report.count_by_state(failing=2)}
        assert set(totals) == set(MessageState)
        assert (totals["FAILED"].count, totals["FAILED"].exact) == (2, True)
        assert (totals["NEW"].count, totals["NEW"].exact) == (0, True)
        assert not totals["OK"].exact

    def test_gives_a_lower_bound_for_a_state_with_too_many_messages(self, monkeypatch):
        monkeypatch.setattr(state_report, "_FENCE_OF_TOTAL", 2)
        make_message(state="NEW"), make_message(state="WAITING"), make_message(state="WAITING")
        totals = {total.state: (total.count, total.exact) for total in state_report.count_by_state(failing=0)}
        assert (totals["NEW"], totals["WAITING"]) == ((1, True), (2, False))

    def test_estimates_ok_as_all_messages_minus_those_of_each_other_state(self):
        numbers = {state: place for place, state in enumerate(sorted(MessageState), start=1)}
        for state, number in numbers.items():
            for _ in range(number):
                make_message(state=state)
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE message")
        failing = numbers["FAILED"]
        totals = {total.state: total.count for total in state_report.count_by_state(failing=failing)}
        assert totals == numbers

    def test_estimates_no_ok_rather_than_less(self):
        make_message(state="NEW")
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE message")
        totals = {total.state: total.count for total in state_report.count_by_state(failing=1_000_000)}
        assert (totals["OK"], totals["FAILED"], totals["NEW"]) == (0, 1_000_000, 1)
