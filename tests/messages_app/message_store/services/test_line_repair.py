"""Lines and counts are rebuilt from the rows, whatever a gap has left of them."""

from datetime import UTC, datetime

import pytest

from messages_app.message_store.models import MessageHistory, MessageLine, MessageProcess, MessageStore
from messages_app.message_store.monitor_models import MessageCount, MessageCountChange
from messages_app.message_store.selectors.summary import count_by_system
from messages_app.message_store.services import line_repair
from messages_app.message_store.services.line_repair import mend_lines, rebuild_lines
from tests.support.stores import execute, make_older, set_process, store

pytestmark = pytest.mark.django_db(transaction=True)

MADE, VALID, TRIED, CLAIMED, OTHER = (datetime(2026, 5, day, tzinfo=UTC) for day in (1, 2, 3, 4, 5))
COLUMNS = (
    "message_timestamp",
    "source_system",
    "source_entity",
    "status",
    "next_attempt_timestamp",
    "claimed_at",
    "has_store",
    "has_process",
    "attempts",
    "abandoned",
)


def lines() -> dict[str, tuple]:
    return {key: row for key, *row in MessageLine.objects.values_list("message_identifier", *COLUMNS)}


def change_line(identifier: str, **columns: object) -> None:
    MessageLine.objects.filter(message_identifier=identifier).update(**columns)


@pytest.fixture
def identifiers() -> dict[str, str]:
    """Give messages in every kind of rows, each with the line that its rows ask for."""
    identifiers = {}
    for name, status, columns in (
        ("new", 0, {}),
        ("unknown", None, {}),
        ("waiting", 2, {"next_attempt_timestamp": VALID}),
        ("queued", 3, {}),
        ("in work", 1, {"processed_timestamp": TRIED}),
        ("failed", 26, {}),
    ):
        identifiers[name] = store(system=name, entity=f"of {name}")
        set_process(identifiers[name], status=status, **columns)
    for name in ("only stored", "only row"):
        identifiers[name] = store(system=name, entity=f"of {name}")
    MessageProcess.objects.filter(pk=identifiers["only stored"]).delete()
    MessageStore.objects.filter(pk=identifiers["only row"]).delete()
    MessageProcess.objects.filter(pk=identifiers["only row"]).update(status=10)
    for number, (name, one) in enumerate(identifiers.items(), start=1):
        change_line(one, attempts=number, abandoned=number + 20)
        if not name.startswith("only"):
            MessageHistory.objects.create(message_identifier=one, processed_timestamp=TRIED, status=20)
        if name in {"queued", "in work"}:
            change_line(one, claimed_at=CLAIMED)
    return identifiers


class TestMendLines:
    def test_finds_nothing_in_lines_that_are_right(self, identifiers):
        before = lines()
        assert mend_lines() == 0
        assert lines() == before
        assert rebuild_lines() == "0 lines of the message store were missing or wrong."

    @pytest.mark.parametrize(
        ("name", "wrong"),
        [
            ("new", {"status": 10}),
            ("new", {"status": None}),
            ("unknown", {"status": 2}),
            ("only stored", {"status": None}),
            ("only stored", {"has_store": False}),
            ("only stored", {"has_process": True}),
            ("only row", {"has_store": True}),
            ("only row", {"has_process": False}),
            ("only row", {"status": 2}),
            ("waiting", {"next_attempt_timestamp": OTHER}),
            ("waiting", {"next_attempt_timestamp": None}),
            ("failed", {"next_attempt_timestamp": OTHER}),
            ("failed", {"source_system": "other"}),
            ("failed", {"source_entity": "other"}),
            ("failed", {"source_entity": None}),
            ("in work", {"status": 0}),
            ("queued", {"status": 26}),
            ("failed", {"status": 3, "claimed_at": OTHER}),
        ],
        ids=str,
    )
    def test_rewrites_a_line_that_is_not_as_its_rows_say(self, identifiers, name, wrong):
        before = lines()
        change_line(identifiers[name], **wrong)
        assert rebuild_lines() == "1 lines of the message store were missing or wrong."
        assert lines() == before

    def test_rewrites_many_in_batches(self, identifiers, monkeypatch):
        monkeypatch.setattr(line_repair, "_MAX_FOUND", 3)
        monkeypatch.setattr(line_repair, "_MAX_HELD", 2)
        before = lines()
        MessageLine.objects.update(status=4)
        assert mend_lines() == len(before)
        assert lines() == before

    def test_keeps_the_claim_that_is_known_and_begins_an_unknown_one_now(self, identifiers):
        for name in ("queued", "in work"):
            change_line(identifiers[name], status=0)
        change_line(identifiers["in work"], claimed_at=None)
        change_line(identifiers["failed"], status=1, claimed_at=CLAIMED)
        mend_lines()
        claims = dict(MessageLine.objects.values_list("message_identifier", "claimed_at"))
        assert claims[identifiers["queued"]] == CLAIMED
        assert claims[identifiers["in work"]] > OTHER
        assert claims[identifiers["failed"]] is None

    @pytest.mark.parametrize(
        ("made", "valid", "time"), [(MADE, VALID, MADE), (None, VALID, VALID), (None, None, TRIED)]
    )
    def test_adds_a_missing_line_with_the_first_time_that_is_known(self, identifiers, made, valid, time):
        identifier = identifiers["in work"]
        MessageStore.objects.filter(pk=identifier).update(message_timestamp=made, effective_timestamp=valid)
        MessageLine.objects.filter(message_identifier=identifier).delete()
        assert mend_lines() == 1
        line = MessageLine.objects.get(message_identifier=identifier)
        assert line.message_timestamp == time
        assert (line.source_system, line.source_entity, line.status) == ("in work", "of in work", 1)
        assert (line.has_store, line.has_process, line.claimed_at > OTHER) == (True, True, True)

    def test_adds_a_missing_line_for_a_row_without_message_or_a_message_without_row(self, identifiers):
        before = lines()
        MessageProcess.objects.filter(pk=identifiers["only row"]).update(processed_timestamp=TRIED)
        for name in ("only row", "only stored"):
            MessageLine.objects.filter(message_identifier=identifiers[name]).delete()
        assert mend_lines() == 2
        after = lines()
        assert after[identifiers["only stored"]][:8] == before[identifiers["only stored"]][:8]
        assert after[identifiers["only row"]][:8] == [TRIED, None, None, 10, None, None, False, True]

    def test_keeps_what_a_line_knows_of_a_message_that_is_gone(self, identifiers):
        before = lines()[identifiers["only row"]]
        change_line(identifiers["only row"], status=2)
        mend_lines()
        assert lines()[identifiers["only row"]] == before
        assert before[1:3] == ["only row", "of only row"]

    def test_follows_the_time_of_a_message_that_is_there(self, identifiers):
        make_older(identifiers["failed"], "9 days")
        change_line(identifiers["failed"], status=2, message_timestamp=OTHER)
        mend_lines()
        made = MessageStore.objects.get(pk=identifiers["failed"]).message_timestamp
        assert MessageLine.objects.get(message_identifier=identifiers["failed"]).message_timestamp == made

    def test_adds_a_line_for_history_without_message_and_removes_lines_without_either(self, identifiers):
        alone, nothing = identifiers["failed"], identifiers["new"]
        MessageHistory.objects.create(message_identifier=alone, processed_timestamp=VALID, status=20)
        for one in (alone, nothing):
            MessageStore.objects.filter(pk=one).delete()
            MessageProcess.objects.filter(pk=one).delete()
        MessageHistory.objects.filter(message_identifier=nothing).delete()
        MessageLine.objects.filter(message_identifier__in=[alone, nothing]).delete()
        MessageLine.objects.create(message_identifier=nothing, message_timestamp=MADE)
        others = lines()
        assert mend_lines() == 2
        line = MessageLine.objects.get(message_identifier=alone)
        assert (line.message_timestamp, line.status, line.has_store, line.has_process) == (
            VALID,
            None,
            False,
            False,
        )
        del others[nothing]
        assert {key: row for key, row in lines().items() if key != alone} == others


class TestCounts:
    def test_are_counted_again(self):
        for system, entity, statuses in (
            ("crm", "customer", (0, 0, 10, 1)),
            ("crm", "order", (10,)),
            (None, "customer", (10, 10)),
            (None, None, (3, 2)),
        ):
            for status in statuses:
                set_process(store(system=system, entity=entity), status=status)
        expected = [
            ("", "", 2, 1),
            ("", "", 3, 1),
            ("", "customer", 10, 2),
            ("crm", "customer", 0, 2),
            ("crm", "customer", 1, 1),
            ("crm", "customer", 10, 1),
            ("crm", "order", 10, 1),
        ]

        def counted() -> list[tuple]:
            found = count_by_system()
            return [(one.source_system, one.source_entity, one.status, one.messages) for one in found]

        assert counted() == expected
        MessageCount.objects.create(source_system="crm", source_entity="order", status=10, messages=7)
        MessageCountChange.objects.create(source_system="erp", source_entity="", status=10, change=2)
        execute("DELETE FROM message_count_change WHERE status = 0")
        assert mend_lines() == 0
        assert counted() == expected
        assert not MessageCountChange.objects.exists()
        kept = MessageCount.objects.values_list("source_system", "source_entity", "status", "messages")
        assert sorted(kept) == [row for row in expected if row[2] not in {1, 3}]
