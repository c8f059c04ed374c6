"""The matches of an id, on a page and in the search dialog, with values that all differ."""

from dataclasses import replace

from django.template.loader import render_to_string
from django.test import RequestFactory

from messages_app.core.search_results import Hit, Kind
from messages_app.finding.search_sources import Matches
from messages_app.messages.listing.filter_form import Missing, PayloadSearch
from tests.support.page_outlines import outline_of, show_block

KINDS = [
    Kind(
        title="Correlation id",
        name="correlation_id",
        hits=[
            Hit(url="/messages/11/", name="c-11", about="billing 21", state="FAILED"),
            Hit(url="/messages/12/", name="c-12", about="shipping 22", state="OK", archived=True),
        ],
        more=True,
        list_url="/messages/?correlation_id=c-1",
        note="Archived requests were not searched.",
    ),
    Kind(
        title="Entity id",
        name="entity_id",
        hits=[Hit(url="", name="e-13", about="orders 23")],
        list_url="/messages/?entity=e-13",
    ),
]
MATCHES = Matches(text="c-1", ids=KINDS)
NONE = Matches(text="c-9")
SEARCH = PayloadSearch(text="c-9", url="/messages/?payload=c-9", missing=[])
LACKING = replace(
    SEARCH, missing=[Missing(sentence="Ask an administrator."), Missing(sentence="", url="/reveal/?next=x")]
)


def dialog(matches: Matches, search: PayloadSearch | None = None) -> list[str]:
    context = {"matches": matches, "search": search}
    return outline_of(
        render_to_string("messages_app/finding/_results.html", context, RequestFactory().get("/"))
    )


def page(matches: Matches, search: PayloadSearch | None = None, *, block: str = "content") -> list[str]:
    values = {"matches": matches, "most": 200, "is_searchable": True, "search": search}
    return outline_of(show_block("messages_app/finding/results_page.html", block=block, **values))


class TestDialog:
    def test_shows_all_values_of_each_match(self):
        assert dialog(MATCHES) == [
            "Correlation id, the newest 2",
            "Archived requests were not searched.",
            (
                "[{FAILED} FAILEDc-11billing 21](/messages/11/) [{OK} OKc-12shipping "
                "22archived](/messages/12/) [View all with this correlation "
                "id](/messages/?correlation_id=c-1)"
            ),
            "Entity id",
            "e-13orders 23",
        ]

    def test_lists_all_only_if_there_are_more(self):
        assert not [line for line in dialog(replace(MATCHES, ids=KINDS[1:])) if "View all" in line]
        without = replace(KINDS[0], list_url="")
        assert not [line for line in dialog(replace(MATCHES, ids=[without])) if "View all" in line]

    def test_says_that_white_space_was_left_out(self):
        assert dialog(replace(MATCHES, text=" c-1", trimmed="c-1"))[0] == (
            "No id is exactly (title: SPACE) U+0020c-1. Without the white space at its ends:"
        )

    def test_numbers_the_matches(self):
        markup = render_to_string("messages_app/finding/_results.html", {"matches": MATCHES})
        for number in ("1", "2", "1-1", "1-2", "2-1", "1-all"):
            assert markup.count(f'id="result-{number}"') == 1
        assert markup.count('aria-disabled="true"') == 1

    def test_offers_to_search_payloads(self):
        assert dialog(NONE) == [
            "No id, error, name or page matches c-9, live or archived.",
        ]
        assert dialog(NONE, SEARCH) == [
            "No id, error, name or page matches c-9, live or archived.",
            "Contents",
            "[Search payloads (7 days)](/messages/?payload=c-9)",
        ]
        assert dialog(NONE, LACKING) == [
            "No id, error, name or page matches c-9, live or archived.",
            "Contents",
            "Search in payloads: Ask an administrator.",
            "[Show values and search payloads (7 days)](/reveal/?next=x)",
        ]
        assert dialog(replace(NONE, text="")) == []


class TestPage:
    def test_shows_all_values_of_each_match(self):
        assert page(MATCHES) == [
            "Correlation id",
            "newest 2",
            "[{FAILED} FAILEDc-11billing 21](/messages/11/)",
            "[{OK} OKc-12shipping 22 archived](/messages/12/)",
            "Entity id",
            "e-13orders 23",
        ]
        assert page(MATCHES, block="heading") == [
            "Results for c-1",
        ]

    def test_says_that_white_space_was_left_out(self):
        assert page(replace(MATCHES, trimmed="c-1"))[0] == (
            "No id matches this text exactly. These match it without the white space at its ends:"
        )

    def test_explains_that_no_id_was_found(self):
        sentence = "No id matches this text exactly, live or archived."
        assert page(NONE, SEARCH) == [sentence, "[Search payloads (7 days)](/messages/?payload=c-9)"]
        assert page(NONE, LACKING) == [
            sentence,
            "Search in payloads: Ask an administrator.",
            "[Show values and search payloads (7 days)](/reveal/?next=x)",
        ]
        assert page(NONE) == [sentence]
        others = replace(NONE, others=KINDS[1:])
        assert page(others) == [f"{sentence} It may mean:", "Entity id", "e-13orders 23"]

    def test_explains_that_no_id_can_be_this_text(self):
        values = {"matches": NONE, "most": 200, "is_searchable": False, "search": None}
        assert outline_of(
            show_block("messages_app/finding/results_page.html", block="content", **values)
        ) == ["No match: search for a text of at most 200 characters without NUL."]
