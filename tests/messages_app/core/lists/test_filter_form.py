from datetime import UTC, datetime

import pytest
from django.http import QueryDict

from messages_app.core.filters.table import Filter, filters_by_name, text_filter, time_range
from messages_app.core.filters.values import parse_choice, parse_flag
from messages_app.core.lists.filter_form import ListForm, said_plainly
from messages_app.core.pagination.paginator import Page
from messages_app.core.problems import FieldError

NOW = datetime(2026, 11, 21, 7, tzinfo=UTC)


class Form(ListForm):
    filters = filters_by_name(
        text_filter("name", 5),
        *time_range("sent_at"),
        Filter(name="kind", lookup="", parse=parse_choice, choices=("a", "b"), repeatable=True),
        Filter(name="open", lookup="open", parse=parse_flag),
    )
    labels = {
        "name": "Name",
        "sent_at_from": "Sent from",
        "sent_at_to": "Sent to",
        "kind": "Kind",
        "open": "Open",
    }
    field_names = ("name", "sent_at_from", "sent_at_to")
    linked_names = ("kind", "open")


def form_of(query: str, **options: object) -> Form:
    return Form(QueryDict(query), **{"allowed": frozenset(Form.filters), **options})


class TestListForm:
    def test_offers_no_filter_that_its_reader_may_not_use(self):
        assert [field.name for field in form_of("", allowed={"name"}).fields] == ["name"]

    def test_shows_times_as_people_write_them(self):
        values = {
            field.name: field.value
            for field in form_of("sent_at_from=2026-11-21T03:00Z&sent_at_to=-2h").fields
        }
        assert values == {"name": "", "sent_at_from": "2026-11-21 03:00", "sent_at_to": "-2h"}

    def test_has_the_parts_of_each_field(self):
        error = FieldError("sent_at_to", "invalid_value", "sent_at_to is not a time.")
        name, start, end = form_of("name=x&sent_at_from=-1h&sent_at_to=y", errors=[error]).fields
        assert (name.name, name.label, name.value, name.hint, name.error) == ("name", "Name", "x", "", "")
        assert (start.label, start.value, start.error) == ("Sent from", "-1h", "")
        assert (end.label, end.value, end.error) == ("Sent to", "y", "Is not a time.")
        assert start.hint == end.hint != ""

    def test_carries_on_what_has_no_field(self):
        form = form_of("kind=a&name=x&page_size=9&cursor=c")
        assert form.hidden_params == [("kind", "a"), ("page_size", "9")]
        assert form.other_params == [("page_size", "9")]

    def test_widens_to_any_time(self):
        assert form_of("name=x&sent_at_to=-2h").without_times == "?name=x"
        assert form_of("name=x").without_times == ""

    def test_stores_nothing_in_a_saved_view_without_a_filter(self):
        assert form_of("ordering=x&cursor=c").filter_query == ""
        assert form_of("name=x&cursor=c").filter_query == "?name=x"


class TestOneOf:
    def test_marks_the_chosen_value(self):
        links = form_of("open=true&name=x").one_of("open", (("Any", None), ("Open", "true")))
        assert [(link.text, link.query, link.is_on) for link in links] == [
            ("Any", "?name=x", False),
            ("Open", "?name=x&open=true", True),
        ]


class TestRecent:
    def test_offers_ranges_that_stay_relative(self):
        links = {link.text: link for link in form_of("sent_at_from=-1h&name=x").recent_ranges("sent_at")}
        assert links["24 h"].query == "?name=x&sent_at_from=-24h"
        assert links["Any time"].query == "?name=x"
        assert [text for text, link in links.items() if link.is_on] == ["1 h"]

    @pytest.mark.parametrize(
        ("query", "on"),
        [
            ("name=x", ["Any time"]),
            ("sent_at_from=-24h", ["24 h"]),
            ("sent_at_from=-24h&sent_at_to=-1h", []),
            ("sent_at_to=-1h", []),
        ],
    )
    def test_marks_a_range_only_without_another_end(self, query, on):
        assert [link.text for link in form_of(query).recent_ranges("sent_at") if link.is_on] == on


class TestPageQuery:
    def test_fixes_from_when_relative_times_are_counted(self):
        query = form_of("sent_at_from=-2h").page_query("c", now=NOW)
        assert query == "?sent_at_from=-2h&at=2026-11-21T07:00:00Z&cursor=c"

    def test_leaves_exact_times_unchanged(self):
        assert form_of("kind=a").page_query("c", now=NOW) == "?kind=a&cursor=c"

    def test_leads_nowhere_at_an_end(self):
        assert form_of("").page_query(None, now=NOW) is None


class TestNeighbours:
    @pytest.mark.parametrize(
        ("ordering", "older", "newer"), [("-id", "?cursor=n", "?cursor=p"), ("id", "?cursor=p", "?cursor=n")]
    )
    def test_uses_the_age_of_the_rows(self, ordering, older, newer):
        page = Page(rows=[], next_cursor="n", previous_cursor="p")
        assert form_of("").queries_of_neighbours(page, ordering=ordering, now=NOW) == {
            "older": older,
            "newer": newer,
        }


class TestSaidPlainly:
    def test_speaks_in_the_labels_words(self):
        error = FieldError("sent_at_from", "x", "sent_at_from is later than sent_at_to.")
        assert said_plainly(error, Form.labels) == "Is later than Sent to."

    def test_leaves_words_unchanged_that_are_names_too(self):
        assert (
            said_plainly(FieldError("kind", "x", "kind must be open or a."), Form.labels)
            == "Must be open or a."
        )
