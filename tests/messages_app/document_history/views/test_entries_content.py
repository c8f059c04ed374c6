"""The lists of documents with values that all differ."""

from datetime import UTC, datetime

import pytest
from django.http import QueryDict

from messages_app.core.pagination.paginator import Page
from messages_app.document_history.models import DocumentInDoubt
from messages_app.document_history.selectors.entries import EntryLine
from messages_app.document_history.states import Pair
from messages_app.document_history.views.entries import EntriesForm, Line, UndeterminedForm
from messages_app.document_history.views.in_doubt import InDoubtForm
from tests.messages_app.document_history.views.shown_documents import moment, show

PAGE = Page(rows=[], next_cursor=None, previous_cursor=None)


def entry(number: int, **columns: object) -> EntryLine:
    values = {
        "trigger_id": f"t-{number}",
        "trigger_name": f"trigger {number}",
        "document_uuid": f"u-{number}",
        "pair": Pair.BOTH,
        "time": moment(number),
        "expires_at": datetime(2021, 3, 4, 11, number, tzinfo=UTC),
        "is_expired": False,
        "is_orphaned": False,
    }
    return EntryLine(**values | columns)


LINES = [
    Line(entry=entry(11), run=31, age=32, in_doubt_id=33),
    Line(
        entry=entry(12, trigger_name="", pair=Pair.PROCESSING_ONLY, is_orphaned=True, expires_at=None),
        run=None,
        age=34,
        in_doubt_id=None,
    ),
    Line(entry=entry(13, is_expired=True), run=100, age=35, in_doubt_id=None),
]
LISTED = {"page": PAGE, "newer": "?newer", "older": "?older", "triggers": [], "trigger_id": ""}


class TestEntries:
    def show(self, query: str = "", **values: object) -> list[str]:
        form = EntriesForm(QueryDict(query), allowed=EntriesForm.filters.keys())
        context = {"form": form, "lines": LINES, "is_narrowed": bool(query), "list": "/list/"}
        return show("entries", **LISTED | context | values)

    def test_show_all_their_values(self):
        lines = self.show()
        assert lines[lines.index("Filter") :] == [
            "Filter",
            "(/list/)",
            "Trigger",
            "<trigger_id>",
            "<> All triggers",
            "Document",
            "<uuid=>",
            "Document starts with",
            "<uuid_prefix=>",
            "More fields",
            "Started from",
            "<time_from=>",
            "Started to",
            "<time_to=>",
            "Filter",
            "* [All](?)",
            "[Undetermined](?state=processing)",
            "[Processed](?state=both)",
            "[Completed only](?state=completed)",
            "* [Any](?)",
            "[Valid](?expired=false)",
            "[Expired](?expired=true)",
            "* [Newest first](?ordering=-time)",
            "[Oldest first](?ordering=time)",
            "Documents of the history",
            "Document | State | Trigger | Started | Expires",
            (
                "[u-11](/document-history/entries/?trigger_id=t-11&uuid=u-11) [in "
                "doubt](/document-history/in-doubt/33/) | {done} (title: Processing started and "
                "ended, successfully or not.) processed | [trigger "
                "11](/document-history/triggers/t-11/) | @2026-11-02T12:11:00Z | (svg viewbox=0 0 100 "
                "1) {running} (rect width=31 height=1) @2021-03-04T11:11:00Z"
            ),
            (
                "[u-12](/document-history/entries/?trigger_id=t-12&uuid=u-12) | {paused} (title: "
                "Processing started and has not ended: it may still be running, or the process died.) "
                "undetermined | t-12 | @2026-11-02T12:12:00Z | (title: Its trigger is unknown, so it "
                "is never removed.) kept (title: Its trigger is deleted, unknown or does not use the "
                "history, so checks ignore it.) orphaned"
            ),
            (
                "[u-13](/document-history/entries/?trigger_id=t-13&uuid=u-13) | {done} (title: "
                "Processing started and ended, successfully or not.) processed | [trigger "
                "13](/document-history/triggers/t-13/) | @2026-11-02T12:13:00Z | (svg viewbox=0 0 100 "
                "1) {CANCEL} (rect width=100 height=1) (title: It is still used until the sweeper "
                "removes it.) expired, not yet removed"
            ),
            (
                "The history records when processing started, not when it ended or its outcome. A "
                "document whose processing failed also counts as processed."
            ),
            "(label: Pages) [Newer](?newer) [Older](?older)",
        ]

    def test_have_no_order_by_time_for_a_beginning(self):
        lines = self.show("uuid_prefix=u", is_by_uuid=True)
        assert not any("Newest first" in words for words in lines)
        assert lines[-1] == "(label: Pages) [Previous](?older) [Next](?newer)"

    @pytest.mark.django_db
    def test_say_that_the_list_is_empty(self):
        assert self.show(lines=[])[-3:-1] == [
            "The history is empty",
            "An entry is added when a trigger starts to process a document.",
        ]
        assert self.show("uuid=u", lines=[])[-4:-1] == [
            "No documents found",
            "A document without an entry is new to its trigger, or its entries were removed.",
            "[Show all documents](/list/)",
        ]


class TestUndetermined:
    @pytest.mark.django_db
    def test_show_all_their_values(self):
        form = UndeterminedForm(QueryDict(""), allowed=UndeterminedForm.filters.keys())
        lines = show("undetermined", form=form, lines=LINES, **LISTED)
        assert lines[lines.index("Filter") :] == [
            "Filter",
            "Trigger",
            "<trigger_id>",
            "<> All triggers",
            "Filter",
            "Documents with only a processing entry, by age",
            "Document | In doubt | Since | Trigger | Expires",
            (
                "[u-11](/document-history/entries/?trigger_id=t-11&uuid=u-11) | [a copy "
                "arrived](/document-history/in-doubt/33/) | @2026-11-02T12:11:00Z (svg viewbox=0 0 "
                "100 1) {undetermined} (rect width=32 height=1) | [trigger "
                "11](/document-history/triggers/t-11/) | (svg viewbox=0 0 100 1) {running} (rect "
                "width=31 height=1) @2021-03-04T11:11:00Z"
            ),
            (
                "[u-12](/document-history/entries/?trigger_id=t-12&uuid=u-12) | no copy | "
                "@2026-11-02T12:12:00Z (svg viewbox=0 0 100 1) {undetermined} (rect width=34 "
                "height=1) | t-12 | (title: Its trigger is unknown, so it is never removed.) kept "
                "(title: Its trigger is deleted, unknown or does not use the history, so checks "
                "ignore it.) orphaned"
            ),
            (
                "[u-13](/document-history/entries/?trigger_id=t-13&uuid=u-13) | no copy | "
                "@2026-11-02T12:13:00Z (svg viewbox=0 0 100 1) {undetermined} (rect width=35 "
                "height=1) | [trigger 13](/document-history/triggers/t-13/) | (svg viewbox=0 0 100 1) "
                "{CANCEL} (rect width=100 height=1) (title: It is still used until the sweeper "
                "removes it.) expired, not yet removed"
            ),
            (
                "These documents are still being processed, or their process died: the history cannot "
                "tell. A copy of such a document is in doubt until an operator decides, or until the "
                "entry expires and is removed."
            ),
            "(label: Pages) [Newer](?newer) [Older](?older)",
        ]
        assert show("undetermined", form=form, lines=[], **LISTED)[-3:-1] == [
            "No undetermined documents",
            "All started documents are finished.",
        ]


def doubt(number: int, **columns: object) -> DocumentInDoubt:
    values = {
        "trigger_id": f"t-{number}",
        "identifier": f"u-{number}",
        "document_name": f"name {number}",
        "message": f"message {number}",
        "deliveries": number + 1,
        "received_at": moment(number),
        "last_received_at": moment(-number),
        "state": "open",
        "resolved_by": f"user-{number}",
    }
    return DocumentInDoubt(in_doubt_id=number, **values | columns)


class TestInDoubtList:
    @pytest.mark.django_db
    def test_shows_all_its_values(self):
        form = InDoubtForm(QueryDict(""), allowed=InDoubtForm.filters.keys())
        bare = doubt(12, identifier="", document_name="", resolved_by="", message="Same.", deliveries=1)
        rows = [(doubt(11), "first", "Unknown."), (bare, "second", "Same.")]
        lines = show("in_doubt_list", form=form, lines=rows, **LISTED)
        assert lines[lines.index("Filter") :] == [
            "Filter",
            "Trigger",
            "<trigger_id>",
            "<> All triggers",
            "Filter",
            "* [All](?)",
            "[Open](?state=open)",
            "[Resubmitted](?state=resubmitted)",
            "[Settled](?state=settled)",
            "Documents in doubt, newest first",
            "Document | State | Trigger | Received | Reason",
            (
                "[u-11](/document-history/in-doubt/11/) name 11 | {paused} (title: No decision yet.) "
                "open by user-11 | [first](/document-history/triggers/t-11/) | @2026-11-02T12:11:00Z "
                "· 12 times | Unknown. message 11"
            ),
            (
                "[no identifier](/document-history/in-doubt/12/) | {paused} (title: No decision yet.) "
                "open | [second](/document-history/triggers/t-12/) | @2026-11-02T12:12:00Z | Same."
            ),
            "(label: Pages) [Newer](?newer) [Older](?older)",
        ]
        assert show("in_doubt_list", form=form, lines=[], **LISTED)[-3:-1] == [
            "No documents in doubt",
            (
                "A document is in doubt if neither the history nor the resolver can tell whether it was "
                "processed."
            ),
        ]
        narrowed = show("in_doubt_list", form=form, lines=[], is_narrowed=True, list="/list/", **LISTED)
        assert narrowed[-4:-1] == [
            "No documents found",
            (
                "A document is in doubt if neither the history nor the resolver can tell whether it was "
                "processed."
            ),
            "[Show all](/list/)",
        ]
