"""The list of triggers with numbers that all differ."""

import pytest

from messages_app.core.charts.bars import make_shares
from messages_app.core.pagination.paginator import Page
from messages_app.document_history.models import DocumentSweep, DocumentTrigger
from messages_app.document_history.selectors import Sweeper, TriggerCounts
from messages_app.document_history.views.triggers import Line
from tests.messages_app.document_history.views.shown_documents import moment, show, trigger

WORKING = Sweeper(last=None, next_at=None, interval_seconds=None, orphaned=[])
PAGE = Page(rows=[], next_cursor="n1", previous_cursor="p1")


def counts(number: int, **columns: object) -> TriggerCounts:
    values = {
        "stored": number + 1,
        "expired": number + 2,
        "undetermined": number + 3,
        "oldest_undetermined": moment(number),
        "started": number + 4,
        "duplicates": number + 5,
        "in_doubt": number + 6,
        "open_doubts": number + 7,
    }
    return TriggerCounts(trigger_id=f"t-{number}", **values | columns)


def line(shown: DocumentTrigger, found: TriggerCounts) -> Line:
    parts = [("NEW", found.started), ("DUPLICATE", found.duplicates), ("IN_DOUBT", found.in_doubt)]
    whole = sum(count for _, count in parts)
    return Line(trigger=shown, counts=found, shares=make_shares(parts, whole=whole) if whole else [])


ZERO = dict.fromkeys(
    ("stored", "expired", "undetermined", "started", "duplicates", "in_doubt", "open_doubts"), 0
)


class TestTriggers:
    def test_show_all_their_numbers(self):
        suspended = trigger(
            20, suspended_at=moment(1), suspended_because="The resolver failed.", resolver="mine"
        )
        lines = [
            line(suspended, counts(20)),
            line(trigger(40, detect_duplicates=False), counts(40, **ZERO)),
            line(trigger(60, use_history=False), counts(995)),
        ]
        failed = Sweeper(
            last=DocumentSweep(error="no room"), next_at=None, interval_seconds=None, orphaned=[]
        )
        values = {"suspended": [suspended], "unresolved": [suspended], "sweeper": failed, "page": PAGE}
        assert show("triggers", lines=lines, **values) == [
            (
                "The last run of the [sweeper](/document-history/sweeper/) failed. Suspended and "
                "checking no documents: [trigger 20](/document-history/triggers/t-20/). Their "
                "resolver is not registered: [trigger 20](/document-history/triggers/t-20/)."
            ),
            "[New trigger](/document-history/new-trigger/)",
            "Triggers with their counts, by id",
            ("Trigger | Open in doubt | Last 24 h | Undetermined | Stored | Expired | Duplicate detection"),
            (
                "[trigger 20](/document-history/triggers/t-20/) (title: The resolver failed.) "
                "suspended t-20 | [27](/document-history/in-doubt/?trigger_id=t-20&state=open) | (svg "
                "viewbox=0 0 100 1) {NEW} (rect x=0.0 width=32.0 height=1) {DUPLICATE} (rect x=32.0 "
                "width=33.33 height=1) {IN_DOUBT} (rect x=65.33 width=34.67 height=1) [24 "
                "new](/document-history/entries/?trigger_id=t-20&time_from=-24h) · [25 "
                "duplicate](/document-history/statistics/?trigger_id=t-20&status=DUPLICATE&at_from=-24h) "
                "· [26 in "
                "doubt](/document-history/statistics/?trigger_id=t-20&status=IN_DOUBT&at_from=-24h) | "
                "[23](/document-history/undetermined/?trigger_id=t-20) oldest @2026-11-02T12:20:00Z | "
                "21 [View](/document-history/entries/?trigger_id=t-20) | 22 "
                "[View](/document-history/entries/?trigger_id=t-20&expired=true) | count (title: Time "
                "to live) history, 20 min resolver mine"
            ),
            (
                "[trigger 40](/document-history/triggers/t-40/) t-40 | 0 | – | 0 | 0 | 0 | none: "
                "every document is new"
            ),
            (
                "[trigger 60](/document-history/triggers/t-60/) t-60 | [> 1 "
                "000](/document-history/in-doubt/?trigger_id=t-60&state=open) | (svg viewbox=0 0 100 "
                "1) {NEW} (rect x=0.0 width=33.3 height=1) {DUPLICATE} (rect x=33.3 width=33.33 "
                "height=1) {IN_DOUBT} (rect x=66.63 width=33.37 height=1) [1 000 "
                "duplicate](/document-history/statistics/?trigger_id=t-60&status=DUPLICATE&at_from=-24h) "
                "· [> 1 000 in "
                "doubt](/document-history/statistics/?trigger_id=t-60&status=IN_DOUBT&at_from=-24h) | "
                "[998](/document-history/undetermined/?trigger_id=t-60) oldest @2026-11-03T04:35:00Z "
                "| 996 [View](/document-history/entries/?trigger_id=t-60) | 997 "
                "[View](/document-history/entries/?trigger_id=t-60&expired=true) | count"
            ),
            "(label: Pages) [Previous](?cursor=p1) [Next](?cursor=n1)",
        ]

    @pytest.mark.django_db
    def test_say_that_the_list_is_empty(self):
        assert show("triggers", lines=[], sweeper=WORKING) == [
            "No triggers yet",
            (
                "A trigger is a consumer of documents that asks the console whether it has already "
                "processed a document."
            ),
            "[New trigger](/document-history/new-trigger/)",
        ]
        assert (
            show("triggers", lines=[], sweeper=WORKING, may_change=False)[-1]
            == "Administrators can add triggers."
        )
        lines = show(
            "triggers", lines=[line(trigger(1), counts(1))], sweeper=WORKING, may_change=False, page=PAGE
        )
        assert lines[:3] == [
            "Triggers with their counts, by id",
            ("Trigger | Open in doubt | Last 24 h | Undetermined | Stored | Expired | Duplicate detection"),
            (
                "[trigger 1](/document-history/triggers/t-1/) t-1 | "
                "[8](/document-history/in-doubt/?trigger_id=t-1&state=open) | (svg viewbox=0 0 100 1) "
                "{NEW} (rect x=0.0 width=27.78 height=1) {DUPLICATE} (rect x=27.78 width=33.33 "
                "height=1) {IN_DOUBT} (rect x=61.11 width=38.89 height=1) [5 "
                "new](/document-history/entries/?trigger_id=t-1&time_from=-24h) · [6 "
                "duplicate](/document-history/statistics/?trigger_id=t-1&status=DUPLICATE&at_from=-24h) "
                "· [7 in "
                "doubt](/document-history/statistics/?trigger_id=t-1&status=IN_DOUBT&at_from=-24h) | "
                "[4](/document-history/undetermined/?trigger_id=t-1) oldest @2026-11-02T12:01:00Z | 2 "
                "[View](/document-history/entries/?trigger_id=t-1) | 3 "
                "[View](/document-history/entries/?trigger_id=t-1&expired=true) | count (title: Time "
                "to live) history, 60 s"
            ),
        ]
