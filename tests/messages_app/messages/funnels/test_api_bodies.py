"""The body of a funnel, compared as a whole, with a time of its own for each column."""

from datetime import datetime, timedelta

import pytest

from messages_app.core.clock import database_clock
from messages_app.messages.funnels.filters import FunnelFilter
from messages_app.messages.funnels.lanes import make_lanes, sketch_lanes
from messages_app.messages.funnels.selectors import read_running, read_waiting
from messages_app.messages.models import Message
from tests.messages_app.messages.funnels.test_lanes import in_funnel
from tests.support.api_client import ApiClient, caller

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader() -> ApiClient:
    return caller("support")


def store(state: str, *, minutes: int, **columns: object) -> Message:
    """Store a message in a funnel, whose four times all differ."""
    at = database_clock() - timedelta(minutes=minutes)
    names = ("msg_timestamp", "receive_timestamp", "start_process_timestamp", "last_process_timestamp")
    times = {name: at + timedelta(seconds=place) for place, name in enumerate(names)}
    return in_funnel("7", state=state, **times | columns)


def text_of(time: datetime) -> str:
    return time.isoformat().replace("+00:00", "Z")


def described(message: Message) -> dict[str, object]:
    return {
        "msg_id": message.pk,
        "state": message.state,
        "msg_timestamp": text_of(message.msg_timestamp),
        "receive_timestamp": text_of(message.receive_timestamp),
    }


class TestFunnel:
    def test_has_each_value_of_its_own_column(self, reader):
        holder = store("PROCESSING", minutes=9)
        first, second = store("POSTPONED", minutes=8), store("POSTPONED", minutes=7)
        everything = FunnelFilter()
        at = database_clock()
        (lane,) = make_lanes(
            sketch_lanes(read_waiting(everything).members, read_running(everything, at=at)), at=at
        )
        (body,) = reader.get("funnels/").json()["results"]
        assert body == {
            "component_id": "f",
            "value": "7",
            "since": text_of(first.receive_timestamp),
            "holders": [
                described(holder)
                | {
                    "start_process_timestamp": text_of(holder.start_process_timestamp),
                    "idle_at": text_of(lane.holders[0].idle_at),
                    "is_idle": False,
                }
            ],
            "order": [],
            "waiting_count": 2,
            "waiting": [
                described(message) | {"position": position, "why": why, "blocked_by": blocked_by}
                for message, position, why, blocked_by in (
                    (first, 1, "held_by_funnel", holder.pk),
                    (second, 2, "held_by_funnel", holder.pk),
                )
            ],
        }
        times = {
            body["holders"][0][name] for name in body["holders"][0] if name.endswith(("timestamp", "at"))
        }
        assert len(times) == 4

    def test_that_is_held_too_long_says_so(self, reader):
        store("PROCESSING", minutes=24 * 60)
        store("POSTPONED", minutes=1)
        (body,) = reader.get("funnels/").json()["results"]
        assert [holder["is_idle"] for holder in body["holders"]] == [True]

    def test_has_the_columns_of_the_messages_of_its_order(self, reader):
        head = store("FAILED", minutes=9, guaranteed_order=True)
        store("POSTPONED", minutes=8, guaranteed_order=True)
        (body,) = reader.get("funnels/").json()["results"]
        assert body["order"] == [described(head)]
