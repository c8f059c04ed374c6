"""The list of groups of failures with numbers and times that all differ."""

from dataclasses import replace
from datetime import UTC, datetime

from django.http import QueryDict

from messages_app.messages.failures.list_views import FailuresForm
from messages_app.messages.failures.listing import GroupLine, GroupList, Windows
from tests.messages_app.messages.failures.shown_groups import (
    FAILING,
    group,
    line,
)
from tests.support.page_outlines import outline_of, show_block


def show_list(*lines: GroupLine, block: str = "content", **values: object) -> list[str]:
    groups = GroupList(lines=lines, matches=len(lines), open=3, unreviewed=31, groups=40 if lines else 0)
    context = {
        "groups": groups,
        "failing": FAILING,
        "order": "most urgent first",
        "form": FailuresForm(QueryDict(), allowed=FailuresForm.filters.keys()),
        "list": "/failures/",
        "is_usual": True,
        "may_change": True,
        "polling": None,
    }
    page = "messages_app/failures/list.html"
    return outline_of(show_block(page, block=block, at="/failures/", **context | values))


class TestList:
    def test_shows_all_numbers_of_its_groups(self):
        bare = group(50, summary="", example="", failed_error_code="", owner="", state="known")
        calm = Windows(hour=1, hours_3=52, day=53, days_7=54)
        lines = [
            line(40, systems=["bank.example"]),
            line(50, group=bare, failing_now=0, error_code=None, windows=calm),
            line(4_300, is_exact=False, systems=["bank.example", "crm.example"]),
        ]
        shown = show_list(*lines)
        assert shown[:17] == [
            "Filter",
            "(/failures/)",
            *("Search", "<text=>", "Service", "<service_name=>", "System", "<external_system=>", "Filter"),
            "* [Failing](?)",
            "[Mine](?show=mine)",
            "[Unowned](?show=unowned)",
            "[Not reviewed](?show=unreviewed)",
            "[None failing](?show=ended)",
            "[All](?show=all)",
            "3 groups, most urgent first",
            "(get /failures/)",
        ]
        assert shown[17:] == [
            "Failure groups, most urgent first",
            (
                "Failure | [Failing now](?ordering=-failing_now) | State | (title: Failures in the last "
                "hour) [1 h](?ordering=-hour) | (title: Failures in the last 24 hours) "
                "[24 h](?ordering=-day) | (title: Failures in the last 7 days) [7 d]"
                "(?ordering=-days_7) | [Service](?ordering=service_name) | System | "
                "[Owner](?ordering=owner) | [Last](?ordering=-last_seen)"
            ),
            (
                "[Timed out](/failures/40/) E103 timed out after 7 s | "
                "[45](/messages/?state=FAILED&failure_group=40) | {failed} new | "
                "(title: More than in the hours before) ▲ 41 | 43 | 44 | "
                "[service-40](/services/service-40/) operation-40 | [bank.example](/systems/bank.example/) | "
                "owner-40 | @2026-11-02T12:40:00Z"
            ),
            (
                "[No error text](/failures/50/) | 0 | {skipped} known | 1 | 53 | 54 | "
                "[service-50](/services/service-50/) operation-50 | – | – | @2026-11-02T12:50:00Z"
            ),
            (
                "[Timed out](/failures/4300/) E103 timed out after 7 s | "
                "[about 4 300](/messages/?state=FAILED&failure_group=4300) | {failed} new | "
                "(title: More than in the hours before) ▲ 4 301 | 4 303 | 4 304 | "
                "[service-4300](/services/service-4300/) operation-4300 | 2 systems | owner-4300 | "
                "@2026-11-05T11:40:00Z"
            ),
            "[Group failures from before installation](/jobs/new/?kind=group_failures)",
        ]

    def test_leads_to_the_other_groups(self):
        many = GroupList(lines=[line(40)], matches=61, open=61, unreviewed=0, groups=70)
        shown = show_list(groups=many, more="?page_size=200", may_change=False)
        assert shown[-1] == "[Show more of the 61 groups](?page_size=200)"

    def test_says_that_numbers_are_estimates(self):
        many = replace(FAILING, is_by_group=False)
        assert (
            "The numbers of groups are estimates while more than 20 000 messages are failing."
            in show_list(line(40), failing=many)
        )

    def test_says_what_is_failing_now(self):
        assert show_list(block="heading") == [
            "Failures",
            (
                "[1 201 messages](/messages/?state=FAILED) failing now, 1 202 of them in no group yet · "
                "[31 groups not reviewed](/failures/?show=unreviewed)"
            ),
        ]
        polled = replace(FAILING, count=0, ungrouped=0, as_of=datetime(2021, 3, 4, tzinfo=UTC))
        reviewed = GroupList(lines=[], matches=0, open=0, unreviewed=0, groups=0)
        assert show_list(block="heading", groups=reviewed, failing=polled) == [
            "Failures",
            "No message is failing now · as of the last poll, 2021-03 ago",
        ]

    def test_says_that_the_list_is_empty(self):
        assert show_list()[-3:] == [
            "Nothing failed in the last 7 days",
            "Messages that fail permanently appear here within seconds, grouped by cause.",
            "[Group failures from before installation](/jobs/new/?kind=group_failures)",
        ]
        assert (
            show_list(may_change=False)[-1]
            == "Messages that fail permanently appear here within seconds, grouped by cause."
        )
        assert show_list(is_usual=False)[-2:] == [
            "No failure groups found",
            "[Show failing groups](/failures/)",
        ]
        repaired = GroupList(lines=[], matches=0, open=0, unreviewed=0, groups=7)
        assert show_list(groups=repaired)[-3:] == [
            "No message of a group is failing",
            "7 groups failed in the last 7 days.",
            "[Show all groups](/failures/?show=all)",
        ]
