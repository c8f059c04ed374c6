"""The list of dispatches: each filter finds the rows that it names, the newest first."""

from datetime import UTC, datetime, timedelta

import pytest

from messages_app.cp_queue.models import CpDispatch
from messages_app.cp_queue.selectors.log import dispatch_page
from messages_app.cp_queue.selectors.pickup_forecast import dispatches_of
from tests.support.queues import guid_of

pytestmark = pytest.mark.django_db

DAY, BIT = timedelta(days=1), timedelta(microseconds=1)
TIME = datetime(2026, 5, 1, tzinfo=UTC)
# Name of the message, queue, object, service, and outcome; a day apart.
DISPATCHES = (
    ("a", "NEW", 5, "W1", "done"),
    ("b", "RENDITION", 5, "W2", "failed"),
    ("c", "NEW", 6, "W1", "deferred"),
    ("a", "RENDITION", 5, "W1", "parked"),
    ("d", "NEW", 7, "W2", "done"),
)


@pytest.fixture
def dispatches() -> None:
    for number, (name, queue, osid, service, outcome) in enumerate(DISPATCHES):
        CpDispatch.objects.create(
            messageguid=guid_of(name),
            queuename=queue,
            osid=osid,
            ostype=70_000 + number,
            created=TIME,
            at=TIME + number * DAY,
            service=service,
            reason=f"reason {number}",
            outcome=outcome,
            collapsed=0,
            attempts=0,
        )


@pytest.mark.usefixtures("dispatches")
class TestDispatchPage:
    @pytest.mark.parametrize(
        ("values", "numbers"),
        [
            ({}, [4, 3, 2, 1, 0]),
            ({"queuename": "NEW"}, [4, 2, 0]),
            ({"service": "W1"}, [3, 2, 0]),
            ({"osid": 5}, [3, 1, 0]),
            ({"outcome": "done"}, [4, 0]),
            ({"messageguid": guid_of("a")}, [3, 0]),
            ({"messageguid": guid_of("a").lower()}, [3, 0]),
            ({"messageguid": guid_of("a"), "queuename": "NEW"}, [0]),
            ({"messageguid": guid_of("a"), "outcome": "parked"}, [3]),
            ({"messageguid": guid_of("a"), "service": "W2"}, []),
            ({"queuename": "NEW", "service": "W1"}, [2, 0]),
            ({"queuename": "RENDITION", "osid": 5, "service": "W1"}, [3]),
            ({"osid": 5, "outcome": "failed"}, [1]),
            ({"at_from": TIME + DAY, "at_to": TIME + 3 * DAY}, [3, 2, 1]),
            ({"at_from": TIME + DAY + BIT, "at_to": TIME + 3 * DAY - BIT, "queuename": "NEW"}, [2]),
        ],
        ids=str,
    )
    def test_applies_its_filters(self, values, numbers):
        rows = dispatch_page(values=values).rows
        assert [row.reason for row in rows] == [f"reason {number}" for number in numbers]

    def test_of_a_message_has_its_dispatches(self):
        lines = [line.reason for line in dispatches_of(guid_of("a"))]
        assert lines == ["reason 3", "reason 0"]
