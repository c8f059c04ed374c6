"""The page of the list of messages."""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.actors import user_of
from messages_app.access.decorators import requires_permission
from messages_app.core.error_handlers import problem_of
from messages_app.core.filters import address
from messages_app.core.lists.table import orders_offered
from messages_app.core.page_parameters import checks_parameters
from messages_app.core.pagination.incremental_scan import FIRST_PATIENCE, PATIENCE
from messages_app.core.pagination.paginator import Page, parse_page_size
from messages_app.core.problems import FieldError, Problem
from messages_app.core.query_language import form as line_form
from messages_app.core.query_language import parser
from messages_app.messages import selectors
from messages_app.messages.filters import message_filter as message_filters
from messages_app.messages.filters.message_filter import (
    CONTENT,
    FILTERS,
    MessageFilter,
    natural_order,
    read_list_filter,
)
from messages_app.messages.filters.vocabulary import VOCABULARY
from messages_app.messages.first_steps import first_steps
from messages_app.messages.listing import rows
from messages_app.messages.listing.filter_form import (
    FilterForm,
    list_removable_filters,
    missing_conditions,
    offer_search,
)
from messages_app.messages.listing.results import describe_results
from messages_app.messages.listing.saved_views.services import tabs_of
from messages_app.messages.listing.table_settings import rows_on_page, table_of

_LINE = "q"
# Sent by a page that continues its search.
_EARLIER_ROWS = "X-Earlier-Rows"
_ORDERS = {
    "-msg_id": "Newest id first",
    "msg_id": "Oldest id first",
    "-receive_timestamp": "Newest received first",
    "receive_timestamp": "Oldest received first",
}


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
@checks_parameters
def message_list(request: HttpRequest) -> HttpResponse:
    if _LINE in request.GET:
        return _submit_query_line(request)
    params = address.tidy_params(request.GET, FILTERS, now=timezone.now())
    if params != request.GET:
        return redirect(request.path + (address.query_of(params) if params else ""))
    try:
        now = address.moment_of(params)
        return _list_page(request, read_list_filter(params, user=request.user, now=now), now)
    except (Problem, OperationalError) as error:
        if (problem := problem_of(error)) is None:
            raise
        return _list_trouble(request, problem)


def _submit_query_line(request: HttpRequest) -> HttpResponse:
    """Redirect to the address of a submitted query line, or show its errors."""
    text = request.GET[_LINE].strip()
    others = {name: str(value) for name, value in request.GET.items() if name != _LINE}
    # The list names what a payload search lacks, so the line may have one whatever the user's permissions.
    allowed = message_filters.names_for(request.user) | {CONTENT}
    reading = parser.parse_line(text, VOCABULARY, now=timezone.now(), allowed=allowed)
    if reading.errors:
        context = {
            "line": line_form.typed_line(text, reading.errors),
            "form": _make_form(request, address.as_query(others)),
        }
        return _render_list(request, context, status=400)
    if reading.find:
        return redirect(f"{reverse('find')}{address.query_of(address.as_query({'id': reading.find}))}")
    params = parser.address_of({**reading.params, **others}, VOCABULARY)
    params = address.tidy_params(params, FILTERS, now=timezone.now())
    return redirect(request.path + (address.query_of(params) if params else ""))


def _list_page(request: HttpRequest, filters: MessageFilter, now: datetime) -> HttpResponse:
    ordering = request.GET.get("ordering") or natural_order(filters)
    settings = table_of(user_of(request))
    form = _make_form(request, request.GET)
    row_count = request.GET.get("page_size")
    rows_by_default = rows_on_page(settings, form.first_page)
    is_part = "HX-Request" in request.headers
    page = selectors.message_page(
        filters=filters,
        ordering=ordering,
        cursor=request.GET.get("cursor"),
        page_size=rows_by_default if row_count is None else parse_page_size(row_count),
        patience=PATIENCE if is_part else FIRST_PATIENCE,
    )
    orders = orders_offered(ordering, form, words=_ORDERS, column="receive_timestamp")
    table = replace(
        settings,
        title="Messages",
        order=_describe_order(page, orders.words.lower()),
        kind="",
        box="c-rows",
        orders=orders,
        is_selectable=True,
    )
    steps = first_steps() if not page.rows and filters.is_empty else None
    context: dict[str, object] = {
        "form": form,
        "table": table,
        "body": rows.draw_rows(page.rows, table, rows.links_of(form.first_page, filters)),
        "line": line_form.make_line_form(request.GET, VOCABULARY),
        "rows": page.rows,
        **form.queries_of_neighbours(page, ordering=ordering, now=now),
        "results": describe_results(
            page=page,
            filters=filters,
            ordering=ordering,
            user=user_of(request),
            earlier_rows=_read_earlier_rows(request),
        ),
        "first_steps": steps,
        # There is nothing to count over time or to filter.
        "is_without_messages": steps is not None and not steps.has_messages,
    }
    if not page.rows and page.looked_until is None:
        context["search"] = offer_search(request, _text_without_match(filters))
        context["has_removable_filters"] = bool(list_removable_filters(filters))
    return _render_list(request, context)


def _read_earlier_rows(request: HttpRequest) -> int | None:
    """Return how many rows a search has found that this request continues; None: it continues none."""
    text = request.headers.get(_EARLIER_ROWS, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else None


def _describe_order(page: Page, words: str) -> str:
    """Return the words about the rows for screen readers; without a number while the page adds rows."""
    return f"{len(page.rows)} on this page, {words}" if page.looked_until is None else words


def _text_without_match(filters: MessageFilter) -> str:
    """Return the id that no message has, if the list has no other filter; else an empty text."""
    words = filters.as_pairs()
    return words[0][1] if len(words) == 1 and words[0][0] == "correlation_id" else ""


def _list_trouble(request: HttpRequest, problem: Problem) -> HttpResponse:
    """Show the line and the form with the user's input and the errors, or the problem of the answer."""
    form = _make_form(request, request.GET, problem.errors)
    context = {
        "form": form,
        "line": line_form.make_line_form(request.GET, VOCABULARY, problem.errors),
        "problem": problem,
        "search_lacks": missing_conditions(request, request.GET, now=timezone.now()),
    }
    response = _render_list(request, context, status=problem.status)
    for name, value in problem.headers.items():
        response.headers[name] = value
    return response


def _make_form(request: HttpRequest, params: QueryDict, errors: Collection[FieldError] = ()) -> FilterForm:
    return FilterForm(params, allowed=message_filters.names_for(request.user), errors=errors)


def _render_list(request: HttpRequest, context: dict[str, object], status: int = 200) -> HttpResponse:
    """Return the page, with the list or with the problem in its place."""
    tabs = tabs_of(user_of(request), request.GET)
    views = [tab.view_id for tab in tabs if tab.is_on and tab.view_id is not None]
    context = {
        "tabs": tabs,
        "place_path": reverse("saved-view", args=views[:1]) if views else "",
        **context,
    }
    return render(request, "messages_app/messages/list.html", context, status=status)
