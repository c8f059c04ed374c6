"""The parts of the message list around its table, with values that all differ."""

from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import AnonymousUser
from django.template.loader import render_to_string
from django.test import RequestFactory
from lxml import html

from messages_app.core.lists.counts import Counted
from messages_app.core.lists.filter_form import Link
from messages_app.core.lists.table import Offered
from messages_app.core.problems import Problem
from messages_app.messages.available_actions import RESTORE, Choice
from messages_app.messages.filters.message_filter import MessageFilter
from messages_app.messages.first_steps import FirstSteps, Loading
from messages_app.messages.listing.filter_form import Missing, PayloadSearch
from messages_app.messages.listing.results import Progress, Results
from messages_app.messages.listing.table_settings import COLUMNS
from tests.support.page_outlines import outline_of, show_block

QUERY, RESULTS = "list", "_list_results"
TABLE_MENU = "_table_menu"
TOOLS, LIVE, PROGRESS_BAR = (
    "//div[@class='c-tools-menus']",
    "//div[@class='c-live']",
    "//div[@id='search-progress']",
)
EMPTY, LACKS = "//*[contains(@class, 'empty')]", "//section[contains(@class, 'c-search-lacks')]"

RECENT = [
    Link(text="1 h", query="?1h"),
    Link(text="24 h", query="?24h", is_on=True),
    Link(text="Any time", query="?any"),
]
FORM = SimpleNamespace(
    received=RECENT,
    first_page="?first",
    in_archive="?archive",
    without_times="?no-times",
)
ORDERS = Offered(
    links=[Link(text="Newest", query="?newest", is_on=True), Link(text="Oldest", query="?oldest")],
    words="Newest",
    direction="descending",
    turned="?turned",
)
PROGRESS = Progress(
    looked_until=datetime(2026, 11, 1, 12, tzinfo=UTC), percent=31, cursor="c1", in_payloads=False
)
CHOICES = [
    Choice(name="restart", label="Restart", icon="restart", states=("CANCEL", "FAILED")),
    Choice(name="total", label="Restart from scratch", icon="restart", states=("FAILED",)),
    RESTORE,
]


def show(name: str, **context: object) -> str:
    if name == QUERY:
        return show_block("messages_app/messages/list.html", at="/messages/?a=b", **context)
    request = RequestFactory().get("/messages/?a=b")
    request.user = AnonymousUser()
    return render_to_string(f"messages_app/messages/{name}.html", context, request)


def show_part(name: str, path: str, **context: object) -> str:
    """Return the markup of the first element of a template at an XPath; empty if it has none."""
    elements = html.fromstring(f"<main>{show(name, **context)}</main>").xpath(path)
    return html.tostring(elements[0], encoding="unicode", with_tail=False) if elements else ""


def lines(name: str, path: str, **context: object) -> list[str]:
    return outline_of(show_part(name, path, **context))


def results(**values: object) -> Results:
    given = {
        "query": "q=1",
        "histogram_query": "h=2",
        "choices": CHOICES,
        "filters": MessageFilter(),
        "progress": None,
        "counted": None,
        "counts_failing": False,
        "newer_query": "n=3",
        "is_first": True,
        "is_last": False,
        "rows": 41,
        "rows_so_far": 41,
        "most_selected": 502,
        "seconds_to_count": 13,
    }
    return Results(**given | values)


class TestTools:
    def test_have_each_link_and_the_addresses_of_the_other_menus(self):
        shown = lines(QUERY, TOOLS, form=FORM, table=SimpleNamespace(orders=ORDERS))
        assert shown[: shown.index("Help")] == [
            "Order",
            "* [Newest](?newest)",
            "[Oldest](?oldest)",
            "Only orders with an index are offered; any other would sort every row. To find specific "
            "messages, use a filter.",
            "Table",
            "(get /messages/columns/?first) [Columns and rows](/messages/columns/?first)",
        ]

    @pytest.mark.parametrize(("is_compact", "marks"), [(False, ("* ", "")), (True, ("", "* "))])
    def test_have_the_chosen_rows_and_columns_in_the_menu_of_the_table(self, is_compact, marks):
        table = COLUMNS.choose_columns(["service"], is_compact=is_compact)
        shown = show(TABLE_MENU, form=FORM, table=table, all_columns=COLUMNS.others[:2])
        assert outline_of(shown) == [
            "(/messages/table/)",
            "Rows",
            f"<density=comfortable> {marks[0]}Comfortable",
            f"<density=compact> {marks[1]}Compact",
            "Columns",
            "<columns=received> Received",
            "<columns=service> * Service / operation",
            "Apply",
            "Reset",
        ]


class TestCount:
    @pytest.mark.parametrize(
        ("values", "counted", "counts_failing", "shown"),
        [
            ({"progress": PROGRESS}, None, False, ["41 found so far"]),
            ({"is_last": True}, None, False, ["41 messages"]),
            ({"is_last": True, "rows": 1}, None, False, ["1 message"]),
            ({}, Counted(number=1_300, is_exact=True), False, ["1–41 of 1 300"]),
            ({"is_first": False}, Counted(number=1_300, is_exact=True), False, ["41 on this page, of 1 300"]),
            ({"is_last": True}, Counted(number=41, is_exact=True), True, ["1–41 of 41 failing now"]),
            (
                {},
                Counted(number=1_234, is_exact=False),
                False,
                [
                    "1–41 of about 1 200 · (get /messages/count/?q=1) (title: Takes up to 13 seconds) "
                    "[count exactly](/messages/count/?q=1) counting…"
                ],
            ),
            (
                {},
                None,
                False,
                [
                    "1–41 more available · (get /messages/count/?q=1) (title: Takes up to 13 seconds) "
                    "[count exactly](/messages/count/?q=1) counting…"
                ],
            ),
        ],
    )
    def test_says_which_messages_of_how_many_are_on_the_page(self, values, counted, counts_failing, shown):
        around = results(counted=counted, counts_failing=counts_failing, **values)
        assert lines(RESULTS, "//*[@id='count-line']", rows=[1], results=around) == shown

    def test_is_empty_without_a_list(self):
        assert outline_of(show(RESULTS)) == []


class TestProgress:
    SEARCHED = "Searched back to 2026-11-01 12:00:00 UTC"

    def test_shows_the_progress_of_the_search(self):
        assert lines(RESULTS, PROGRESS_BAR, results=results(progress=PROGRESS)) == [
            "(get /messages/?q=1&cursor=c1)",
            f"{self.SEARCHED}, 41 found so far. This filter has no index. Add a time "
            "range or another filter to make it fast.",
            "(get /messages/?q=1&cursor=c1) [Continue searching](/messages/?q=1&cursor=c1)",
            "Stop searching",
            "<None=31> (label: Searched part of the time range) 31 %",
        ]
        unknown = Progress(looked_until=None, percent=None, cursor="c1", in_payloads=True)
        assert lines(RESULTS, PROGRESS_BAR, results=results(progress=unknown)) == [
            "(get /messages/?q=1&cursor=c1)",
            "Searched payloads, 41 found so far.",
            "(get /messages/?q=1&cursor=c1) [Continue searching](/messages/?q=1&cursor=c1)",
            "Stop searching",
        ]
        assert lines(RESULTS, PROGRESS_BAR, results=results()) == []

    def test_adds_the_next_rows_to_the_open_list(self):
        bar = html.fromstring(show_part(RESULTS, PROGRESS_BAR, results=results(progress=PROGRESS)))
        assert bar.get("hx-headers") == '{"X-Earlier-Rows": "41"}'
        assert (bar.get("hx-target"), bar.get("hx-swap")) == ("#list-rows tbody", "beforeend")
        assert (bar.get("hx-select"), bar.get("hx-trigger")) == ("#list-rows tbody > tr", "load")
        assert bar.get("hx-select-oob") == "#search-state,#count-line,#list-older,#rows-on-page"

    def test_counts_all_rows_of_the_open_list(self):
        on_page = "//*[@id='rows-on-page']"
        assert lines(RESULTS, on_page, results=results(rows=2, rows_so_far=2), rows=[1, 2]) == [
            "2 on this page"
        ]
        continued = results(is_continuation=True, rows=2, rows_so_far=43)
        assert lines(RESULTS, on_page, results=continued, rows=[1, 2]) == ["43 on this page"]

    def test_replaces_a_list_without_rows(self):
        empty = results(progress=PROGRESS, rows=0, rows_so_far=0)
        bar = html.fromstring(show_part(RESULTS, PROGRESS_BAR, results=empty))
        assert (bar.get("hx-target"), bar.get("hx-select")) == ("#list-rows", "#list-rows")

    def test_waits_for_the_user_after_many_rows(self):
        many = results(progress=replace(PROGRESS, continues=False))
        bar = html.fromstring(show_part(RESULTS, PROGRESS_BAR, results=many))
        assert (bar.get("hx-trigger"), bar.get("hx-get")) == (None, None)
        (link,) = bar.iter("a")
        assert link.get("hx-get") == link.get("href") == "/messages/?q=1&cursor=c1"

    def test_says_what_a_continued_search_has_found(self):
        state, count = "//*[@id='search-state']", "//*[@id='count-line']"
        done = results(is_continuation=True, rows=0, rows_so_far=43)
        assert lines(RESULTS, state, results=done, rows=[]) == ["Searched; 43 found."]
        assert lines(RESULTS, count, results=done, rows=[]) == ["43 found"]
        assert lines(RESULTS, "//*[@id='list-older']", results=done, rows=[]) == ["Older"]
        going_on = results(is_continuation=True, rows=0, rows_so_far=43, progress=PROGRESS)
        assert lines(RESULTS, count, results=going_on, rows=[]) == ["43 found so far"]


class TestNewer:
    def test_asks_for_the_messages_after_those_of_the_page(self):
        shown = show_part(RESULTS, LIVE, rows=[1], results=results())
        assert 'hx-get="/messages/newer/?n=3"' in shown
        assert show_part(RESULTS, LIVE, rows=[1], results=results(newer_query="")) == ""


class TestSelectionBar:
    def test_has_each_action_with_its_states_and_limits(self):
        markup = show_part(RESULTS, "//form[@id='selection']", rows=[1], results=results())
        assert outline_of(markup) == [
            "(/messages/act/)",
            "Selected messages:",
            "Restart",
            "Restart from scratch",
            "Restore",
            "(/messages/export/) Export",
            "* Clear",
            "Restart: from CANCEL, FAILED. Restore: archived messages, at most 150 at a time. At most 502 "
            "at a time.",
        ]
        for words in (
            'data-most="502" aria-label',
            'value="restart" data-states="CANCEL FAILED" data-most="500"',
            'value="total" data-states="FAILED" data-most="500"',
            'value="restore" data-of-archive data-most="150"',
        ):
            assert words in " ".join(markup.split()), words


class TestEmptyList:
    def shown(self, *, form: object = None, **context: object) -> list[str]:
        values = {"form": form or FORM, "results": results(rows=0), "rows": []}
        return lines(RESULTS, EMPTY, **values | context)

    def test_offers_what_may_find_messages(self):
        buttons = ["[Search any time](?no-times)", "[Search the archive](?archive)"]
        line = SimpleNamespace(words=["State: OK", "Service: a"])
        assert self.shown() == [
            "No messages found",
            "The hub has no live messages. Older ones are in the archive.",
            " ".join(buttons),
        ]
        assert self.shown(line=line) == [
            "No messages found",
            "No messages match State: OK and Service: a.",
            " ".join([*buttons, "[Clear all filters](/messages/)"]),
        ]
        assert self.shown(line=line, has_removable_filters=True) == [
            "No messages found",
            "No messages match State: OK and Service: a.",
            " ".join([*buttons, "[Clear all filters](/messages/)"]),
            "(get /messages/excluding/?first)"
            " [Filters that exclude all messages](/messages/excluding/?first)",
        ]
        for query in ({"newer": "?n"}, {"older": "?o"}):
            assert self.shown(**query)[:2] == [
                "No messages found",
                "There are no more messages on this page.",
            ]
        ended = results(is_continuation=True, rows=0, rows_so_far=0)
        assert self.shown(results=ended, line=line, newer="?n")[:2] == [
            "No messages found",
            "The search has ended. It found no messages with State: OK and Service: a.",
        ]
        assert self.shown(results=results(progress=PROGRESS))[:2] == [
            "None found so far",
            "The search is not finished. Continue it to find more.",
        ]

    @pytest.mark.parametrize(("archived", "is_offered"), [(None, True), (True, False), ("any", False)])
    def test_offers_the_archive_for_live_messages_only(self, archived, is_offered):
        filters = MessageFilter({"archived": archived} if archived else {})
        shown = self.shown(results=results(filters=filters))
        assert ("[Search the archive](?archive)" in shown[-1]) is is_offered

    def test_offers_the_payload_search_or_says_what_it_lacks(self):
        missing = [
            Missing(sentence="Ask for the permission."),
            Missing(sentence="Unmask.", label="Unmask", icon="eye", url="/reveal/"),
        ]
        for lacks, expected in (
            (missing[:1], ["Search in payloads: Ask for the permission."]),
            (missing[1:], ["[Show values and search payloads (7 days)](/reveal/)"]),
            ([], ["[Search payloads (7 days)](/search/)"]),
        ):
            search = PayloadSearch(text="a", url="/search/", missing=lacks)
            assert outline_of(show("_offered_search", search=search)) == expected
        assert outline_of(show("_offered_search", search=None)) == []
        assert lines(QUERY, LACKS, search_lacks=missing) == [
            "The payload search cannot run yet.",
            "Ask for the permission.",
            "Unmask. [Unmask](/reveal/)",
        ]
        assert lines(QUERY, LACKS, search_lacks=[]) == []

    def test_shows_the_first_steps_until_there_is_a_message(self):
        state = {"is_attached": False, "builds_counts": False, "is_late": False}
        loading = FirstSteps(has_messages=False, loading=Loading(done=1_200, total=4_800), **state)
        assert self.shown(first_steps=loading) == [
            "(get /first-minutes/?until=loaded)",
            "Demo data is being loaded",
            "1 200 of 4 800 messages. They appear together at the end.",
            "<None=25> 25 %",
        ]
        attached = FirstSteps(has_messages=False, loading=None, **state | {"is_attached": True})
        assert self.shown(first_steps=attached) == [
            "No messages yet",
            "The attached hub is empty. Its messages appear here as soon as it has some.",
        ]
        some = FirstSteps(has_messages=True, loading=None, **state)
        assert self.shown(first_steps=some)[0] == "No messages found"


class TestUnavailable:
    def test_offers_shorter_ranges_or_another_attempt(self):
        slow = Problem(503, "query_too_slow", "It takes too long.")
        assert lines(QUERY, EMPTY, problem=slow, form=FORM) == [
            "It takes too long.",
            "The filter reads too many rows. Choose a shorter time range:",
            "[1 h](?1h) [24 h](?24h)",
        ]
        busy = Problem(503, "busy", "Busy.")
        assert lines(QUERY, EMPTY, problem=busy, form=FORM) == ["Busy.", "[Try again](/messages/?first)"]
