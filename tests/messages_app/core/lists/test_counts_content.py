"""The counts, links and fields of lists with values that all differ."""

from dataclasses import replace

from django.template.loader import render_to_string
from django.test import RequestFactory

from messages_app.core.lists.counts import Counted, Newer
from messages_app.core.lists.filter_form import Field
from tests.support.page_outlines import outline_of

FIELD = Field(name="user", label="User", value="ana", hint="a name", error="")


def show(name: str, /, **values: object) -> list[str]:
    return outline_of(render_to_string(f"messages_app/lists/{name}.html", {"list": "/list/"} | values))


class TestNewerCount:
    def test_shows_the_number_of_new_rows(self):
        assert show("_newer_count", newer=Newer(number=7)) == ["[7 new](/list/)"]
        assert show("_newer_count", newer=Newer(number=8, are_more=True)) == ["[8+ new](/list/)"]
        assert show("_newer_count", newer=Newer()) == []
        slow = show("_newer_count", newer=Newer(number=9, was_too_slow=True))
        assert slow == ["Checking for new rows takes too long with this filter."]

    def test_links_from_an_open_list_to_the_list_itself(self):
        request = RequestFactory().get("/", headers={"HX-Request": "true"})
        assert show("_newer_count", newer=Newer(number=7), request=request) == ["[7 new]()"]

    def test_stops_asking_when_the_count_has_ended(self):
        def markup(**counts: object) -> str:
            return render_to_string("messages_app/lists/_newer_count.html", {"newer": Newer(**counts)})

        assert "data-stop" in markup(number=8, are_more=True)
        assert "data-stop" not in markup(number=8)


class TestCounted:
    def test_shows_how_exact_it_is(self):
        assert show("_counted", counted=Counted(number=12_345, is_exact=True)) == ["of exactly 12 345"]
        assert show("_counted", counted=Counted(number=12_345, is_exact=False)) == [
            "of about 12 000 · counting stopped after 2 s"
        ]


class TestField:
    def test_shows_its_value_and_its_error(self):
        assert show("_field", field=FIELD) == ["User", "<user=ana>"]
        wrong = replace(FIELD, error="Too long.")
        assert show("_field", field=wrong) == ["User", "<user=ana>", "Too long."]

    def test_describes_itself(self):
        def markup(field: Field) -> str:
            return render_to_string("messages_app/lists/_field.html", {"field": field})

        assert 'for="f-user"' in markup(FIELD)
        assert 'id="f-user"' in markup(FIELD)
        assert 'placeholder="a name"' in markup(FIELD)
        assert "placeholder" not in markup(replace(FIELD, hint=""))
        assert "aria-invalid" not in markup(FIELD)
        assert 'aria-describedby="e-user"' in markup(replace(FIELD, error="Too long."))


class TestNeighbours:
    def test_are_named_by_time_or_by_place(self):
        assert show("_neighbours", newer="?n", older=None) == ["(label: Pages) [Newer](?n) Older"]
        assert show("_neighbours", newer=None, older=None) == []
        assert show("_neighbours", newer="?n", older="?o", is_by_key=True) == [
            "(label: Pages) [Previous](?o) [Next](?n)"
        ]
