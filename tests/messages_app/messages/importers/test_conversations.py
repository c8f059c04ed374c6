from datetime import UTC, datetime
from pathlib import Path

import pytest

from messages_app.messages.importers.conversations import load_rank, message_row
from messages_app.messages.importers.documents import Document, read_document
from tests.support.factories import make_message

DOCUMENTS = Path(__file__).parents[3] / "documents"
NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
BUYER, SELLER = "4000001000005", "4000002000002"
PROCESS = f"{BUYER}-{SELLER}-PO-77"


def document(name: str, **changes: str) -> Document:
    text = (DOCUMENTS / name).read_text()
    for old, new in changes.items():
        text = text.replace(old, new)
    return read_document(text.encode())


def make_order(**columns: object):
    return make_message(
        **{"source_system": BUYER, "object_id": "PO-77", "operation_name": "Order", "process_id": PROCESS}
        | columns
    )


class TestLoadRank:
    def test_sorts_documents_before_their_answers(self):
        ranks = [load_rank(document(f"{name}.xml")) for name in ("z_order", "invoice", "invoice_response")]
        assert ranks == sorted(set(ranks))


@pytest.mark.django_db
class TestMessageRow:
    def test_gives_each_order_its_own_process(self):
        row = message_row(document("z_order.xml"), loaded_at=NOW)
        assert (row["process_id"], row["parent_msg_id"], row["parent_binding_type"]) == (PROCESS, None, None)
        assert (row["service_name"], row["operation_name"], row["source_system"]) == (
            "ordering",
            "Order",
            BUYER,
        )
        assert (row["object_id"], row["entity_type"], row["state"]) == ("PO-77", "Order", "NEW")
        assert row["msg_timestamp"] == datetime(2024, 3, 4, 9, 15, tzinfo=UTC)
        assert row["receive_timestamp"] == row["last_process_timestamp"] == NOW

    def test_distinguishes_two_documents_with_one_id(self):
        first = message_row(document("z_order.xml"), loaded_at=NOW)
        second = message_row(document("z_order.xml", back="front"), loaded_at=NOW)
        assert first["correlation_id"] != second["correlation_id"]
        assert first["correlation_id"].startswith("Order:PO-77:")

    @pytest.mark.parametrize(
        ("name", "binding"),
        [
            ("order_change.xml", "HARD"),
            ("order_cancellation.xml", "HARD"),
            ("order_response.xml", "SOFT"),
            ("despatch_advice.xml", "SOFT"),
            ("invoice.xml", "SOFT"),
        ],
    )
    def test_makes_an_answer_the_child_of_its_order(self, name, binding):
        order = make_order(msg_timestamp=datetime(2024, 3, 4, tzinfo=UTC), process_id="theirs")
        row = message_row(document(name), loaded_at=NOW)
        assert (row["parent_msg_id"], row["parent_binding_type"]) == (order.msg_id, binding)
        assert row["process_id"] == "theirs"

    @pytest.mark.parametrize("name", ["order_change", "order_response", "despatch_advice"])
    def test_shares_the_process_if_the_order_is_missing(self, name):
        row = message_row(document(f"{name}.xml"), loaded_at=NOW)
        assert (row["parent_msg_id"], row["parent_binding_type"]) == (None, None)
        assert row["process_id"] == PROCESS

    @pytest.mark.parametrize(
        "columns",
        [{"source_system": "OTHER"}, {"object_id": "PO-78"}, {"operation_name": "OrderResponse"}],
    )
    def test_links_no_unrelated_documents(self, columns):
        make_order(**columns)
        assert message_row(document("order_change.xml"), loaded_at=NOW)["parent_msg_id"] is None

    def test_prefers_the_newest_order_before_the_answer(self):
        make_order(msg_timestamp=datetime(2020, 1, 1, tzinfo=UTC))
        right = make_order(msg_timestamp=datetime(2024, 3, 4, tzinfo=UTC))
        make_order(msg_timestamp=datetime(2024, 3, 6, 1, tzinfo=UTC))
        assert message_row(document("order_change.xml"), loaded_at=NOW)["parent_msg_id"] == right.msg_id

    def test_shortens_long_ids_to_different_ones(self):
        long = "9" * 99
        rows = [message_row(document("z_order.xml", **{"PO-77": long + end}), loaded_at=NOW) for end in "ab"]
        for name, limit in (("object_id", 50), ("correlation_id", 100), ("process_id", 100)):
            assert len({row[name] for row in rows}) == 2
            assert all(len(row[name]) == limit for row in rows)
