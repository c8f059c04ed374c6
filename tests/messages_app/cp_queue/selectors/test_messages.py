"""The list of messages: each filter finds the rows that it names, in both orders."""

from datetime import UTC, datetime, timedelta

import pytest

from messages_app.cp_queue.models import (
    CpDeferred,
    CpMessage,
    CpReservation,
    CpRetry,
)
from messages_app.cp_queue.selectors.messages import Described, describe_messages, message_page
from messages_app.cp_queue.selectors.pickup_forecast import find_message, queues_held_by, queues_of_object
from messages_app.cp_queue.states import State
from tests.support.queues import guid_of

pytestmark = pytest.mark.django_db

DAY, BIT = timedelta(days=1), timedelta(microseconds=1)
TIME = datetime(2026, 5, 1, tzinfo=UTC)
# Name, queue, object, holder, and whether it waits (True: until a time, False: parked); a day apart.
MESSAGES = (
    ("a", "NEW", 5, None, None),
    ("b", "RENDITION", 5, None, None),
    ("c", "RENDITION", 6, "W1", None),
    ("d", "NEW", 6, "W2", None),
    ("e", "RENDITION", 5, None, True),
    ("f", "NEW", 7, None, False),
    ("g", "STORE", 5, "W1", None),
    ("h", "STORE", 7, None, True),
)


def columns_of(number: int, name: str, queue: str, osid: int) -> dict[str, object]:
    return {
        "messageguid": guid_of(name),
        "queuename": queue,
        "osid": osid,
        "ostype": 70_000 + number,
        "created": TIME + number * DAY,
    }


@pytest.fixture
def messages() -> dict[str, str]:
    """Store MESSAGES; return the names by GUID."""
    for number, (name, queue, osid, service, waits) in enumerate(MESSAGES):
        columns = columns_of(number, name, queue, osid)
        if waits is None:
            checkguid = service and guid_of(f"check {name}")
            CpMessage.objects.create(**columns, lock_service=service, checkguid=checkguid)
        else:
            CpDeferred.objects.create(**columns, not_before=TIME + (number + 20) * DAY if waits else None)
            CpRetry.objects.create(messageguid=guid_of(name), attempts=number)
        if name in {"c", "d"}:
            CpReservation.objects.create(
                messageguid=guid_of(name),
                service=service,
                checkguid=guid_of("check c"),
                reserved_at=TIME + (number + 10) * DAY,
                is_fenced=False,
                collapsed=0,
            )
    return {guid_of(name): name for name, *_ in MESSAGES}


class TestMessagePage:
    @pytest.mark.parametrize(
        ("values", "expected"),
        [
            ({}, "hgfedcba"),
            ({"queuename": "RENDITION"}, "ecb"),
            ({"queuename": "NEW"}, "fda"),
            ({"lock_service": "W1"}, "gc"),
            ({"lock_service": "W1", "queuename": "STORE"}, "g"),
            ({"lock_service": "W3"}, ""),
            ({"osid": 5}, "geba"),
            ({"osid": 5, "queuename": "RENDITION"}, "eb"),
            ({"osid": 6, "lock_service": "W1"}, "c"),
            ({"state": State.FREE}, "ba"),
            ({"state": State.RESERVED}, "gdc"),
            ({"state": State.DEFERRED}, "he"),
            ({"state": State.PARKED}, "f"),
            ({"state": State.DEFERRED, "queuename": "RENDITION"}, "e"),
            ({"state": State.DEFERRED, "osid": 7}, "h"),
            ({"state": State.RESERVED, "queuename": "NEW"}, "d"),
            ({"state": State.RESERVED, "osid": 5}, "g"),
            ({"state": State.FREE, "lock_service": "W1"}, ""),
            ({"created_from": TIME + 2 * DAY, "created_to": TIME + 4 * DAY}, "edc"),
            ({"created_from": TIME + 2 * DAY + BIT, "created_to": TIME + 4 * DAY - BIT}, "d"),
            ({"created_from": TIME + 4 * DAY, "state": State.DEFERRED}, "he"),
            ({"created_from": TIME + 4 * DAY + BIT, "state": State.DEFERRED}, "h"),
        ],
        ids=str,
    )
    def test_applies_its_filters(self, messages, values, expected):
        for ordering, names in ((None, expected), ("created", expected[::-1])):
            page = message_page(values=values, ordering=ordering)
            assert "".join(messages[row.messageguid] for row in page.rows) == names

    def test_returns_each_message_once_over_pages(self, messages):
        seen, cursor = "", None
        while cursor is not None or not seen:
            page = message_page(values={}, cursor=cursor, page_size=3)
            seen += "".join(messages[row.messageguid] for row in page.rows)
            cursor = page.next_cursor
        assert seen == "hgfedcba"


class TestDescribeMessages:
    def test_adds_the_columns_of_the_side_tables(self, messages):
        rows = list(CpMessage.objects.order_by("created"))
        described = describe_messages(rows)
        for number, (one, (name, queue, osid, service, waits)) in enumerate(
            zip(described, MESSAGES, strict=True)
        ):
            state = State.RESERVED if service else State.FREE
            if waits is not None:
                state = State.DEFERRED if waits else State.PARKED
            assert one == Described(
                **columns_of(number, name, queue, osid),
                lock_service=service,
                state=state,
                not_before=TIME + (number + 20) * DAY if waits else None,
                attempts=number if waits is not None else 0,
                # That of d belongs to an earlier reservation.
                reserved_at=TIME + 12 * DAY if name == "c" else None,
            )
        assert find_message(guid_of("e")) == described[4]
        assert find_message(guid_of("z")) is None


class TestQueuesOf:
    def test_a_service_and_an_object_are_in_order(self, messages):
        assert queues_held_by("W1") == ["RENDITION", "STORE"]
        assert queues_held_by("W3") == []
        within = frozenset({"STORE", "NEW", "PAGECOUNT"})
        assert queues_of_object(5, within=within) == ["NEW", "STORE"]
