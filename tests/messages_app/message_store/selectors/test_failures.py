"""Missing records and the newest errors, among rows that each miss one condition."""

from datetime import timedelta

import pytest

from messages_app.message_store.models import MessageLine, MessageProcess, TargetRecord, UnresolvedReference
from messages_app.message_store.selectors import failures
from messages_app.message_store.selectors.failures import error_groups, missing_entities, missing_records
from tests.support.stores import set_process, store
from tests.support.transaction_time import transaction_time

pytestmark = pytest.mark.django_db


def refer(*records: tuple[str, str], status: int) -> str:
    """Store a message of a status that lacks these records."""
    identifier = store([{"id": MessageLine.objects.count()}])
    set_process(identifier, status=status)
    for entity, key in records:
        UnresolvedReference.objects.create(message_identifier=identifier, entity=entity, record_key=key)
    return identifier


@pytest.fixture
def missing() -> None:
    refer(("order", "[2]"), status=2)
    refer(("customer", "[1]"), ("customer", "[3]"), ("order", "[1]"), status=26)
    refer(("customer", "[1]"), status=2)
    refer(("customer", "[1]"), ("asset", "[9]"), status=0)
    come = (("customer", "[3]"), ("customer", "[4]"), ("order", "[3]"), ("asset", "[1]"), ("customer", "[9]"))
    for entity, key in come:
        TargetRecord.objects.create(
            entity=entity,
            record_key=key,
            valid_from=transaction_time(),
            data={},
            source_message="m",
            message_timestamp=transaction_time(),
        )


@pytest.mark.usefixtures("missing")
class TestMissingRecords:
    RECORDS = (
        ("asset", "[9]", 1, 0, 0, False),
        ("customer", "[1]", 3, 1, 1, False),
        ("customer", "[3]", 1, 0, 1, True),
        ("order", "[1]", 1, 0, 1, False),
        ("order", "[2]", 1, 1, 0, False),
    )

    @pytest.mark.parametrize(
        ("asked", "places"),
        [
            ({}, (0, 1, 2, 3, 4)),
            ({"entity": "customer"}, (1, 2)),
            ({"entity": "asset"}, (0,)),
            ({"entity": "b"}, ()),
            ({"after": ("customer", "[1]")}, (2, 3, 4)),
            ({"entity": "customer", "after": ("customer", "[1]")}, (2,)),
            ({"after": ("order", "[2]")}, ()),
        ],
    )
    def test_are_in_the_order_of_entities_and_keys(self, asked, places):
        found = [
            (one.entity, one.record_key, one.messages, one.waiting, one.given_up, one.has_come)
            for one in missing_records(**asked)
        ]
        assert found == [self.RECORDS[place] for place in places]

    def test_end_after_a_page_and_one_more(self, monkeypatch):
        monkeypatch.setattr(failures, "MISSING_PAGE", 2)
        monkeypatch.setattr(failures, "MISSING_FENCE", 2)
        found = [(one.record_key, one.messages, one.is_fenced) for one in missing_records()]
        assert found == [("[9]", 1, False), ("[1]", 2, True), ("[3]", 1, False)]


@pytest.mark.usefixtures("missing")
class TestMissingEntities:
    def test_are_by_name_with_a_sample_of_their_keys(self):
        found = [(one.entity, one.references, one.given_up, one.sample) for one in missing_entities()]
        assert found == [
            ("asset", 1, 0, ["[9]"]),
            ("customer", 4, 2, ["[1]", "[3]"]),
            ("order", 2, 1, ["[1]", "[2]"]),
        ]

    def test_are_counted_up_to_the_fence(self, monkeypatch):
        monkeypatch.setattr(failures, "FENCE", 2)
        monkeypatch.setattr(failures, "_MAX_ENTITIES", 2)
        found = [(one.entity, one.references) for one in missing_entities()]
        assert found == [("asset", 1), ("customer", 3)]


class TestASample:
    def test_is_of_the_first_thousand_references(self):
        keys = ["[1]"] * 999 + ["[2]", "[3]"]
        UnresolvedReference.objects.bulk_create(
            UnresolvedReference(message_identifier=f"m-{number:04}", entity="order", record_key=key)
            for number, key in enumerate(keys)
        )
        for number in (5, 999, 1000):
            MessageProcess.objects.create(message_identifier=f"m-{number:04}", status=26)
        MessageProcess.objects.create(message_identifier="m-0007", status=2)
        (one,) = missing_entities()
        assert (one.references, one.given_up, one.sample) == (1001, 2, ["[1]", "[2]"])


class TestErrorGroups:
    def test_are_of_the_newest_errors_that_are_not_muted(self, monkeypatch):
        monkeypatch.setattr(failures, "NEWEST_ERRORS", 3)
        ids = []
        for number, (status, text, hours) in enumerate(
            (
                (20, "old", 3),
                (25, "new", 1),
                (20, "new", 1),
                (20, "newest", 0),
                (19, "none", 0),
                (26, "muted", 0),
            )
        ):
            ids.append(store([{"id": number}]))
            set_process(ids[-1], status=status, error_message=text)
            at = transaction_time() - timedelta(hours=hours)
            MessageLine.objects.filter(message_identifier=ids[-1]).update(message_timestamp=at)
        MessageLine.objects.filter(message_identifier=ids[-1]).update(muted_at=transaction_time())
        groups = error_groups()
        assert {(group.key, tuple(group.ids)) for group in groups} == {
            ((20, "customer"), (ids[3],)),
            ((20, "customer"), (ids[2],)),
            ((25, "customer"), (ids[1],)),
        }
        monkeypatch.setattr(failures, "NEWEST_ERRORS", 2)
        assert {tuple(group.ids) for group in error_groups()} == {(ids[3],), (ids[2],)}
