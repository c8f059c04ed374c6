"""The query line and the head of the message list, with values that all differ."""

from dataclasses import replace
from types import SimpleNamespace

from django.template.loader import render_to_string
from django.utils.safestring import mark_safe
from lxml import html

from messages_app.core.lists.table import Offered
from messages_app.core.query_language.form import LineForm, Marked
from messages_app.messages.listing.table_settings import COLUMNS
from tests.support.page_outlines import outline_of, show_block

LINE = LineForm(
    text="state:FAILED received:x",
    errors=[
        Marked(
            before="state:", marked="FAILD", after=" x", message="Unknown state.", allowed=("OK", "FAILED")
        ),
        Marked(before="a:", marked="b", after="", message="Unknown term.", allowed=()),
    ],
)


def show_line(line: LineForm) -> str:
    form = SimpleNamespace(other_params=[("archived", "true"), ("ordering", "msg_id")])
    markup = show_block("messages_app/messages/list.html", line=line, form=form)
    (form_of_line,) = html.fromstring(f"<main>{markup}</main>").xpath("//form[@class='c-line']")
    return html.tostring(form_of_line, encoding="unicode", with_tail=False)


def show_table(*columns: str, direction: str = "descending", is_compact: bool = False) -> str:
    orders = Offered(links=[], words="Newest First", direction=direction, turned="?ordering=turned")
    table = replace(
        COLUMNS.choose_columns(columns, is_compact=is_compact),
        title="Messages",
        order="newest first",
        box="c-rows",
        orders=orders,
        is_selectable=True,
    )
    body = mark_safe("<tr><td>The rows</td></tr>")
    return render_to_string("messages_app/components/table.html", {"table": table, "body": body})


class TestLine:
    def test_shows_its_text_and_errors(self):
        assert outline_of(show_line(LINE)) == [
            "(/messages/)",
            "Filter",
            "<q=state:FAILED received:x> (get /messages/suggest/)",
            "*",
            "Search",
            "[Clear](/messages/)",
            "Filter, e.g. state:FAILED service:billing. A single word searches ids.",
            "state:FAILD x",
            "Unknown state. Known: OK, FAILED.",
            "a:b",
            "Unknown term.",
        ]

    def test_marks_each_error_in_the_text(self):
        markup = show_line(LINE)
        assert "<mark>FAILD</mark>" in markup
        assert 'aria-describedby="line-errors line-hint"' in markup
        assert 'aria-describedby="line-hint"' in show_line(LineForm(text=""))
        for name, value in (("archived", "true"), ("ordering", "msg_id")):
            assert f'<input type="hidden" name="{name}" value="{value}">' in markup

    def test_is_short_without_a_filter(self):
        assert outline_of(show_line(LineForm(text=""))) == [
            "(/messages/)",
            "Filter",
            "<q=> (get /messages/suggest/)",
            "*",
            "Search",
            "Filter, e.g. state:FAILED service:billing. A single word searches ids.",
        ]


class TestTable:
    def test_has_the_head_of_each_column(self):
        every = [column.name for column in COLUMNS.others]
        assert outline_of(show_table(*every)) == [
            "Messages, newest first",
            (
                "Select<None> * (label: Select all on this page) | State | [Received "
                "↓](?ordering=turned) | Service / operation | Source | Message | Last error | Failed | "
                "(title: Funnel) Funnel | In state | (title: Family) Family | Message id | Sent | "
                "Processing started | Last processed | Queued | Process id | Object id | Entity type | "
                "Funnel value | Funnel component id | Parent | Parent binding | Guaranteed order | "
                "Exclude FAILED from order | Node"
            ),
            "The rows",
        ]

    def test_says_how_it_is_sorted(self):
        for direction, mark in (("descending", " ↓"), ("ascending", " ↑"), ("none", "")):
            markup = show_table("received", direction=direction)
            assert f'aria-sort="{direction}"' in markup
            assert f"[Received{mark}](?ordering=turned)" in outline_of(markup)[1]

    def test_has_the_width_and_the_density_that_the_user_chose(self):
        every = [column.name for column in COLUMNS.others]
        assert '<div class="c-rows is-wide"' in " ".join(show_table(*every).split())
        assert 'role="region"' in show_table(*every)
        compact = show_table("service", is_compact=True)
        assert '<div class="c-rows is-compact"' in " ".join(compact.split())
        assert 'role="region"' not in compact
        assert '<div class="c-rows"' in " ".join(show_table("service").split())
