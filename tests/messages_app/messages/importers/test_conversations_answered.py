"""The message that a document answers, among others that miss a condition or come later in the order."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from messages_app.messages.importers import conversations
from messages_app.messages.models import Message
from tests.support.factories import make_message

pytestmark = pytest.mark.django_db

ISSUED = datetime(2024, 3, 5, 23, 59, 59, tzinfo=UTC)
SECOND, DAY = timedelta(seconds=1), timedelta(days=1)
ORDER = {
    "object_id": "PO-77",
    "source_system": "BUYER",
    "operation_name": "Order",
    "process_id": "ours",
    "msg_timestamp": ISSUED - DAY,
}


def make_order(**columns: object) -> Message:
    return make_message(**ORDER | columns)


def find_answered(**changes: object) -> tuple[int, str | None] | None:
    arguments = {
        "object_id": "PO-77",
        "source_system": "BUYER",
        "operation_names": ["Order", "OrderChange"],
        "issued_until": ISSUED,
        "process_id": "ours",
    }
    with connection.cursor() as cursor:
        cursor.execute(conversations.statements.read_text("find_answered_message"), arguments | changes)
        return cursor.fetchone()


class TestAnswered:
    @pytest.mark.parametrize("changes", [{}, {"operation_names": []}])
    def test_is_of_its_object_and_sender_and_no_answer_itself(self, changes):
        for columns in (
            {"object_id": "PO-78"},
            {"source_system": "OTHER"},
            {"operation_name": "ApplicationResponse"},
        ):
            make_order(**columns)
        assert find_answered(**changes) is None
        order = make_order(process_id="theirs")
        assert find_answered(**changes) == (order.msg_id, "theirs")

    @pytest.mark.parametrize("name", ["Order", "OrderChange"])
    def test_is_of_one_of_the_types_that_are_answered(self, name):
        make_order(operation_name="Invoice")
        assert find_answered() is None
        order = make_order(operation_name=name, process_id=None)
        assert find_answered() == (order.msg_id, None)

    def test_is_not_an_answer_even_if_its_type_is_named(self):
        make_order(operation_name="ApplicationResponse")
        assert find_answered(operation_names=["ApplicationResponse"]) is None

    def test_is_of_any_type_if_none_is_named(self):
        make_order(operation_name="Order")
        newer = make_order(operation_name="Invoice", msg_timestamp=ISSUED - SECOND)
        assert find_answered(operation_names=[]) == (newer.msg_id, "ours")

    @pytest.mark.parametrize(
        ("better", "worse"),
        [
            # Issued before, or at the same time, wins over the same parties and a newer time.
            ({"process_id": "theirs"}, {"msg_timestamp": ISSUED + SECOND}),
            ({"process_id": "theirs", "msg_timestamp": ISSUED}, {"msg_timestamp": ISSUED + SECOND}),
            # The same parties win over a newer time.
            ({"msg_timestamp": ISSUED - 9 * DAY}, {"process_id": "theirs", "msg_timestamp": ISSUED}),
            ({"msg_timestamp": ISSUED - 9 * DAY}, {"process_id": None, "msg_timestamp": ISSUED}),
            # Then the newest of those before, also if all are later.
            ({"msg_timestamp": ISSUED}, {"msg_timestamp": ISSUED - SECOND}),
            ({"msg_timestamp": ISSUED + 2 * SECOND}, {"msg_timestamp": ISSUED + SECOND}),
        ],
    )
    @pytest.mark.parametrize("is_better_first", [True, False])
    def test_is_the_best_in_time_then_of_the_parties_then_the_newest(self, better, worse, is_better_first):
        rows = [better, worse] if is_better_first else [worse, better]
        stored = {id(columns): make_order(**columns) for columns in rows}
        assert find_answered() == (stored[id(better)].msg_id, better.get("process_id", "ours"))

    def test_is_the_last_one_of_one_time(self):
        _, last = make_order(), make_order()
        assert find_answered() == (last.msg_id, "ours")

    def test_without_a_time_is_of_the_same_parties_then_the_newest(self):
        make_order(process_id="theirs", msg_timestamp=ISSUED + 9 * DAY)
        newest = make_order(msg_timestamp=ISSUED + DAY)
        make_order(msg_timestamp=ISSUED - DAY)
        assert find_answered(issued_until=None) == (newest.msg_id, "ours")

    def test_of_a_document_without_parties_prefers_those_without_parties_too(self):
        bare = make_order(process_id=None)
        make_order(msg_timestamp=ISSUED)
        assert find_answered(process_id=None) == (bare.msg_id, None)
