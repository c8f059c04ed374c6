"""The list of messages as a page."""

from collections.abc import Collection
from datetime import datetime

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.actors import user_of
from messages_app.access.decorators import requires
from messages_app.core.error_handlers import problem_of
from messages_app.core.lists.table import orders_offered
from messages_app.core.pagination.paginator import Page, parse_page_size
from messages_app.core.problems import FieldError, Problem
from messages_app.core.query_language import form as line_form
from messages_app.core.query_language import parser
from messages_app.messages import selectors
from messages_app.messages.filters import filters as message_filters
from messages_app.messages.filters import vocabulary
from messages_app.messages.filters.filters import MessageFilter, natural_order
from messages_app.messages.filters.vocabulary import VOCABULARY, label_of
from messages_app.messages.list import rows
from messages_app.messages.list.parts import FilterForm, culprits, parts_of
from messages_app.messages.list.preferences import COLUMNS, table_of
from messages_app.messages.list.saved_views_views import tabs_of

LINE = "q"
_ORDERS = {
    "-msg_id": "Newest id first",
    "msg_id": "Oldest id first",
    "-receive_timestamp": "Newest received first",
    "receive_timestamp": "Oldest received first",
}


@require_safe
@requires(roles.CAN_VIEW_MESSAGES)
def message_list(request: HttpRequest) -> HttpResponse:
    if LINE in request.GET:
        return _submitted(request)
    params = vocabulary.tidied(request.GET, now=timezone.now())
    if params != request.GET:
        return redirect(request.path + (vocabulary.query_of(params) if params else ""))
    try:
        now = vocabulary.moment_of(params)
        return _list_page(request, vocabulary.read(params, user=request.user, now=now), now)
    except (Problem, OperationalError) as error:
        if (problem := problem_of(error)) is None:
            raise
        return _list_trouble(request, problem)


def _submitted(request: HttpRequest) -> HttpResponse:
    """Go to the address that a submitted query line means, or show what is wrong in it."""
    text = request.GET[LINE].strip()
    others = {name: str(value) for name, value in request.GET.items() if name != LINE}
    reading = parser.parse(
        text, VOCABULARY, now=timezone.now(), allowed=message_filters.names_for(request.user)
    )
    if reading.errors:
        context = {"line": line_form.typed(text, reading.errors), "form": _form(request, _params(others))}
        return _page(request, context, status=400)
    if reading.find:
        return redirect(f"{reverse('find')}{vocabulary.query_of(_params({'id': reading.find}))}")
    params = vocabulary.tidied(_params({**reading.params, **others}), now=timezone.now())
    return redirect(request.path + (vocabulary.query_of(params) if params else ""))


def _params(values: dict[str, str]) -> QueryDict:
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
    rows.mark(page.rows)
    form = _form(request, request.GET)
    context: dict[str, object] = {
        "form": form,
        "line": line_form.of_address(request.GET, VOCABULARY, form),
        "filters": filters,
        "ordering": ordering,
        "page": page,
        "rows": page.rows,
        **form.neighbours(page, ordering=ordering, now=now),
        "orders": orders_offered(ordering, form, words=_ORDERS, column="receive_timestamp"),
        "parts": parts_of(page=page, filters=filters, ordering=ordering, user=user_of(request)),
        "estimate": _estimate(filters, page),
    }
    if not page.rows and page.looked_until is None:
        context["culprits"] = [(label_of(name), form.query(**{name: None})) for name in culprits(filters)]
    return _page(request, context)


def _estimate(filters: MessageFilter, page: Page) -> int | None:
    """Return about how many there are; None where the page itself has more than the planner thinks."""
    found = selectors.estimated_count(filters)
    return found if found > len(page.rows) else None


def _list_trouble(request: HttpRequest, problem: Problem) -> HttpResponse:
    """Show the line and the form as they were filled in, with what is wrong in them or with the answer."""
    form = _form(request, request.GET, problem.errors)
    context = {
        "form": form,
        "line": line_form.of_address(request.GET, VOCABULARY, form, problem.errors),
        "problem": problem,
    }
    response = _page(request, context, status=problem.status)
    for name, value in problem.headers.items():
        response.headers[name] = value
    return response


def _form(request: HttpRequest, params: QueryDict, errors: Collection[FieldError] = ()) -> FilterForm:
    return FilterForm(params, allowed=message_filters.names_for(request.user), errors=errors)


def _page(request: HttpRequest, context: dict[str, object], status: int = 200) -> HttpResponse:
    """Answer the page: with the list, or with what is wrong in its place."""
    context = {
        "tabs": tabs_of(user_of(request), request.GET),
        "table": table_of(user_of(request)),
        "all_columns": COLUMNS.others,
    } | context
    return render(request, "messages_app/messages/list.html", context, status=status)
