"""The list of messages as a page and as a file, its parts that load later, and its suggestions."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import datetime
from functools import partial

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from messages_app.access import roles
from messages_app.access.actors import actor_of, user_of
from messages_app.access.decorators import requires_permission
from messages_app.audit import services as audit
from messages_app.core.charts.histogram import Picture
from messages_app.core.clock import was_too_slow
from messages_app.core.error_handlers import problem_of
from messages_app.core.filters.values import parse_ids
from messages_app.core.lists.counts import EXACT_COUNT_MS, Counted, count_newer, count_or_estimate
from messages_app.core.lists.downloads import FORMATS, MAX_ROWS, PAGE_SIZE, file_of, listed_rows
from messages_app.core.lists.table import orders_offered
from messages_app.core.pagination.paginator import Page, parse_page_size
from messages_app.core.problems import FieldError, Problem, bad_field, quote_value
from messages_app.core.query_language import form as line_form
from messages_app.core.query_language import parser
from messages_app.core.query_language.form import suggest_terms
from messages_app.messages import selectors
from messages_app.messages.fields import NARROW_COLUMNS
from messages_app.messages.filters import filters as message_filters
from messages_app.messages.filters import vocabulary
from messages_app.messages.filters.filters import CONTENT, MessageFilter, names_for, natural_order
from messages_app.messages.filters.vocabulary import VOCABULARY, label_of
from messages_app.messages.first_steps import first_steps
from messages_app.messages.list import cells, rows
from messages_app.messages.list.histogram import FROM, TO, from_ground, make_histogram
from messages_app.messages.list.parts import MAX_SELECTED, FilterForm, find_excluding_filters, parts_of
from messages_app.messages.list.payload_search import missing_conditions, offered_search
from messages_app.messages.list.saved_views import COLUMNS, table_of
from messages_app.messages.list.saved_views_views import tabs_of

LINE = "q"
_ORDERS = {
    "-msg_id": "Newest id first",
    "msg_id": "Oldest id first",
    "-receive_timestamp": "Newest received first",
    "receive_timestamp": "Oldest received first",
}


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
def message_list(request: HttpRequest) -> HttpResponse:
    if LINE in request.GET:
        return _submit_query_line(request)
    params = vocabulary.tidy_params(request.GET, now=timezone.now())
    if params != request.GET:
        return redirect(request.path + (vocabulary.query_of(params) if params else ""))
    try:
        now = vocabulary.moment_of(params)
        return _list_page(request, vocabulary.read_filter(params, user=request.user, now=now), now)
    except (Problem, OperationalError) as error:
        if (problem := problem_of(error)) is None:
            raise
        return _list_trouble(request, problem)


def _submit_query_line(request: HttpRequest) -> HttpResponse:
    """Redirect to the address of a submitted query line, or show its errors."""
    text = request.GET[LINE].strip()
    others = {name: str(value) for name, value in request.GET.items() if name != LINE}
    # The list names what a payload search lacks, so the line may have one whatever the user's permissions.
    allowed = message_filters.names_for(request.user) | {CONTENT}
    reading = parser.parse_line(text, VOCABULARY, now=timezone.now(), allowed=allowed)
    if reading.errors:
        context = {
            "line": line_form.typed_line(text, reading.errors),
            "form": _make_form(request, _make_params(others)),
        }
        return _render_list(request, context, status=400)
    if reading.find:
        return redirect(f"{reverse('find')}{vocabulary.query_of(_make_params({'id': reading.find}))}")
    params = vocabulary.tidy_params(_make_params({**reading.params, **others}), now=timezone.now())
    return redirect(request.path + (vocabulary.query_of(params) if params else ""))


def _make_params(values: dict[str, str]) -> QueryDict:
    params = QueryDict(mutable=True)
    params.update(values)
    return params


def _list_page(request: HttpRequest, filters: MessageFilter, now: datetime) -> HttpResponse:
    ordering = request.GET.get("ordering") or natural_order(filters)
    page = selectors.message_page(
        filters=filters,
        ordering=ordering,
        cursor=request.GET.get("cursor"),
        page_size=parse_page_size(request.GET.get("page_size")),
    )
    rows.mark_rows(page.rows)
    form = _make_form(request, request.GET)
    orders = orders_offered(ordering, form, words=_ORDERS, column="receive_timestamp")
    table = replace(
        table_of(user_of(request)),
        title="Messages",
        order=f"{len(page.rows)} on this page, {orders.words.lower()}",
        kind="",
        box="message-table",
        orders=orders,
        is_selectable=True,
    )
    context: dict[str, object] = {
        "form": form,
        "table": table,
        "body": cells.rows_of(page.rows, table, cells.links_of(form.first_page, filters)),
        "line": line_form.of_address(request.GET, VOCABULARY, form),
        "filters": filters,
        "ordering": ordering,
        "page": page,
        "rows": page.rows,
        **form.neighbours(page, ordering=ordering, now=now),
        "orders": orders,
        "parts": parts_of(page=page, filters=filters, ordering=ordering, user=user_of(request)),
        "counted": _count_rows(filters, page),
        # The number of a group does not follow that of all failing messages.
        "counts_failing": filters.failure_group is None and selectors.failing_count(filters) is not None,
        "first_steps": first_steps() if not page.rows and filters.is_empty else None,
    }
    if not page.rows and page.looked_until is None:
        context["search"] = offered_search(request, _text_without_match(filters))
        context["culprits"] = [
            (label_of(name), form.query(**{name: None})) for name in find_excluding_filters(filters)
        ]
    return _render_list(request, context)


def _text_without_match(filters: MessageFilter) -> str:
    """Return the id that no message has, if the list has no other filter; else an empty text."""
    words = filters.words()
    return words[0][1] if len(words) == 1 and words[0][0] == "correlation_id" else ""


def _count_rows(filters: MessageFilter, page: Page) -> Counted | None:
    """Return the number of messages; None if it is an estimate of less than the page itself has."""
    found = selectors.quick_count(filters)
    return found if found.is_exact or found.number > len(page.rows) else None


def _list_trouble(request: HttpRequest, problem: Problem) -> HttpResponse:
    """Show the line and the form with the user's input and the errors, or the problem of the answer."""
    form = _make_form(request, request.GET, problem.errors)
    context = {
        "form": form,
        "line": line_form.of_address(request.GET, VOCABULARY, form, problem.errors),
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
    context = {
        "tabs": tabs_of(user_of(request), request.GET),
        "table": context.get("table") or table_of(user_of(request)),
        "all_columns": COLUMNS.others,
        **context,
    }
    return render(request, "messages_app/messages/list.html", context, status=status)


# The list of messages as a file, without the wide columns.


EXPORT_COLUMNS = (
    *NARROW_COLUMNS,
    "failed_summary",
    "archived",
)


def filtered_rows(filters: MessageFilter, *, ordering: str, most: int = MAX_ROWS) -> Iterator[object]:
    """
    Yield the list's messages, and a note at the end if some are missing.

    Raises:
        Problem: 400, the list has no such order.
    """

    def fetch(cursor: str | None) -> Page:
        return selectors.message_page(filters=filters, ordering=ordering, page_size=PAGE_SIZE, cursor=cursor)

    return listed_rows(fetch, things="messages", most=most)


_FORMAT, _ORDERING, _CURSOR, _MSG_ID = "format", "ordering", "cursor", "msg_id"


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
def histogram_part(request: HttpRequest) -> HttpResponse:
    filters = _read_filters(request.GET, request)
    others = [(name, value) for name, value in filters.words() if name not in {FROM, TO}]
    if _ORDERING in request.GET:
        others.append((_ORDERING, request.GET[_ORDERING]))
    try:
        picture = Picture(
            make_histogram(filters), column="receive_timestamp", from_ground=from_ground, others=others
        )
    except OperationalError as error:
        if not was_too_slow(error):
            raise
        picture = None
    return _render_part(
        request,
        "charts/_histogram",
        "Messages over time",
        {
            "picture": picture,
            "things": "messages",
            "drawn": "Searched" if CONTENT in filters.values else "Received",
        },
    )


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
def count_part(request: HttpRequest) -> HttpResponse:
    filters = _read_filters(request.GET, request)
    found = count_or_estimate(
        lambda: selectors.exact_count(filters, timeout_ms=EXACT_COUNT_MS),
        lambda: selectors.estimated_count(filters),
    )
    return _render_part(request, "lists/_counted", "Number of messages", {"counted": found})


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
def newer_part(request: HttpRequest) -> HttpResponse:
    filters = _read_filters(request.GET, request)
    if _CURSOR not in request.GET:
        raise bad_field(_CURSOR, "required", f"{_CURSOR} must be given.")
    fetch = partial(
        selectors.message_page,
        filters=filters,
        ordering=_read_ordering(request.GET, filters),
        cursor=request.GET[_CURSOR],
    )
    found = count_newer(fetch)
    return _render_part(request, "lists/_newer_count", "New messages", {"newer": found})


@require_http_methods(["GET", "POST"])
@requires_permission(roles.CAN_VIEW_MESSAGES)
def export_messages(request: HttpRequest) -> StreamingHttpResponse:
    """Stream the list of the address, or the selected messages of a POST."""
    params = request.POST if request.method == "POST" else request.GET
    kind = params.get(_FORMAT, "csv")
    if kind not in FORMATS:
        known = " or ".join(FORMATS)
        raise bad_field(_FORMAT, "invalid_value", f"{_FORMAT} must be {known}, not {quote_value(kind)}.")
    if request.method == "POST":
        msg_ids = parse_ids(_MSG_ID, params.getlist(_MSG_ID), most=MAX_SELECTED)
        rows: Iterator[object] = iter(selectors.chosen_messages(msg_ids))
        details: dict[str, object] = {"msg_ids": msg_ids}
    else:
        filters = _read_filters(params, request)
        ordering = _read_ordering(params, filters)
        rows = filtered_rows(filters, ordering=ordering)
        details = {"filter": filters.as_query(), "ordering": ordering}
    audit.record_entry(actor=actor_of(request), action="export_messages", details={"format": kind, **details})
    return file_of(rows, EXPORT_COLUMNS, name="messages", kind=kind)


def _read_filters(params: QueryDict, request: HttpRequest) -> MessageFilter:
    """Return the filter of a part's address, which has further parameters."""
    params = params.copy()
    params.pop(_FORMAT, None)
    now = vocabulary.moment_of(params)
    return vocabulary.read_filter(vocabulary.tidy_params(params, now=now), user=request.user, now=now)


def _read_ordering(params: QueryDict, filters: MessageFilter) -> str:
    return params.get(_ORDERING) or natural_order(filters)


def _render_part(request: HttpRequest, name: str, title: str, context: dict[str, object]) -> HttpResponse:
    """Return only the part, or, without scripts, a page with it."""
    template = f"messages_app/{name}.html"
    context["list"] = reverse("message-list")
    if "HX-Request" in request.headers:
        return render(request, template, context)
    page = {"part": template, "title": title, **context}
    return render(request, "messages_app/lists/part_page.html", page)


# The suggestions for the query line, which the page's script requests.


# Longer lines are cut. At worst, the cut line has no suggestions.
_MAX_LINE = 4000


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
def suggest_words(request: HttpRequest) -> HttpResponse:
    """Return the suggestions for the line `q` with the caret `at`."""
    line = request.GET.get("q", "")[:_MAX_LINE].replace("\0", "")
    caret = request.GET.get("at", "")
    at = int(caret) if caret.isascii() and caret.isdigit() and len(caret) < 6 else len(line)
    context = {
        "suggestions": suggest_terms(line, min(at, len(line)), VOCABULARY, allowed=names_for(request.user))
    }
    return render(request, "messages_app/messages/_suggestions.html", context)
