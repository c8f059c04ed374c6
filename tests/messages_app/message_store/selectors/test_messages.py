"""The list of messages: each filter finds the rows that it names, and leaves all that miss one condition."""

from datetime import UTC, datetime, timedelta

import pytest

from messages_app.core.lists.counts import Counted
from messages_app.message_store import selectors
from messages_app.message_store.models import (
    ArchivedHistory,
    MessageHistory,
    MessageLine,
    MessageProcess,
    MessageStore,
    TargetRecord,
    UnresolvedReference,
)
from messages_app.message_store.selectors import messages
from messages_app.message_store.selectors.messages import (
    listed_messages,
    matching_lines,
    message_page,
    with_old_attempts,
    with_refreshed,
)
from tests.support.stores import set_process, store

pytestmark = pytest.mark.django_db

DAY, BIT = timedelta(days=1), timedelta(microseconds=1)
TIME = datetime(2026, 5, 1, tzinfo=UTC)
# Name, system, entity, status, user, whether it refreshes, error, and the missing records; a day apart.
ROWS = (
    ("a", "crm", "customer", 10, "ada", False, None, ()),
    ("b", "crm", "order", 2, "ada", True, "Customer 7 is missing", (("customer", "[7]"),)),
    ("c", "erp", "customer", 26, "ben", False, "order x is MISSING", (("order", '["7"]'), ("order", "[8]"))),
    ("d", "erp", "order", 0, None, False, None, ()),
    ("e", None, None, 20, "ben", False, "broken", (("customer", "[8]"),)),
    ("f", "crm", "customer", 10, "ben", True, None, ()),
)


@pytest.fixture
def names() -> dict[str, str]:
    """Store ROWS, of which the rest of the columns differs by a day; return the names by identifier."""
    names = {}
    for number, (name, system, entity, status, user, refresh, error, missing) in enumerate(ROWS):
        identifier = store(system=system, entity=entity, user=user, refresh=refresh)
        names[identifier] = name
        MessageStore.objects.filter(pk=identifier).update(
            message_timestamp=TIME + number * DAY, effective_timestamp=TIME + (number + 10) * DAY
        )
        set_process(
            identifier,
            status=status,
            error_message=error,
            processed_timestamp=TIME + (number + 20) * DAY,
            next_attempt_timestamp=TIME + (number + 30) * DAY,
        )
        for one, key in missing:
            UnresolvedReference.objects.create(message_identifier=identifier, entity=one, record_key=key)
        if name in "be":
            MessageLine.objects.filter(message_identifier=identifier).update(muted_at=TIME)
    return names


def listed(names: dict[str, str], ordering: str | None = None, **values: object) -> str:
    page = message_page(values=values, ordering=ordering)
    return "".join(names[line.message_identifier] for line in page.rows)


FILTERS = [
    ({}, "fedcba"),
    ({"status": ("10",)}, "fa"),
    ({"status": ("2", "26")}, "cb"),
    ({"status": ("10", "0")}, "fda"),
    ({"source_system": "crm"}, "fba"),
    ({"source_entity": "customer"}, "fca"),
    ({"source_system": "crm", "source_entity": "customer"}, "fa"),
    ({"source_system": "crm", "status": ("2",)}, "b"),
    ({"source_entity": "customer", "status": ("10", "26")}, "fca"),
    ({"user_name": "ben"}, "fec"),
    ({"refresh": True}, "fb"),
    ({"refresh": False}, "edca"),
    ({"missing_entity": "customer"}, "eb"),
    ({"missing_key": "7"}, "cb"),
    ({"missing_key": "8"}, "ec"),
    ({"missing_entity": "customer", "missing_key": "8"}, "e"),
    ({"missing_entity": "order", "missing_key": "7"}, "c"),
    ({"missing_entity": "customer", "missing_key": "7", "status": ("20",)}, ""),
    ({"error_contains": "missing"}, "cb"),
    ({"muted": True}, "eb"),
    ({"muted": False}, "fdca"),
    ({"muted": True, "status": ("2",)}, "b"),
    ({"message_timestamp_from": TIME + 2 * DAY, "message_timestamp_to": TIME + 4 * DAY}, "edc"),
    ({"effective_timestamp_from": TIME + 12 * DAY, "effective_timestamp_to": TIME + 14 * DAY}, "edc"),
    ({"processed_timestamp_from": TIME + 22 * DAY, "processed_timestamp_to": TIME + 24 * DAY}, "edc"),
    ({"next_attempt_timestamp_from": TIME + 32 * DAY, "next_attempt_timestamp_to": TIME + 34 * DAY}, "edc"),
    ({"next_attempt_timestamp_to": TIME + 30 * DAY - BIT}, ""),
    ({"next_attempt_timestamp_from": TIME + 35 * DAY + BIT}, ""),
]


class TestMessagePage:
    @pytest.mark.parametrize(("values", "expected"), FILTERS, ids=str)
    def test_and_the_count_apply_their_filters(self, names, values, expected):
        assert listed(names, **values) == expected
        assert listed(names, "message_timestamp", **values) == expected[::-1]
        assert sorted(names[line.message_identifier] for line in matching_lines(values)) == sorted(expected)
        assert selectors.count_messages(values) == Counted(number=len(expected), is_exact=True)

    def test_has_the_messages_with_the_named_identifiers(self, names):
        by_name = {name: identifier for identifier, name in names.items()}
        values = {"message_identifier": [by_name["b"], by_name["e"], "unknown"]}
        assert listed(names, **values) == "eb"
        assert listed(names, **values, status=("20",)) == "e"

    def test_finds_a_record_that_many_messages_lack(self, names, monkeypatch):
        monkeypatch.setattr(messages, "_FEW", 0)
        assert listed(names, missing_entity="customer", missing_key="8") == "e"

    def test_finds_what_lacks_a_part(self, names):
        by_name = {name: identifier for identifier, name in names.items()}
        MessageStore.objects.filter(pk=by_name["a"]).delete()
        MessageProcess.objects.filter(pk=by_name["d"]).delete()
        MessageStore.objects.filter(pk=by_name["f"]).delete()
        MessageProcess.objects.filter(pk=by_name["f"]).delete()
        MessageHistory.objects.create(message_identifier=by_name["f"], processed_timestamp=TIME, status=20)
        assert listed(names, orphaned=True) == "fda"
        assert sorted(listed(names, orphaned=False)) == ["b", "c", "e"]
        orphans = {
            names[one.line.message_identifier]: one.orphan
            for one in listed_messages(list(MessageLine.objects.all()))
        }
        assert orphans == {
            "a": "no message in the store",
            "b": "",
            "c": "",
            "d": "no process row",
            "e": "",
            "f": "history only",
        }


class TestListedMessages:
    def test_have_their_own_rows(self, names):
        lines = list(MessageLine.objects.order_by("-number"))
        for line, one in zip(lines, listed_messages(lines), strict=True):
            key = line.message_identifier
            assert (one.line.pk, one.store.pk, one.process.pk) == (line.pk, key, key)
            assert one.status == one.process.status == line.status
            assert one.store.get_deferred_fields() == {"data", "options"}


class TestWithRefreshed:
    def test_names_the_entity_of_refreshes(self, names):
        rows = with_refreshed(MessageLine.objects.all())
        refreshed = {names[row.message_identifier]: row.refreshed for row in rows}
        assert refreshed == {name: entity if refresh else None for name, _, entity, _, _, refresh, *_ in ROWS}


class TestWithOldAttempts:
    @pytest.mark.parametrize(
        ("days", "is_found"),
        [([-1, 1], True), ([-1, -1.5], True), ([-1], False), ([0, 1], False), ([1, 2], False), ([], False)],
        ids=str,
    )
    def test_has_messages_with_an_old_attempt_and_a_newer_one(self, names, days, is_found):
        other, mine = list(names)[:2]
        MessageHistory.objects.create(message_identifier=other, processed_timestamp=TIME - 9 * DAY, status=20)
        for day in days:
            MessageHistory.objects.create(
                message_identifier=mine, processed_timestamp=TIME + day * DAY, status=20
            )
        rows = with_old_attempts(MessageLine.objects.all(), before=TIME)
        assert [row.message_identifier for row in rows] == ([mine] if is_found else [])


class TestOneMessage:
    def test_has_its_own_attempts_records_and_texts(self):
        mine, other = (
            store(data, options={"a": number}) for number, data in enumerate(([{"id": 1}], [{"id": 22}]))
        )
        for model, number in ((MessageHistory, 1), (ArchivedHistory, 2)):
            assert not selectors.has_archived(mine)
            for identifier, days in ((mine, 0), (mine, 5), (other, 3)):
                model.objects.create(
                    message_identifier=identifier,
                    processed_timestamp=TIME + (days + number) * DAY,
                    status=number,
                )
        for identifier, key in ((mine, "[1]"), (mine, "[2]"), (other, "[3]")):
            TargetRecord.objects.create(
                entity="customer",
                record_key=key,
                valid_from=TIME,
                data={},
                source_message=identifier,
                message_timestamp=TIME,
            )
        attempts = [row.processed_timestamp for row in selectors.attempt_page(mine).rows]
        assert attempts == [TIME + 6 * DAY, TIME + DAY]
        archived = [row.processed_timestamp for row in selectors.archived_page(mine).rows]
        assert archived == [TIME + 7 * DAY, TIME + 2 * DAY]
        assert selectors.has_archived(mine)
        written, has_more = selectors.records_written(mine)
        assert (sorted(one.record_key for one in written), has_more) == (["[1]", "[2]"], False)
        assert (selectors.options_of(mine), selectors.options_of(other)) == ('{"a": 0}', '{"a": 1}')
        assert (selectors.data_bytes(mine), selectors.data_bytes(other)) == (11, 12)
        assert selectors.data_of(mine)[0].text == '[{"id": 1}]'
        assert selectors.message_of(mine).store.pk == mine
        assert selectors.message_of("unknown") is selectors.data_of("unknown") is None

    @pytest.mark.parametrize(("records", "has_more"), [(100, False), (101, True)])
    def test_shows_a_hundred_records(self, records, has_more):
        TargetRecord.objects.bulk_create(
            TargetRecord(
                entity="customer",
                record_key=f"[{number}]",
                valid_from=TIME,
                data={},
                source_message="m",
                message_timestamp=TIME,
            )
            for number in range(records)
        )
        written, more = selectors.records_written("m")
        assert (len(written), more) == (100, has_more)
