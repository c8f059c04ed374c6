"""Plans of parts of a list: constants, bounds, and what the planner reads."""

from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet

from messages_app.core.lists.branches import Indexes, Part, _has_table_scan, branch_of, is_few, plan_rows
from messages_app.core.pagination.keyset import Order
from messages_app.messages.models import Message
from tests.support.factories import NOON, make_messages

BY_ID = Order(column="msg_id", key="msg_id", descending=True)
BY_TIME = Order(column="receive_timestamp", key="msg_id", descending=True)
INDEXES = Indexes(
    columns={(Message, "msg_id"): ("service_name", "state"), (Message, "receive_timestamp"): ("state",)},
    in_none=frozenset({"OK"}),
)


def node(kind: str, table: str, cost: float, *plans: dict) -> Any:
    return {
        "Node Type": kind,
        "Relation Name": table,
        "Plan Rows": 1,
        "Total Cost": cost,
        "Plans": list(plans),
    }


@pytest.mark.parametrize(
    ("planned", "expected"),
    [
        pytest.param(node("Seq Scan", "message", 0), True, id="the table"),
        pytest.param(node("Seq Scan", "part", 20), False, id="a small partition"),
        pytest.param(node("Seq Scan", "part", 20.1), True, id="a large partition"),
        pytest.param(node("Index Scan", "message", 900), False, id="an index"),
        pytest.param(
            node("Append", "", 9, node("Index Scan", "part", 900), node("Seq Scan", "part", 21)),
            True,
            id="below",
        ),
        pytest.param(node("Append", "", 99, node("Seq Scan", "part", 19)), False, id="nothing large below"),
    ],
)
def test_a_table_is_read_by_a_scan_of_it_or_of_a_large_part(planned, expected):
    assert _has_table_scan(planned, "message") is expected


def part_of(others: QuerySet, constants: dict, **more: Any) -> Part:
    return Part(others, constants, indexes=INDEXES, **more)


@pytest.mark.parametrize(
    ("constants", "order", "expected"),
    [
        ({"state": "FAILED", "service_name": "billing"}, BY_ID, ("service_name", "billing")),
        ({"state": "FAILED"}, BY_ID, ("state", "FAILED")),
        ({"state": "OK"}, BY_ID, None),
        ({"state": "FAILED", "service_name": "billing"}, BY_TIME, ("state", "FAILED")),
        ({"object_id": "x"}, BY_ID, None),
        ({"state": "FAILED"}, Order(column="object_id", key="msg_id", descending=True), None),
    ],
)
def test_a_constant_is_the_first_with_an_index_in_the_order(constants, order, expected):
    assert part_of(Message.objects.all(), constants).constant_of(order) == expected


def where_of(rows: QuerySet) -> str:
    return str(rows.query).partition(" WHERE ")[2]


def test_rows_have_their_conditions_without_the_constant():
    part = part_of(
        Message.objects.filter(object_id="x"),
        {"state": "FAILED", "process_id": "p"},
        bounds={"msg_id__gte": 7},
        probed=Message.objects.filter(object_id="y"),
    )
    for condition in ("object_id", "state", "process_id", "msg_id"):
        assert f'"message"."{condition}"' in where_of(part.rows)
    table = '"message".'
    assert where_of(part.rows_without(("state", "FAILED"))) == (
        f'({table}"object_id" = x AND {table}"process_id" = p)'
    )
    assert where_of(part.rows_without(None, probed=True)) == (
        f'({table}"object_id" = y AND {table}"process_id" = p AND {table}"state" = FAILED)'
    )


@pytest.mark.django_db
class TestBranchOf:
    def test_scans_other_rows_of_the_bounds_if_it_searches_texts(self):
        part = part_of(
            Message.objects.filter(object_id="x"),
            {"state": "FAILED"},
            bounds={"msg_id__gte": 7},
            searches=True,
        )
        branch = branch_of(part, BY_ID, ranges=())
        assert (branch.is_few, branch.constant) == (False, ("state", "FAILED"))
        assert where_of(branch.scan) == '"message"."msg_id" >= 7'
        assert "state" not in where_of(branch.rows)

    def test_sorts_rows_that_their_keys_select(self):
        part = part_of(Message.objects.filter(failed_count=5), {}, is_few=True)
        branch = branch_of(part, BY_ID, ranges=())
        assert (branch.is_few, branch.constant, branch.scan) == (True, None, None)

    def test_follows_an_index_that_has_only_its_rows(self):
        branch = branch_of(part_of(Message.objects.all(), {"state": "FAILED"}), BY_ID, ranges=())
        assert (branch.is_few, branch.constant, branch.scan) == (False, ("state", "FAILED"), None)

    def test_plans_nothing_for_a_filter_without_rows(self):
        assert plan_rows(Message.objects.none()) == {"Node Type": "Result", "Plan Rows": 0, "Total Cost": 0.0}

    def test_sorts_more_rows_of_a_range_of_another_time(self):
        # New pages and indexes: among dead rows of earlier tests, the planner scans the table.
        with connection.cursor() as cursor:
            cursor.execute("TRUNCATE message CASCADE")
        make_messages(20_000)
        tenth = Message.objects.filter(receive_timestamp__lt=NOON.replace(minute=33))
        assert is_few(tenth, BY_ID, ("receive_timestamp",))
        assert not is_few(tenth, BY_ID, ())
        assert not is_few(tenth, BY_TIME, ("receive_timestamp",))
        assert not is_few(Message.objects.filter(failed_count=5), BY_ID, ())
        few, bounds = Message.objects.filter(object_id="x"), {"msg_id__gte": 1}
        for rows, more, expected in (
            (few, {"bounds": bounds}, True),
            (few, {"searches": True}, True),
            (few, {"bounds": bounds, "searches": True}, False),
            (Message.objects.filter(failed_count=5), {}, False),
        ):
            assert branch_of(part_of(rows, {}, **more), BY_ID, ranges=()).is_few is expected, more
