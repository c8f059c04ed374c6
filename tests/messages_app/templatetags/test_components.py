from collections.abc import Mapping

import pytest
from django.contrib.messages import constants
from django.contrib.messages.storage.base import Message
from django.http import QueryDict
from django.template import TemplateSyntaxError
from django.test import RequestFactory
from django.utils.safestring import SafeString
from lxml import html

from messages_app.core.badges import Badge
from messages_app.core.charts.bars import make_bars, make_shares
from messages_app.core.charts.sparklines import make_sparkline
from messages_app.core.edit_versions import Difference
from messages_app.core.filters.table import filters_by_name, text_filter
from messages_app.core.lists.filter_form import Link, ListForm
from messages_app.core.problems import FieldError, Problem
from tests.messages_app.templatetags.shown_components import outline, show, show_element

LINKS = [
    Link(text="all", query="?a"),
    Link(text="one", query="?b", is_on=True),
    Link(text="<two>", query="?c&d"),
]


class TestCommand:
    def test_can_be_copied_as_it_is(self):
        command = show_element("{% command text %}", text="demo --messages <N>")
        assert command.find("code").text == "python manage.py demo --messages <N>"
        assert command.find("button").get("data-copy") == "python manage.py demo --messages <N>"


class TestNote:
    def test_has_the_attributes_of_its_tag(self):
        tags = (
            '{% note "warning" role="alert" hx_get=url hidden=no aria_label="" data_draft_note=True %}'
            "Wait.{% endnote %}"
        )
        note = show_element(tags, url="/?a=1&b=\"2'", no=False)
        assert dict(note.attrib) == {
            "class": "c-note is-warning",
            "role": "alert",
            "hx-get": "/?a=1&b=\"2'",
            "data-draft-note": "",
        }
        assert note.text_content().strip() == "Wait."

    def test_escapes_literals_in_attributes(self):
        note = show_element("""{% note hx_vals='{"a": 1}' aria_valuemin=0 %}{% endnote %}""")
        assert (note.get("hx-vals"), note.get("aria-valuemin")) == ('{"a": 1}', "0")


class Filter(ListForm):
    filters = filters_by_name(text_filter("name", 60), text_filter("note", 60), text_filter("user", 60))
    labels: Mapping[str, str] = {"name": "Name", "note": "Note", "user": "User"}
    field_names = ("name", "note", "user")
    first_names = ("name",)


class TestFilterBar:
    def show_bar(self, query, errors=(), **values):
        form = Filter(QueryDict(query), allowed=Filter.field_names, errors=errors)
        tags = "{% filterbar %}{% choices links 'State' %}{% endfilterbar %}"
        return html.fromstring(show(tags, form=form, links=LINKS, list="/list/", **values).strip())

    def test_has_the_first_fields_and_a_menu_of_the_others(self):
        bar = self.show_bar("user=ada&note=x")
        names = [field.get("name") for field in bar.xpath(".//form/div//input")]
        assert names == ["name"]
        assert [field.get("name") for field in bar.xpath(".//details//input")] == ["note", "user"]
        assert bar.xpath("string(.//summary)").split() == ["More", "fields", "2"]
        assert [link.text for link in bar.xpath("./div//a")] == ["All", "One", "<two>"]

    def test_has_a_button_that_opens_it_as_a_sheet(self):
        bar = self.show_bar("name=a")
        button, form = bar.xpath("./button")[0], bar.xpath("./form")[0]
        assert button.get("popovertarget") == form.get("id")
        assert form.get("popover") == ""
        assert button.text_content().split() == ["Filter", "1"]

    def test_shows_an_error_without_a_sheet_and_opens_the_menu_of_its_field(self):
        error = FieldError(field="user", code="invalid", message="user must be short.")
        bar = self.show_bar("user=ada", [error], problem=Problem(400, "invalid", "d", errors=[error]))
        assert bar.xpath("./button") == []
        assert bar.xpath("./form")[0].get("popover") is None
        assert bar.xpath("./form")[0].get("data-answer") == "object"
        assert [menu.get("open") for menu in bar.xpath(".//details")] == [""]
        assert bar.xpath("string(.//*[@id='e-user'])").strip() == "Must be short."

    def test_keeps_what_has_no_field_and_shows_other_errors(self):
        form = Filter(QueryDict("ordering=-name"), allowed=Filter.field_names)
        slow = Problem(503, "query_too_slow", "It took too long.")
        values = {"form": form, "list": "/list/", "other_errors": ["Odd."], "problem": slow}
        shown = html.fromstring(f"<main>{show('{% filterbar %}{% endfilterbar %}', **values)}</main>")
        assert [(each.get("name"), each.get("value")) for each in shown.xpath(".//form/input")] == [
            ("ordering", "-name")
        ]
        alerts = [each.text_content().strip() for each in shown.xpath("./*[@role='alert']")]
        assert alerts == ["Odd.", "It took too long."]
        assert shown.xpath(".//*[@class='c-toolbar']") == []

    def test_is_cleared_by_a_link_if_it_narrows_the_list(self):
        assert self.show_bar("").xpath(".//form//a") == []
        links = self.show_bar("name=a", is_narrowed=True).xpath(".//form//a")
        assert [(link.text, link.get("href")) for link in links] == [("Clear", "/list/")]


class TestConflict:
    def test_shows_what_differs_and_nothing_without_a_conflict(self):
        request = RequestFactory().get("/schedules/3/?a=1")
        tags = "{% conflict differences %}"
        both = [Difference(label="Time", stored="02:30", typed="<b>")]
        assert outline(tags, differences=both, request=request) == [
            "Someone else has changed this since you opened it. Your changes were not saved.",
            "What differs",
            "Field | Stored now | Yours",
            "Time | 02:30 | <b>",
            ("Save again to replace the stored values with yours, or [discard yours](/schedules/3/?a=1)."),
        ]
        assert "The stored values are the same as yours." in outline(tags, differences=[], request=request)
        assert outline(tags, differences=None, request=request) == outline(tags, request=request) == []

    def test_leads_to_the_page_of_a_form_that_has_another_address(self):
        tags = "{% conflict differences address=address %}"
        both = [Difference(label="Time", stored="1", typed="2")]
        request = RequestFactory().post("/failures/1/describe/")
        assert (
            "(/failures/1/)" in outline(tags, differences=both, request=request, address="/failures/1/")[-1]
        )


class TestToast:
    @pytest.mark.parametrize(
        ("level", "icon"),
        [
            (constants.SUCCESS, "check"),
            (constants.ERROR, "warning"),
            (constants.WARNING, "warning"),
            (constants.INFO, "info"),
        ],
    )
    def test_has_the_icon_of_its_level(self, level, icon):
        assert f"icons.svg#{icon}" in show("{% toast toast %}", toast=Message(level, "Done."))

    def test_is_a_status_and_escapes_its_text(self):
        toast = show_element("{% toast toast %}", toast=Message(constants.SUCCESS, "<b>Done.</b>"))
        assert (toast.get("class"), toast.get("role")) == ("c-note is-success", "status")
        assert toast.text_content().strip() == "<b>Done.</b>"

    def test_marks_invisible_characters_of_its_text_but_not_of_markup(self):
        text = "Passkey \u202eLaptop of 1\u202f200 removed."
        shown = show("{% toast toast %}", toast=Message(constants.SUCCESS, text))
        assert "U+202E</span>Laptop of 1\u202f200 removed." in shown
        marked = Message(constants.SUCCESS, SafeString('<a href="/">Done</a>'))
        assert '<a href="/">Done</a>' in show("{% toast toast %}", toast=marked)


class TestDialog:
    def test_is_named_by_its_title_and_can_be_closed(self):
        dialog = show_element(
            '{% dialog "keys" title="Keys" kind="c-dialog" open=True %}<p>x</p>{% enddialog %}'
        )
        assert dict(dialog.attrib) == {
            "class": "c-dialog",
            "id": "keys",
            "aria-labelledby": "keys-title",
            "open": "",
        }
        assert dialog.xpath("//h2[@id='keys-title']")[0].text == "Keys"
        assert dialog.xpath("form[@method='dialog']//button")[0].text == "Close"

    def test_has_only_its_content_without_a_title(self):
        dialog = show_element('{% dialog "find" aria_label="Find" %}<p>x</p>{% enddialog %}')
        assert dialog.get("aria-label") == "Find"
        assert [child.tag for child in dialog] == ["p"]


class TestTabs:
    def test_marks_the_chosen_one(self):
        tags = (
            '{% tabs "Size" %}{% tab "?a" choice="a" chosen=size %}A{% endtab %}'
            '{% tab "?b" yes %}B{% endtab %}{% endtabs %}'
        )
        assert outline(tags, size="a", yes=False) == ["* [A](?a)", "[B](?b)"]
        assert outline(tags, size="b", yes=True) == ["[A](?a)", "* [B](?b)"]
        assert show_element(tags).get("aria-label") == "Size"

    def test_may_be_a_navigation(self):
        nav = show_element('{% choices links "Pages" nav="c-pages" %}', links=LINKS)
        assert (nav.tag, nav.get("class"), nav.get("aria-label")) == ("nav", "c-pages", "Pages")
        assert [link.get("aria-current") for link in nav.iter("a")] == [None, "page", None]


class TestChoices:
    def test_mark_the_active_one(self):
        assert outline('{% choices links "State" %}', links=LINKS) == [
            "[All](?a)",
            "* [One](?b)",
            "[<two>](?c&d)",
        ]

    def test_may_be_named_by_another_element(self):
        choices = show_element('{% choices links aria_labelledby="label" %}', links=LINKS)
        assert (choices.get("aria-label"), choices.get("aria-labelledby")) == (None, "label")


class TestPager:
    TAGS = "{% pager back further %}{% endpager %}"

    def test_shows_that_a_page_is_not_available(self):
        assert outline(self.TAGS, back="?n", further=None) == ["(label: Pages) [Newer](?n) Older"]
        assert outline(self.TAGS, back=None, further="?o") == ["(label: Pages) Newer [Older](?o)"]

    def test_is_left_out_if_there_is_one_page(self):
        assert outline(self.TAGS, back=None, further=None) == []
        tags = "{% pager None None is_constant=True %}<p>3 on this page</p>{% endpager %}"
        assert outline(tags) == ["(label: Pages) Newer", "3 on this page", "Older"]
        assert outline("{% pager None None %}<p>as of now</p>{% endpager %}") == [
            "(label: Pages)",
            "as of now",
        ]

    def test_may_leave_out_the_link_of_an_end(self):
        tags = '{% pager back further words="First page,Next page" is_sparse=True %}{% endpager %}'
        assert outline(tags, back=None, further="?b") == ["(label: Pages) [Next page](?b)"]
        assert outline(tags, back="?a", further=None) == ["(label: Pages) [First page](?a)"]


class TestBadge:
    def test_shows_a_value_with_its_meaning(self):
        badge = show_element("{% badge badge %}", badge=Badge("done", "check", "ready", "It is ready."))
        assert dict(badge.attrib) == {"class": "c-state", "data-state": "done", "title": "It is ready."}
        assert badge.text_content() == "ready"

    def test_shows_nothing_without_a_value(self):
        assert show("{% badge badge %}", badge=None) == ""

    def test_may_be_written_by_its_parts(self):
        badge = show_element('{% badge tone="failed" icon="warning" text=text size="large" %}', text="a <b>")
        assert dict(badge.attrib) == {"class": "c-state is-large", "data-state": "failed"}
        assert badge.text_content() == "a <b>"


class TestTag:
    def test_is_a_link_if_it_has_an_address(self):
        assert show_element('{% tag title="why" %}off{% endtag %}').attrib == {
            "class": "c-tag",
            "title": "why",
        }
        link = show_element("{% tag address=url %}E1{% endtag %}", url="/?a&b")
        assert (link.tag, link.get("href"), link.text) == ("a", "/?a&b", "E1")


class TestChart:
    def test_is_skipped_by_screen_readers_without_a_label(self):
        chart = show_element('{% chart 100 4 "c-x" %}<rect></rect>{% endchart %}')
        assert (chart.get("viewbox"), chart.get("class"), chart.get("aria-hidden")) == (
            "0 0 100 4",
            "c-x",
            "true",
        )
        named = show_element('{% chart 100 4 label="Ages" %}{% endchart %}')
        assert (named.get("role"), named.get("aria-label"), named.get("aria-hidden")) == ("img", "Ages", None)

    def test_of_shares_has_them_next_to_each_other(self):
        bar = show_element(
            '{% bar shares=shares kind="c-bar" label="Done" percent=75 %}',
            shares=make_shares([("a", 1), ("b", 3)], whole=4),
        )
        assert (bar.get("role"), bar.get("aria-label"), bar.get("aria-valuenow")) == (
            "progressbar",
            "Done",
            "75",
        )
        assert [(one.get("data-state"), one.get("x"), one.get("width")) for one in bar.iter("rect")] == [
            ("a", "0.0", "25.0"),
            ("b", "25.0", "75.0"),
        ]

    def test_of_one_share_has_the_colour_of_its_state(self):
        (share,) = show_element('{% bar "done" 40 %}').iter("rect")
        assert (share.get("data-state"), share.get("width")) == ("done", "40")
        (plain,) = show_element('{% bar "" 40 kind="" %}').iter("rect")
        assert plain.get("data-state") is None

    def test_of_counts_names_each(self):
        bars = make_bars([("Slow", 4, "?a"), ("Refused", 1, "")])
        assert outline('{% bars bars "Why" "failed" %}', bars=bars) == [
            "Why",
            "Reason | Share | Messages",
            "Slow | (svg viewbox=0 0 100 1) {failed} (rect width=100.0 height=1) | [4](?a)",
            "Refused | (svg viewbox=0 0 100 1) {failed} (rect width=25.0 height=1) | 1",
        ]

    def test_over_time_marks_what_failed_and_what_is_not_known(self):
        spark = show_element(
            '{% sparkline spark "done" %}', spark=make_sparkline([0, 4, 2], marked=[0, 2, 0], unknown=1)
        )
        states = [(one.get("class"), one.get("data-state")) for one in spark.iter("rect")]
        assert states == [("c-spark-unknown", None), (None, "done"), (None, "failed"), (None, "done")]


class TestPanel:
    def test_has_a_head_with_its_title_and_tools(self):
        panel = show_element(
            '{% panel "Jobs" id="jobs" aria_label="Jobs" %}<a>New</a>{% content %}<p>x</p>{% endpanel %}'
        )
        assert dict(panel.attrib) == {"class": "c-panel", "id": "jobs", "aria-label": "Jobs"}
        head, content = panel
        assert [each.text_content() for each in head] == ["Jobs", "New"]
        assert (content.tag, content.text) == ("p", "x")

    def test_may_have_no_title(self):
        assert [each.tag for each in show_element("{% panel %}<p>x</p>{% endpanel %}")] == ["p"]
        head, _ = show_element("{% panel %}<h2>A <a>b</a></h2>{% content %}<p>x</p>{% endpanel %}")
        assert head[0].text_content() == "A b"

    def test_may_be_folded(self):
        panel = show_element(
            '{% panel "Delete" icon="cancel" is_folded=True open=errors %}x{% endpanel %}', errors={}
        )
        assert (panel.tag, panel.get("open"), panel[0].text_content()) == ("details", None, "Delete")
        opened = show_element(
            '{% panel "Delete" icon="cancel" is_folded=True open=errors %}x{% endpanel %}', errors={"a": 1}
        )
        assert opened.get("open") == ""

    def test_refuses_unknown_options(self):
        with pytest.raises(TemplateSyntaxError, match="A panel has no 'wide'"):
            show('{% panel "A" wide %}{% endpanel %}')
