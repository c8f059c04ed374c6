from datetime import UTC, datetime

import pytest

from messages_app.audit import selectors
from messages_app.audit.models import AuditEntry
from messages_app.audit.selectors import ActByHand, ActsByHand, acts_by_hand, entries_about, entry_page
from messages_app.audit.services import Actor, record_entry
from messages_app.core.problems import Problem
from tests.messages_app.audit.tampering import behind_its_back
from tests.support.audit_entries import GRACE

pytestmark = pytest.mark.django_db

ADA, BOB = Actor(username="ada"), Actor(username="bob")
SINCE = datetime(2026, 11, 21, 10, 0, tzinfo=UTC)


def at(minute: int, second: int = 0) -> datetime:
    return SINCE.replace(minute=minute, second=second)


def add(when: datetime, **columns: object) -> AuditEntry:
    entry = record_entry(**{"actor": ADA, "action": "restart"} | columns)
    behind_its_back("UPDATE audit_entry SET at = %s WHERE entry_id = %s", [when, entry.pk])
    return entry


def ids(entries: list[AuditEntry]) -> list[int]:
    return [entry.pk for entry in entries]


class TestEntryPage:
    def test_finds_by_each_filter_only_what_has_the_value(self):
        other = record_entry(actor=ADA, action="cancel")
        entry = record_entry(
            actor=GRACE,
            action="restart",
            outcome=AuditEntry.Outcome.REFUSED,
            msg_id=7,
            job_id=8,
            subject_kind="watch_rule",
            subject="9",
            reason="Bank is back (INC-4711)",
        )
        for name, value in (
            ("actor", "grace"),
            ("token_name", "nightly"),
            ("action", "restart"),
            ("outcome", "refused"),
            ("msg_id", 7),
            ("job_id", 8),
            ("subject_kind", "watch_rule"),
            ("subject", "9"),
            ("request_id", "request-of-grace"),
            ("reason_contains", "BANK"),
            ("reason_contains", "back ban"),
            ("reason_contains", "4711"),
            ("reason_contains", "inc-47"),
        ):
            assert ids(entry_page(values={name: value}).rows) == [entry.pk], name
        assert ids(entry_page().rows) == ids(entry_page(values={}).rows) == [entry.pk, other.pk]

    @pytest.mark.parametrize("text", ["ank", "bank closed", "4711 4712", "isk"])
    def test_finds_no_reason_without_one_of_the_words(self, text):
        record_entry(actor=ADA, action="restart", reason="Bank is back (INC-4711)")
        assert entry_page(values={"reason_contains": text}).rows == []

    def test_refuses_a_reason_without_words(self):
        with pytest.raises(Problem) as refused:
            entry_page(values={"reason_contains": "' & !"})
        (error,) = refused.value.errors
        assert (error.field, error.message) == (
            "reason_contains",
            "reason_contains needs a letter or a digit.",
        )

    def test_takes_a_range_of_times_with_its_start_and_end(self):
        entries = [add(at(minute)) for minute in (1, 2, 3, 4)]
        page = entry_page(values={"at_from": at(2), "at_to": at(3)})
        assert ids(page.rows) == [entries[2].pk, entries[1].pk]

    def test_continues_with_the_same_filter_and_not_with_another(self):
        entries = [record_entry(actor=each, action="restart") for each in (ADA, BOB, ADA, BOB, ADA)]
        first = entry_page(values={"actor": "ada"}, page_size=2)
        rest = entry_page(values={"actor": "ada"}, page_size=2, cursor=first.next_cursor)
        assert ids(first.rows) == [entries[4].pk, entries[2].pk]
        assert (ids(rest.rows), rest.next_cursor) == ([entries[0].pk], None)
        for values in ({"actor": "bob"}, {}):
            with pytest.raises(Problem, match="cursor"):
                entry_page(values=values, page_size=2, cursor=first.next_cursor)


class TestEntriesAbout:
    def test_are_those_of_the_kind_and_key_the_newest_first(self):
        about = {"subject_kind": "watch_rule", "subject": "5"}
        entries = [record_entry(actor=ADA, action="restart", **about) for _ in range(3)]
        record_entry(actor=ADA, action="restart", **about | {"subject": "6"})
        record_entry(actor=ADA, action="restart", **about | {"subject_kind": "definition"})
        record_entry(actor=ADA, action="restart", subject_kind="5", subject="watch_rule")
        newest_first = ids(entries)[::-1]
        assert ids(entries_about("watch_rule", "5")) == newest_first
        assert ids(entries_about("watch_rule", "5", most=2)) == newest_first[:2]

    def test_are_twenty_at_most(self):
        entries = [
            record_entry(actor=ADA, action="restart", subject_kind="definition", subject="5")
            for _ in range(21)
        ]
        assert ids(entries_about("definition", "5")) == ids(entries)[:0:-1]


class TestActsByHand:
    def read(self, *actions: str) -> ActsByHand:
        return acts_by_hand(SINCE, actions=actions or ("restart", "cancel"))

    def test_counts_messages_by_person_and_action_the_latest_first(self):
        for msg_id, second in ((1, 1), (2, 2), (2, 3)):
            add(at(1, second), msg_id=msg_id)
        add(at(4), action="cancel", msg_id=1)
        add(at(2), actor=BOB, msg_id=1)
        for number in range(4):
            add(
                at(3, number), actor=BOB, action="cancel", subject_kind="store_message", subject=f"m-{number}"
            )
        assert self.read() == ActsByHand(
            acts=[
                ActByHand(actor="ada", action="cancel", messages=1, last=at(4)),
                ActByHand(actor="bob", action="cancel", messages=4, last=at(3, 3)),
                ActByHand(actor="bob", action="restart", messages=1, last=at(2)),
                ActByHand(actor="ada", action="restart", messages=2, last=at(1, 3)),
            ],
            is_whole=True,
        )

    def test_counts_from_exactly_the_moment(self):
        add(SINCE.replace(hour=9, minute=59, second=59), msg_id=1)
        add(SINCE, msg_id=2)
        assert self.read().acts == [ActByHand(actor="ada", action="restart", messages=1, last=SINCE)]

    @pytest.mark.parametrize(
        "other",
        [
            {"job_id": 3},
            {"outcome": AuditEntry.Outcome.REFUSED},
            {"action": "view_payload"},
            {"msg_id": None},
            {"msg_id": None, "job_id": 3},
        ],
        ids=str,
    )
    def test_leaves_out_all_other_entries(self, other):
        add(at(1), **{"msg_id": 7} | other)
        assert self.read() == ActsByHand(acts=[], is_whole=True)

    def test_searches_only_the_newest_entries_and_reports_if_they_are_all(self, monkeypatch):
        monkeypatch.setattr(selectors, "_LOOKED_AT", 3)
        for number in range(1, 4):
            add(at(number), msg_id=number)
        assert self.read().is_whole is False
        assert self.read().acts[0].messages == 3
        add(at(4), msg_id=4)
        assert self.read().acts[0].messages == 3
        behind_its_back("UPDATE audit_entry SET at = %s WHERE msg_id < 3", [SINCE.replace(hour=9)])
        assert self.read() == ActsByHand(
            acts=[ActByHand(actor="ada", action="restart", messages=2, last=at(4))], is_whole=True
        )

    def test_is_whole_with_fewer_entries_than_are_searched(self, monkeypatch):
        monkeypatch.setattr(selectors, "_LOOKED_AT", 3)
        add(at(1), msg_id=1)
        add(at(2), msg_id=2)
        assert self.read().is_whole is True
