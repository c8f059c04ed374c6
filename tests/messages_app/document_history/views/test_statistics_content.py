"""The statistics and the sweeper with numbers and times that all differ."""

import pytest
from django.http import QueryDict

from messages_app.core.charts.bars import make_bars
from messages_app.core.pagination.paginator import Page
from messages_app.core.reason_form import ReasonForm
from messages_app.document_history.models import DocumentOutcome, DocumentSweep
from messages_app.document_history.selectors import Sweeper
from messages_app.document_history.views.statistics import Run, StatisticsForm
from tests.messages_app.document_history.views.shown_documents import moment, show

PAGE = Page(rows=[], next_cursor="n1", previous_cursor="p1")


def outcome(number: int, **columns: object) -> DocumentOutcome:
    values = {
        "trigger_id": f"t-{number}",
        "document_name": f"name {number}",
        "identifier": f"u-{number}",
        "status": "DUPLICATE",
        "at": moment(number),
        "redelivery_count": number + 1,
        "decided_by": "resolver",
    }
    return DocumentOutcome(**values | columns)


class TestStatistics:
    def show(self, query: str = "", **values: object) -> list[str]:
        context = {
            "form": StatisticsForm(QueryDict(query), allowed=StatisticsForm.filters.keys()),
            "problem": "slow",
            "lines": [
                (outcome(11), "first", "It was processed."),
                (outcome(12, status="IN_DOUBT", identifier="x" * 40, document_name=""), "second", "Unknown."),
                (outcome(13, identifier="", redelivery_count=-1), "third", "Redelivered."),
                (outcome(14, redelivery_count=0, decided_by="redelivery_count"), "fourth", "New."),
            ],
            "longest_uuid": 36,
            "newer": "?newer",
            "older": "?older",
            "triggers": [("t-11", "first"), ("t-12", "second")],
            "trigger_id": "t-12",
            "may_clear": True,
            "reason": ReasonForm(auto_id="clear_%s"),
        }
        return show("statistics", **context | values)

    def test_show_all_their_values(self):
        lines = self.show()
        assert lines == [
            "Trigger",
            "<trigger_id>",
            "<> All triggers",
            "<t-11> first",
            "<t-12> * second",
            "From",
            "<at_from=>",
            "To",
            "<at_to=>",
            "Filter",
            "* [Both](?)",
            "[Duplicate](?status=DUPLICATE)",
            "[In doubt](?status=IN_DOUBT)",
            "[15 min](?at_from=-15m)",
            "[1 h](?at_from=-1h)",
            "[24 h](?at_from=-24h)",
            "[7 d](?at_from=-7d)",
            "* [Any time](?)",
            "Duplicates and documents in doubt, newest first",
            "Document UUID | Document status | Document name | Trigger | Time | Reason",
            (
                "[u-11](/document-history/entries/?trigger_id=t-11&uuid=u-11) | {DUPLICATE} (title: "
                "Already processed: acknowledged, not processed again.) Duplicate | name 11 | "
                "[first](/document-history/triggers/t-11/) | @2026-11-02T12:11:00Z | It was "
                "processed. decided by resolver · redelivery count 12"
            ),
            (
                "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx | {IN_DOUBT} (title: Unknown whether it was "
                "processed: acknowledged, not processed, kept for an operator.) In doubt | – | "
                "[second](/document-history/triggers/t-12/) | @2026-11-02T12:12:00Z | Unknown. "
                "decided by resolver · redelivery count 13"
            ),
            (
                "– | {DUPLICATE} (title: Already processed: acknowledged, not processed again.) "
                "Duplicate | name 13 | [third](/document-history/triggers/t-13/) | "
                "@2026-11-02T12:13:00Z | Redelivered. decided by resolver"
            ),
            (
                "[u-14](/document-history/entries/?trigger_id=t-14&uuid=u-14) | {DUPLICATE} (title: "
                "Already processed: acknowledged, not processed again.) Duplicate | name 14 | "
                "[fourth](/document-history/triggers/t-14/) | @2026-11-02T12:14:00Z | New. decided by "
                "redelivery count · redelivery count 0"
            ),
            "(label: Pages) [Newer](?newer) [Older](?older)",
            "Clear statistics",
            "(/document-history/statistics/clear/)",
            (
                "Removes all entries of this trigger up to now from this list. The history and its "
                "decisions do not change."
            ),
            "Reason (recorded in the audit log)",
            "<reason>",
            "Clear statistics of this trigger",
        ]

    def test_can_be_cleared_by_users_who_may_change_triggers(self):
        assert "Clear statistics" not in self.show(may_clear=False)
        assert self.show(trigger_id="", lines=[])[-6:] == [
            "Clear statistics",
            "(/document-history/statistics/clear/)",
            "Removes all entries up to now from this list. The history and its decisions do not change.",
            "Reason (recorded in the audit log)",
            "<reason>",
            "Clear all statistics",
        ]

    @pytest.mark.django_db
    def test_say_that_the_list_is_empty(self):
        lines = self.show(lines=[], problem="", picture=None)
        assert "No duplicates and no documents in doubt" in lines
        assert "No duplicates and no documents in doubt" not in self.show(lines=[])


def sweep(number: int, **columns: object) -> DocumentSweep:
    values = {"started_at": moment(number), "finished_at": moment(2 * number), "removed": number + 100}
    return DocumentSweep(sweep_id=number, actor=f"user-{number}", **values | columns)


class TestSweeper:
    def show(self, **values: object) -> list[str]:
        runs = [
            (sweep(11), [("first", 31), ("second", 32)]),
            (sweep(12, removed=0, finished_at=None, error="no room"), []),
        ]
        drawn = make_bars([("", each.removed, "") for each, _ in runs])
        context = {
            "sweeper": Sweeper(
                last=sweep(12, error="no room"),
                next_at=moment(41),
                interval_seconds=3_600,
                orphaned=["t-8", "t-9"],
            ),
            "waiting": [("first", 51), ("second", 1_001)],
            "form": ReasonForm(),
            "runs": [
                Run(sweep=each, bar=bar, by_trigger=removed)
                for (each, removed), bar in zip(runs, drawn, strict=True)
            ],
            "page": PAGE,
        }
        return show("sweeper", **context | values)

    def test_shows_all_its_numbers(self):
        assert self.show() == [
            "Status",
            "Last run: 2026-11-02 12:12:00 UTC · 112 removed",
            "Next run: 2026-11-02 12:41:00 UTC",
            "Interval: 60 min",
            "Expired entries: first: 51 second: > 1 000",
            "The last run failed: no room",
            "Entries of unknown triggers are kept because no time to live is defined: t-8, t-9",
            "Remove expired entries now",
            (
                "Runs for at most 10 s; the next run removes the rest. A later copy of a removed document "
                "is treated as new."
            ),
            "Reason (recorded in the audit log)",
            "<reason>",
            "Remove expired entries",
            "Runs",
            "Runs of the sweeper, newest first",
            "Started | Removed | Chart | By trigger | Duration | Started by",
            (
                "2026-11-02 12:11:00 UTC | 111 | (svg viewbox=0 0 100 1) {running} (rect width=100.0 "
                "height=1) | first 31, second 32 | 11 min | user-11"
            ),
            "2026-11-02 12:12:00 UTC | 0 | | – no room | not finished | user-12",
            "(label: Pages) [Newer](?cursor=p1) [Older](?cursor=n1)",
        ]

    def test_shows_that_it_never_ran(self):
        idle = Sweeper(last=None, next_at=None, interval_seconds=None, orphaned=[])
        assert self.show(sweeper=idle, waiting=[], runs=[], may_sweep=False) == [
            "Status",
            "Last run: never",
            "Next run: when the scheduler starts",
            "Interval: –",
            "Expired entries: –",
        ]
        soon = Sweeper(last=None, next_at=None, interval_seconds=60, orphaned=[])
        assert self.show(sweeper=soon)[2] == "Next run: within 60 s"
