import pytest

from messages_app.core.problems import Problem
from messages_app.document_history.selectors import entries as selected
from messages_app.document_history.selectors.entries import entry_lines, entry_page
from messages_app.document_history.services.triggers import delete_trigger
from messages_app.document_history.states import Pair
from tests.support.histories import ADA, make_trigger, store_both, store_entry

pytestmark = pytest.mark.django_db


def found(**values: object) -> list[str]:
    return [line.document_uuid for line in entry_lines(entry_page(values=values).rows)]


@pytest.fixture
def entries() -> None:
    """Store documents of each kind, of two triggers, the older ones with the higher numbers."""
    make_trigger()
    make_trigger("t-2")
    store_both(uuid="both-1", age="1 minute")
    store_entry("processing", uuid="open-2", age="2 minutes")
    store_entry("completed", uuid="alone-3", age="3 minutes")
    store_both(uuid="both-1", trigger_id="t-2", age="4 minutes")
    store_entry("processing", uuid="open-5", trigger_id="t-2", age="3 days")


class TestEntryPage:
    def test_folds_both_entries_and_returns_the_newest_first(self, entries):
        page = entry_page(values={})
        assert [(line.trigger_id, line.document_uuid, line.pair) for line in entry_lines(page.rows)] == [
            ("t-1", "both-1", Pair.BOTH),
            ("t-1", "open-2", Pair.PROCESSING_ONLY),
            ("t-1", "alone-3", Pair.COMPLETED_ONLY),
            ("t-2", "both-1", Pair.BOTH),
            ("t-2", "open-5", Pair.PROCESSING_ONLY),
        ]

    @pytest.mark.parametrize(
        ("values", "uuids"),
        [
            ({"trigger_id": "t-2"}, ["both-1", "open-5"]),
            ({"trigger_id": "t-9"}, []),
            ({"uuid": "both-1"}, ["both-1", "both-1"]),
            ({"uuid_prefix": "open"}, ["open-2", "open-5"]),
            ({"uuid_prefix": "%"}, []),
            ({"state": Pair.PROCESSING_ONLY}, ["open-2", "open-5"]),
            ({"state": Pair.COMPLETED_ONLY}, ["alone-3"]),
            ({"state": Pair.BOTH, "trigger_id": "t-1"}, ["both-1"]),
            ({"expired": True}, ["open-5"]),
            ({"expired": False, "trigger_id": "t-2"}, ["both-1"]),
        ],
    )
    def test_applies_its_filters(self, entries, values, uuids):
        assert found(**values) == uuids

    @pytest.mark.parametrize("state", [None, Pair.PROCESSING_ONLY])
    def test_returns_each_line_once_over_pages_both_ways(self, state):
        for trigger_id in ("t-1", "t-2"):
            make_trigger(trigger_id)
            for number in range(7):
                # All of one moment, as a bulk load leaves them.
                store_entry("processing", uuid=f"u-{number}", trigger_id=trigger_id)
        values = {"state": state} if state else {}
        seen, cursor = [], None
        while True:
            page = entry_page(values=values, cursor=cursor, page_size=3)
            seen += [(row.trigger_id, row.document_uuid) for row in page.rows]
            if page.next_cursor is None:
                break
            cursor = page.next_cursor
        assert len(seen) == len(set(seen)) == 14
        before = entry_page(values=values, cursor=page.previous_cursor, page_size=3)
        assert [(row.trigger_id, row.document_uuid) for row in before.rows] == seen[
            -len(page.rows) - 3 : -len(page.rows)
        ]

    def test_needs_a_trigger_if_there_are_too_many(self, entries, monkeypatch):
        monkeypatch.setattr(selected, "_MAX_TRIGGERS", 2)
        assert len(found()) == 5
        make_trigger("t-3")
        assert len(found(trigger_id="t-1")) == 3
        with pytest.raises(Problem) as refused:
            entry_page(values={})
        assert [error.field for error in refused.value.errors] == ["trigger_id"]

    def test_refuses_a_cursor_of_another_filter(self, entries):
        cursor = entry_page(values={}, page_size=1).next_cursor
        with pytest.raises(Problem):
            entry_page(values={"trigger_id": "t-1"}, cursor=cursor)

    def test_returns_the_oldest_first_when_asked(self, entries):
        page = entry_page(values={"state": Pair.PROCESSING_ONLY}, ordering="time")
        assert [row.document_uuid for row in page.rows] == ["open-5", "open-2"]


class TestDescribed:
    def test_shows_when_an_entry_expires_and_who_checks_it(self, entries):
        lines = {
            (line.trigger_id, line.document_uuid): line for line in entry_lines(entry_page(values={}).rows)
        }
        young, old = lines["t-1", "both-1"], lines["t-2", "open-5"]
        assert (young.expires_at - young.time).total_seconds() == 172_800
        assert (young.is_expired, old.is_expired) == (False, True)
        assert (young.trigger_name, old.trigger_name) == ("trigger t-1", "trigger t-2")
        assert not young.is_orphaned

    def test_reports_entries_that_no_check_reads_as_orphaned(self):
        make_trigger(use_history=False)
        make_trigger("t-2")
        delete_trigger(trigger_id="t-2", actor=ADA)
        for trigger_id in ("t-1", "t-2", "t-9"):
            store_entry("completed", trigger_id=trigger_id)
        lines = entry_lines(entry_page(values={}).rows)
        assert [line.is_orphaned for line in lines] == [True] * 3
        unknown = next(line for line in lines if line.trigger_id == "t-9")
        assert (unknown.trigger_name, unknown.expires_at) == ("", None)
