"""The parts of the list that load later, the suggestions for its query line, and the list as a file."""

from collections.abc import Iterator
from functools import partial

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from messages_app.access import roles
from messages_app.access.actors import actor_of, user_of
from messages_app.access.decorators import requires_permission
from messages_app.audit import services as audit
from messages_app.core.charts.histogram import Picture
from messages_app.core.clock import TooSlow
from messages_app.core.filters import address
from messages_app.core.filters.values import parse_ids
from messages_app.core.lists.counts import EXACT_COUNT_MS, count_newer, count_or_estimate
from messages_app.core.lists.downloads import FORMATS, MAX_ROWS, PAGE_SIZE, file_of, listed_rows
from messages_app.core.page_parameters import checks_parameters, takes_parameters
from messages_app.core.pagination.paginator import Page
from messages_app.core.problems import bad_field, quote_value
from messages_app.core.query_language.form import suggest_terms
from messages_app.messages import selectors
from messages_app.messages.available_actions import MAX_SELECTED
from messages_app.messages.fields import NARROW_COLUMNS
from messages_app.messages.filters.message_filter import (
    CONTENT,
    FILTERS,
    STATE,
    MessageFilter,
    names_for,
    natural_order,
    read_list_filter,
)
from messages_app.messages.filters.vocabulary import VOCABULARY, label_of
from messages_app.messages.listing.facets import make_facets
from messages_app.messages.listing.filter_form import FilterForm, find_excluding_filters
from messages_app.messages.listing.histogram import FROM, TO, from_ground, make_histogram
from messages_app.messages.listing.neighbours import LIST_PARAMETERS
from messages_app.messages.listing.table_settings import COLUMNS, table_of

_ORDERING, _CURSOR, _FORMAT, _MSG_ID = "ordering", "cursor", "format", "msg_id"
EXPORT_COLUMNS = (*NARROW_COLUMNS, "failed_summary", "archived")
# Longer lines are cut. At worst, the cut line has no suggestions.
_MAX_LINE = 4000


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
@checks_parameters
def histogram_part(request: HttpRequest) -> HttpResponse:
    filters = _read_filters(request)
    others = [(name, value) for name, value in filters.as_pairs() if name not in {FROM, TO}]
    if _ORDERING in request.GET:
        others.append((_ORDERING, request.GET[_ORDERING]))
    try:
        picture = Picture(
            make_histogram(filters), column="receive_timestamp", from_ground=from_ground, others=others
        )
    except TooSlow:
        picture = None
    return _render_part(
        request,
        "charts/_histogram",
        "Messages over time",
        {
            "picture": picture,
            "things": "messages",
            "drawn": "Searched" if CONTENT in filters.values else "Received",
            "state_query": _make_state_query(picture, filters),
        },
    )


def _make_state_query(picture: Picture | None, filters: MessageFilter) -> str:
    """Return the query string of the list that a state completes; empty if its states are chosen already."""
    if picture is None or filters.states:
        return ""
    return f"{picture.base}{'' if picture.base == '?' else '&'}{STATE}="


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
@checks_parameters
def count_part(request: HttpRequest) -> HttpResponse:
    filters = _read_filters(request)
    counted = count_or_estimate(
        lambda: selectors.count_exactly(filters, timeout_ms=EXACT_COUNT_MS),
        lambda: selectors.estimate_count(filters),
    )
    return _render_part(request, "lists/_counted", "Number of messages", {"counted": counted})


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
@checks_parameters
def newer_part(request: HttpRequest) -> HttpResponse:
    filters = _read_filters(request)
    if _CURSOR not in request.GET:
        raise bad_field(_CURSOR, "required", f"{_CURSOR} must be given.")
    fetch = partial(
        selectors.message_page,
        filters=filters,
        ordering=_read_ordering(request, filters),
        cursor=request.GET[_CURSOR],
    )
    newer = count_newer(fetch)
    return _render_part(request, "lists/_newer_count", "New messages", {"newer": newer})


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
def list_help(request: HttpRequest) -> HttpResponse:
    return _render_part(request, "messages/_list_help", "Filter syntax", {})


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
@checks_parameters
def facets_part(request: HttpRequest) -> HttpResponse:
    """Show the facets of the list with this address, whose relative times stay relative in links."""
    form, filters = _read_list(request)
    context = {"form": form, "facets": list(make_facets(form, filters))}
    return _render_part(request, "messages/_facets", "Filters", context)


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
@checks_parameters
def excluding_filters_part(request: HttpRequest) -> HttpResponse:
    """Show the filters without which the list with this address has messages."""
    form, filters = _read_list(request)
    links = [(label_of(name), form.query_with(**{name: None})) for name in find_excluding_filters(filters)]
    return _render_part(request, "messages/_excluding_filters", "Filters to remove", {"links": links})


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
@takes_parameters(*LIST_PARAMETERS)
def table_menu(request: HttpRequest) -> HttpResponse:
    """Show the form for the columns and the height of rows."""
    context = {
        "form": FilterForm(request.GET, allowed=names_for(request.user)),
        "table": table_of(user_of(request)),
        "all_columns": COLUMNS.others,
    }
    return _render_part(request, "messages/_table_menu", "Columns and rows", context)


def _read_filters(request: HttpRequest) -> MessageFilter:
    """Return the filter of a part's address, which has further parameters."""
    params = request.GET.copy()
    params.pop(_FORMAT, None)
    return read_list_filter(params, user=request.user, now=address.moment_of(params))


def _read_ordering(request: HttpRequest, filters: MessageFilter) -> str:
    return request.GET.get(_ORDERING) or natural_order(filters)


def _read_list(request: HttpRequest) -> tuple[FilterForm, MessageFilter]:
    """Return the form of the list with this address, whose relative times stay relative, and its filter."""
    params = address.tidy_params(request.GET, FILTERS, now=timezone.now())
    filters = read_list_filter(params, user=request.user, now=address.moment_of(params))
    return FilterForm(params, allowed=names_for(request.user)), filters


def _render_part(request: HttpRequest, name: str, title: str, context: dict[str, object]) -> HttpResponse:
    """Return only the part, or, without scripts, a page with it."""
    template = f"messages_app/{name}.html"
    context["list"] = reverse("message-list")
    if "HX-Request" in request.headers:
        return render(request, template, context)
    page = {"part": template, "title": title, **context}
    return render(request, "messages_app/lists/part_page.html", page)


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
@takes_parameters(*LIST_PARAMETERS, "q")
def suggest_words(request: HttpRequest) -> HttpResponse:
    """Return the suggestions for the line `q` with the caret `at`."""
    line = request.GET.get("q", "")[:_MAX_LINE].replace("\0", "")
    caret = request.GET.get("at", "")
    at = int(caret) if caret.isascii() and caret.isdigit() and len(caret) < 6 else len(line)
    context = {
        "suggestions": suggest_terms(line, min(at, len(line)), VOCABULARY, allowed=names_for(request.user))
    }
    return render(request, "messages_app/messages/_suggestions.html", context)


@require_http_methods(["GET", "POST"])
@requires_permission(roles.CAN_VIEW_MESSAGES)
@checks_parameters
def export_messages(request: HttpRequest) -> StreamingHttpResponse:
    """Stream the list of the address, or the selected messages of a POST."""
    params = request.POST if request.method == "POST" else request.GET
    kind = params.get(_FORMAT, "csv")
    if kind not in FORMATS:
        names = " or ".join(FORMATS)
        raise bad_field(_FORMAT, "invalid_value", f"{_FORMAT} must be {names}, not {quote_value(kind)}.")
    if request.method == "POST":
        msg_ids = parse_ids(_MSG_ID, params.getlist(_MSG_ID), most=MAX_SELECTED)
        rows: Iterator[object] = iter(selectors.chosen_messages(msg_ids))
        details: dict[str, object] = {"msg_ids": msg_ids}
    else:
        filters = _read_filters(request)
        ordering = _read_ordering(request, filters)
        rows = filtered_rows(filters, ordering=ordering)
        details = {"filter": filters.as_query(), "ordering": ordering}
    audit.record_entry(actor=actor_of(request), action="export_messages", details={"format": kind, **details})
    return file_of(rows, EXPORT_COLUMNS, name="messages", kind=kind)


def filtered_rows(filters: MessageFilter, *, ordering: str, most: int = MAX_ROWS) -> Iterator[object]:
    """
    Yield the list's messages, and a note at the end if some are missing.

    Raises:
        Problem: 400, the list has no such order.
    """

    def fetch_next(cursor: str | None) -> Page:
        return selectors.message_page(filters=filters, ordering=ordering, page_size=PAGE_SIZE, cursor=cursor)

    return listed_rows(fetch_next, things="messages", most=most)
