"""The page with each component, in light and in dark colours; only for debugging and for tests."""

from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.contrib.messages import SUCCESS
from django.contrib.messages.storage.base import Message
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.safestring import SafeString

from messages_app.core.badges import Badge, Tone
from messages_app.core.charts.bars import make_bars, make_shares
from messages_app.core.charts.sparklines import make_sparkline
from messages_app.core.edit_versions import Difference
from messages_app.core.filters.table import filters_by_name, text_filter
from messages_app.core.lists.filter_form import Link, ListForm
from messages_app.core.lists.table import Column, Offered, Table
from messages_app.core.markup import format_html, join_markup
from messages_app.core.page_parameters import ignores_parameters

_ROWS: tuple[dict[str, Any], ...] = (
    {"name": "customers", "state": "FAILED", "count": 1204, "share": 100, "note": "Connection refused"},
    {"name": "orders", "state": "PROCESSING", "count": 31, "share": 22, "note": ""},
    {"name": "invoices", "state": "OK", "count": 0, "share": 0, "note": ""},
)
_LINKS = [Link(text="1 h", query="?hours=1", is_on=False), Link(text="24 h", query="?hours=24", is_on=True)]


class _SampleForm(forms.Form):
    name = forms.CharField(help_text="Up to 60 characters.")
    reason = forms.CharField(widget=forms.Textarea(attrs={"rows": 2}))
    size = forms.ChoiceField(choices=[("s", "Small"), ("l", "Large")], widget=forms.RadioSelect)
    enabled = forms.BooleanField(label="Enabled", required=False, initial=True)

    def clean(self) -> None:
        raise forms.ValidationError("An error of the whole form.")


class _SampleFilter(ListForm):
    filters = filters_by_name(text_filter("name", 60), text_filter("note", 60))
    labels = {"name": "Name", "note": "Note"}
    field_names = ("name", "note")
    first_names = ("name",)


@login_required
@ignores_parameters
def show_styleguide(request: HttpRequest) -> HttpResponse:
    """Show each component twice, in the two schemes of colours."""
    context = {
        "form": _SampleFilter(QueryDict("note=a"), allowed=_SampleFilter.field_names),
        "is_narrowed": True,
        "list": request.path,
        "themes": [
            (scheme, _SampleForm(QueryDict("name=a"), auto_id=f"{scheme}_%s")) for scheme in ("light", "dark")
        ],
        "rows": _ROWS,
        "links": _LINKS,
        "sections": [
            Link(text="Queues", query="#queues", is_on=True),
            Link(text="Services", query="#services"),
        ],
        "differences": [Difference(label="Time", stored="02:30", typed="03:15")],
        "toast": Message(SUCCESS, "3 messages restarted."),
        "spark": make_sparkline([3, 0, 8, 5, 13], marked=[0, 0, 2, 0, 4], unknown=1),
        "badges": [Badge(tone=tone, icon="check", text=tone.name.lower(), title="") for tone in Tone if tone],
        "bars": make_bars((row["name"], row["count"], "") for row in _ROWS),
        "shares": make_shares([(Tone.GOOD, 5), (Tone.BAD, 3), (Tone.WAITING, 2)], whole=10),
        "table": _selectable_table(is_compact=False),
        "compact": _selectable_table(is_compact=True),
        "body": _draw_rows(_selectable_table(is_compact=False)),
    }
    return render(request, "messages_app/styleguide.html", context)


def _selectable_table(*, is_compact: bool) -> Table:
    """Return a table with an order and a selection, as the list of messages has them."""
    return Table(
        title="Compact rows" if is_compact else "Rows with a selection",
        columns=(
            Column(title="Name", name="key", is_sorted=True, is_default=True),
            Column(title="Messages", is_number=True),
        ),
        orders=Offered(links=[], words="By name", direction="ascending", turned="?ordering=-name"),
        kind="",
        box="c-rows",
        is_selectable=True,
        is_compact=is_compact,
        is_wide=False,
    )


def _draw_rows(table: Table) -> SafeString:
    name, count = table.columns
    return join_markup(
        format_html(
            '<tr><td class="c-rows-select"><input type="checkbox" aria-label="Select {}"></td>{}{}</tr>',
            row["name"],
            name.show_cell(row["name"]),
            count.show_cell(row["count"]),
        )
        for row in _ROWS
    )
