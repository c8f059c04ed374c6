"""Entries that the list shows as one line, and their number."""

from datetime import UTC, datetime

import pytest

from messages_app.audit import folding
from messages_app.audit.folding import Fold, Step, folds_of
from messages_app.audit.models import AuditEntry
from messages_app.audit.selectors import entry_page
from messages_app.audit.services import Actor, record_entry
from tests.messages_app.audit.tampering import behind_its_back

pytestmark = pytest.mark.django_db

REFUSED = AuditEntry.Outcome.REFUSED
ADA = Actor(username="ada", request_id="r-1")
ADA_LATER = Actor(username="ada", request_id="r-2")
LOADER = Actor(username="ada", token_name="loader", request_id="r-3")
LOADER_OF_BOB = Actor(username="bob", token_name="loader", request_id="r-3")
NEEDLE = Actor(username="ada", token_name="needle", request_id="r-3")


def add(hour: int, minute: int, actor: Actor = ADA, action: str = "restart", **columns: object) -> AuditEntry:
    entry = record_entry(actor=actor, action=action, **columns)
    at = datetime(2026, 11, 21, hour, minute, tzinfo=UTC)
    behind_its_back("UPDATE audit_entry SET at = %s WHERE entry_id = %s", [at, entry.pk])
    return entry


def shown(**values: object) -> list[int]:
    return [entry.pk for entry in entry_page(values=values, is_folded=True).rows]


class TestIsNewestOfFold:
    def test_shows_a_job_once_at_its_newest_entry_of_any_user(self):
        add(10, 1, job_id=5)
        other_job = add(10, 2, job_id=6)
        add(10, 3, actor=NEEDLE, action="pause", job_id=5)
        between = add(10, 4, action="login")
        newest = add(23, 5, actor=Actor(username="system"), job_id=5)
        assert shown() == [newest.pk, between.pk, other_job.pk]

    def test_shows_a_token_once_an_hour(self):
        add(10, 0, LOADER)
        ten = add(10, 59, LOADER, action="cancel", outcome=REFUSED)
        of_bob = add(10, 59, LOADER_OF_BOB)
        another = add(10, 59, NEEDLE)
        add(11, 0, LOADER)
        eleven = add(11, 30, LOADER)
        assert shown() == [eleven.pk, another.pk, of_bob.pk, ten.pk]

    def test_shows_equal_entries_of_one_request_once(self):
        add(10, 0, msg_id=1, reason="back")
        bulk = add(10, 1, msg_id=2, reason="back")
        others = [
            add(10, 2, msg_id=3, reason="other"),
            add(10, 3, action="cancel", msg_id=3, reason="back"),
            add(10, 4, msg_id=4, reason="back", outcome=REFUSED),
            add(10, 5, ADA_LATER, msg_id=4, reason="back"),
        ]
        assert shown() == [*(entry.pk for entry in reversed(others)), bulk.pk]

    def test_shows_each_entry_without_a_request(self):
        entries = [add(10, minute, Actor(username="system")) for minute in (1, 2)]
        assert shown() == [entries[1].pk, entries[0].pk]

    def test_of_entries_of_one_moment_shows_the_last(self):
        entries = [add(10, 0, LOADER) for _ in range(3)]
        assert shown() == [entries[2].pk]

    def test_folds_only_what_the_filter_finds(self):
        asked = add(10, 1, action="restart", job_id=5, reason="bank is back")
        add(10, 2, action="done", job_id=5, reason="automatic")
        token = add(10, 3, LOADER, action="restart", reason="bank again")
        add(10, 4, LOADER, action="cancel", reason="automatic")
        assert shown(action="restart") == shown(reason_contains="bank") == [token.pk, asked.pk]

    def test_continues_beyond_a_page(self):
        for minute in range(4):
            add(10, minute, job_id=5)
        lines = [add(9, minute, ADA, action=f"act_{minute}") for minute in range(5)]
        first = entry_page(is_folded=True, page_size=2)
        second = entry_page(is_folded=True, page_size=10, cursor=first.next_cursor)
        assert [entry.pk for entry in second.rows] == [entry.pk for entry in reversed(lines[:4])]


class TestFoldsOf:
    def test_counts_the_entries_of_each_line_by_step(self):
        start = add(10, 1, action="create_job", job_id=5)
        add(10, 2, job_id=5)
        add(10, 3, job_id=5)
        end = add(10, 4, action="pause", outcome=REFUSED, job_id=5)
        add(10, 5, LOADER)
        token = add(10, 6, LOADER)
        add(11, 6, LOADER)
        add(10, 7, reason="x", msg_id=1)
        bulk = add(10, 8, reason="x", msg_id=2)
        alone = add(10, 9, reason="y", msg_id=2)
        assert folds_of([end, token, bulk, alone]) == {
            end.pk: Fold(
                first_at=datetime(2026, 11, 21, 10, 1, tzinfo=UTC),
                steps=(
                    Step(action="create_job", outcome="done", entries=1),
                    Step(action="restart", outcome="done", entries=2),
                    Step(action="pause", outcome="refused", entries=1),
                ),
            ),
            token.pk: Fold(
                first_at=datetime(2026, 11, 21, 10, 5, tzinfo=UTC),
                steps=(Step(action="restart", outcome="done", entries=2),),
            ),
            bulk.pk: Fold(
                first_at=datetime(2026, 11, 21, 10, 7, tzinfo=UTC),
                steps=(Step(action="restart", outcome="done", entries=2),),
            ),
        }
        fold = folds_of([start])[start.pk]
        assert (fold.entries, fold.refused, fold.is_cut) == (4, 1, False)

    def test_counts_up_to_a_limit(self, monkeypatch):
        monkeypatch.setattr(folding, "MAX_COUNTED", 3)
        newest = [add(10, minute, job_id=5) for minute in range(4)][-1]
        fold = folds_of([newest])[newest.pk]
        assert (fold.entries, fold.is_cut) == (3, True)
