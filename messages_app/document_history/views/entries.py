"""The history as a page, both entries of a document on one line; and the undetermined ones, oldest first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse

from messages_app.core.charts.bars import age_share, life_share
from messages_app.core.clock import database_clock
from messages_app.core.filters.table import Table
from messages_app.core.lists.filter_form import Link, ListForm, badge_links
from messages_app.core.lists.views import ListRequest
from messages_app.core.page_parameters import checks_parameters
from messages_app.document_history import selectors
from messages_app.document_history.selectors.entries import ENTRIES, EntryLine, entry_lines, entry_page
from messages_app.document_history.states import PAIRS, Pair
from messages_app.document_history.views import VIEWS, answer_list

_ORDER_WORDS = {"-time": "Newest first", "time": "Oldest first"}


class EntriesForm(ListForm):
    """The form of the history."""

    filters = ENTRIES
    labels: Mapping[str, str] = {
        "trigger_id": "Trigger",
        "uuid": "Document",
        "uuid_prefix": "Document starts with",
        "time_from": "Started from",
        "time_to": "Started to",
        "state": "State",
        "expired": "Expired",
    }
    field_names = ("uuid", "uuid_prefix", "time_from", "time_to")
    first_names = ("uuid", "uuid_prefix")
    linked_names = ("state", "expired")

    states = badge_links("state", {pair: PAIRS[pair] for pair in Pair})

    @property
    def expiries(self) -> list[Link]:
        return self.one_of("expired", [("Any", None), ("Valid", "false"), ("Expired", "true")])

    @property
    def orders(self) -> list[Link]:
        return self.in_order(_ORDER_WORDS)


class UndeterminedForm(ListForm):
    """The form of undetermined documents, by trigger."""

    filters: Table = {"trigger_id": ENTRIES["trigger_id"]}
    labels: Mapping[str, str] = {"trigger_id": "Trigger"}
    field_names = ()


@dataclass(frozen=True, kw_only=True)
class Line:
    """
    One document of the history for the page.

    Args:
        run: the passed share of its time to live, in percent; None if unknown.
        age: the length of its bar, in percent, by the logarithm of its age.
        in_doubt_id: of its open line in the inbox; None if it has none.
    """

    entry: EntryLine
    run: int | None
    age: int
    in_doubt_id: int | None


@VIEWS.shows_page
@checks_parameters
def entry_list(request: HttpRequest) -> HttpResponse:
    return answer_list(request, "entries", EntriesForm, _make_entry_context, section="document-entries")


@VIEWS.shows_page
@checks_parameters
def undetermined_list(request: HttpRequest) -> HttpResponse:
    return answer_list(
        request, "undetermined", UndeterminedForm, _undetermined_context, section="document-undetermined"
    )


def _make_entry_context(requested: ListRequest) -> Mapping[str, object]:
    is_by_uuid = "uuid_prefix" in requested.values
    ordering = requested.form.params.get("ordering")
    page = entry_page(values=requested.values, ordering=ordering, **requested.paging)
    links = requested.describe_page(page, "time" if is_by_uuid else ordering or "-time")
    return {"lines": _make_lines(entry_lines(page.rows)), "is_by_uuid": is_by_uuid, **links}


def _undetermined_context(requested: ListRequest) -> Mapping[str, object]:
    values = {**requested.values, "state": Pair.PROCESSING_ONLY}
    page = entry_page(values=values, ordering="time", **requested.paging)
    return {"lines": _make_lines(entry_lines(page.rows)), **requested.describe_page(page, "time")}


def _make_lines(entries: Sequence[EntryLine]) -> list[Line]:
    now = database_clock()
    doubts = selectors.open_doubts([(each.trigger_id, each.document_uuid) for each in entries])
    return [
        Line(
            entry=entry,
            run=life_share(entry.time, entry.expires_at, now),
            age=age_share(now - entry.time),
            in_doubt_id=doubts.get((entry.trigger_id, entry.document_uuid)),
        )
        for entry in entries
    ]
