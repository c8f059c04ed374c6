"""Each condition of the search for messages that share a funnel value has a row that only it leaves out."""

from datetime import timedelta

import pytest

from messages_app.core.statements import Statements
from tests.support.factories import NOON, make_funnel, make_message

pytestmark = pytest.mark.django_db

statements = Statements("messages_app.messages.funnels")
SECOND = timedelta(seconds=1)


def member(msg_id: int, *values: str, **columns: object) -> int:
    defaults = {"state": "POSTPONED", "msg_timestamp": NOON, "funnel_component_id": "f"}
    message = make_message(msg_id=msg_id, **defaults | columns)
    for value in values:
        make_funnel(message, funnel_value=value)
    return message.pk


def rows(*values: str, **chosen: object) -> list[tuple[object, ...]]:
    defaults = {
        "values": list(values or ["7"]),
        "states": ["POSTPONED", "PROCESSING"],
        "bygone": ["OK", "CANCEL"],
        "fence": 50,
        "most_open": 50,
        "component_id": "f",
        "any_component": False,
        "only_ordered": False,
        "started_from": None,
        "started_before": None,
        "excluding": None,
        "most_values": 50,
        "newest_first": False,
        "limit": 50,
    }
    return statements.fetch_rows("members", defaults | chosen)


def ids(*values: str, **chosen: object) -> list[int]:
    return [row[0] for row in rows(*values, **chosen)]


class TestMembers:
    def test_have_each_value_of_its_own_column(self):
        times = {
            name: NOON + place * SECOND
            for place, name in enumerate(
                ("msg_timestamp", "receive_timestamp", "start_process_timestamp", "last_process_timestamp")
            )
        }
        flags = {"guaranteed_order": True, "exclude_failed_state": False}
        member(11, "8", "7", funnel_value="9", **times | flags)
        assert rows() == [(11, "POSTPONED", *times.values(), "f", True, False, ["8", "7"])]

    def test_have_one_of_the_values_in_their_rows_or_without_rows_in_themselves(self):
        member(11, "7")
        member(12, "8")
        member(13, "9", "7")
        member(14, funnel_value="7")
        member(15, "9", funnel_value="7")
        member(16)
        assert ids() == [11, 13, 14]
        assert ids("7", "8", "7") == [11, 12, 13, 14]
        assert ids(most_values=1) == [11, 14]

    def test_have_one_of_the_states(self):
        for msg_id, state in enumerate(["POSTPONED", "PROCESSING", "WAITING", "OK", "FAILED"], start=11):
            member(msg_id, "7", state=state)
            member(msg_id + 10, state=state, funnel_value="7")
        assert ids() == [11, 12, 21, 22]
        assert ids(states=["FAILED"]) == [15, 25]

    def test_have_the_component(self):
        for msg_id, component in enumerate(["f", "g", None], start=11):
            member(msg_id, "7", funnel_component_id=component)
        assert [ids(component_id=component) for component in ("f", "g", None)] == [[11], [12], [13]]
        assert ids(any_component=True) == [11, 12, 13]

    def test_have_a_guaranteed_order_if_requested(self):
        member(11, "7", guaranteed_order=True)
        member(12, "7")
        assert (ids(), ids(only_ordered=True)) == ([11, 12], [11])

    def test_started_in_a_range_with_its_start_and_without_its_end(self):
        for place in range(4):
            member(11 + place, "7", start_process_timestamp=NOON + place * SECOND)
        member(15, "7", start_process_timestamp=None)
        assert ids() == [11, 12, 13, 14, 15]
        assert ids(started_from=NOON + SECOND) == [12, 13, 14]
        assert ids(started_before=NOON + 2 * SECOND) == [11, 12]
        assert ids(started_from=NOON + SECOND, started_before=NOON + 3 * SECOND) == [12, 13]

    def test_leave_out_one_message(self):
        member(11, "7"), member(12, "7")
        assert ids(excluding=12) == [11]

    def test_are_sorted_by_their_time_then_by_id(self):
        member(13, "7"), member(11, "7"), member(12, "7", msg_timestamp=NOON - SECOND)
        assert ids() == [12, 11, 13]
        assert ids(newest_first=True) == [12, 13, 11]
        assert ids(limit=2) == [12, 11]

    @pytest.mark.parametrize("fence", [1, 2, 3, 4])
    def test_are_found_beyond_the_fence_among_open_messages(self, fence):
        """The newest rows of the value are of messages that have ended."""
        member(11, "7")
        member(12, "7", state="PROCESSING")
        for msg_id in (21, 22, 23, 24):
            member(msg_id, "7", state="OK")
        assert ids(fence=fence) == [11, 12]

    def test_beyond_the_fence_are_of_the_value_the_states_and_the_component(self):
        member(11, "7")
        member(12, "8")
        member(13, "7", state="WAITING")
        member(14, "7", funnel_component_id="g")
        for msg_id in (21, 22):
            member(msg_id, "7", state="OK")
        assert ids(fence=2) == [11]
