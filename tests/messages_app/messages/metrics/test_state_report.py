from datetime import timedelta

import pytest

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
