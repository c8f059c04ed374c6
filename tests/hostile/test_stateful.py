"""
Others write hostile rows into every table, one after another, while operators read and act.

After each step no address answers 500, and an ordinary row next to them is still listed.
"""

from collections import Counter
from random import Random
from urllib.parse import urlencode

import pytest
from django.db import transaction
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, rule, run_state_machine_as_test

from messages_app.messages.metrics.passes import fold_changes
from tests.hostile.addresses import QUERIES
from tests.hostile.rows import LONG_NUMBERS, NEW_NUMBERS, TEXTS, TIMES, Table, table_of
from tests.hostile.test_paging import own_schema
from tests.stateful.machine import SHORT, StoredMachine
from tests.support.api_client import caller
from tests.support.factories import make_message
from tests.support.histories import make_trigger
from tests.support.stores import define

# The keys of a row, and a value that leads to its message.
KEYS = {
    "message": "msg_id",
    "archive_message": "msg_id",
    "request": "req_id",
    "response": "res_id",
    "external_call": "call_id",
    "funnel": "funnel_id",
    "oscpmqueue": "messageguid",
    "message_store": "message_identifier",
    "message_process": "message_identifier",
    "message_history": "message_identifier",
    "document_history": "document_uuid",
}
LISTS = tuple(
    f"{address.removeprefix('api/v1/')}?{query}"
    for address, queries in QUERIES.items()
    if address.startswith("api/v1/") and "<" not in address
    for query in queries
)
FILTERS = (
    *("receive_timestamp_from", "receive_timestamp_to", "msg_timestamp_to", "last_process_timestamp_from"),
    *("msg_id", "parent_msg_id", "state", "service_name", "object_id", "correlation_id", "failed_error_code"),
)
VALUES = st.sampled_from([*TIMES, *map(str, LONG_NUMBERS), *(text[:200] for text in TEXTS)])
# The number of hostile rows that the database accepted, by table.
STORED: Counter[str] = Counter()
_SMALL = settings(SHORT, max_examples=4, stateful_step_count=8)
_DEEP = settings(SHORT, max_examples=60, stateful_step_count=40)


def draw_row(chance: Random, table: Table, key: str, number: int) -> dict[str, object]:
    """Draw a row: each column is at one of its extremes, ordinary, or left out if it may be."""
    row: dict[str, object] = {}
    for column in table.columns:
        if column.is_required or column.name == key or chance.random() < 0.5:
            row[column.name] = chance.choice([column.usual, *column.extremes])
    if chance.random() < 0.5:
        row[key] = number if isinstance(row.get(key, 0), int) else f"{number:032X}"
    return row


class Writers(StoredMachine):
    @initialize(chance=st.randoms(use_true_random=True))
    def begins(self, chance: Random) -> None:
        make_trigger("shop")
        define()
        self.operator = caller("admin", "operator", "view_payload", "history_service", "cp_service")
        self.ordinary = make_message(state="FAILED").pk
        self.tables = {name: table_of(name, own_schema()) for name in KEYS}
        self.msg_ids = [self.ordinary]
        self.store_row_of_each(chance)

    # One draw for all columns: a draw for each would exceed what hypothesis keeps of a story.
    @rule(chance=st.randoms(use_true_random=True))
    def store_rows(self, chance: Random) -> None:
        self.store_row_of_each(chance)

    def store_row_of_each(self, chance: Random) -> None:
        for name, table in self.tables.items():
            row = draw_row(chance, table, KEYS[name], next(NEW_NUMBERS))
            if row.get("msg_id") is not None and name not in ("message", "archive_message"):
                row["msg_id"] = chance.choice(self.msg_ids)
            if table.insert(row):
                STORED[name] += 1
                if name in ("message", "archive_message"):
                    self.msg_ids.append(int(str(row["msg_id"])))

    @rule(address=st.sampled_from(LISTS))
    def read_a_list(self, address: str) -> None:
        self.get(address)

    @rule(name=st.sampled_from(FILTERS), value=VALUES)
    def filter_by_a_hostile_value(self, name: str, value: str) -> None:
        answer = self.operator.get(f"messages/?{urlencode({name: value})}")
        assert answer.status_code in (200, 400), (name, value, answer.content[:300])

    @rule(data=st.data(), part=st.sampled_from(["", "explain/", "timeline/", "tree/", "payload/"]))
    def read_a_message(self, data: st.DataObject, part: str) -> None:
        self.get(f"messages/{data.draw(st.sampled_from(self.msg_ids))}/{part}")

    @rule(data=st.data(), action=st.sampled_from(["restart", "cancel"]))
    def act_on_a_message(self, data: st.DataObject, action: str) -> None:
        msg_id = data.draw(st.sampled_from(self.msg_ids))
        answer = self.operator.post(f"messages/{msg_id}/{action}/", {"reason": "r"})
        assert answer.status_code in (200, 404, 409), (msg_id, action, answer.content[:300])

    @rule()
    def take_a_cp_message(self) -> None:
        body = {"ServiceName": "svc", "QueueNames": "RENDITION"}
        answer = self.operator.post("cp-queue/get-next/", body)
        assert answer.status_code == 200, answer.content[:300]

    @rule()
    def count_the_changes(self) -> None:
        with transaction.atomic():
            fold_changes()

    @invariant()
    def the_ordinary_message_is_listed(self) -> None:
        answer = self.operator.get(f"messages/?msg_id={self.ordinary}")
        assert [row["msg_id"] for row in answer.json()["results"]] == [self.ordinary]

    def get(self, address: str) -> None:
        answer = self.operator.get(address)
        assert answer.status_code in (200, 404, 409), (address, answer.status_code, answer.content[:300])


@pytest.mark.django_db
@pytest.mark.parametrize("profile", [_SMALL, pytest.param(_DEEP, marks=pytest.mark.slow)])
def test_no_row_makes_an_address_fail_or_hides_the_others(profile, settings):
    settings.API_REQUESTS_PER_MINUTE = settings.PAGES_PER_MINUTE = 10**6
    STORED.clear()
    run_state_machine_as_test(Writers, settings=profile)
    assert len(STORED) > 5, STORED
