"""The list of messages as a page."""

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.gate import requires
from messages_app.messages import queries
from messages_app.messages.inspecting.detail import parents_among
from messages_app.messages.listing import filters as message_filters
from messages_app.messages.listing.emptiness import culprits
from messages_app.messages.listing.filters import MessageFilter
from messages_app.messages.listing.form import LABELS, FilterForm, tidied
from messages_app.web.errors import problem_of
from messages_app.web.paging import parse_page_size
from messages_app.web.problems import Problem


@require_safe
@requires(roles.CAN_VIEW_MESSAGES)
def message_list(request: HttpRequest) -> HttpResponse:
    params = tidied(request.GET)
    if params != request.GET:
        return redirect(f"{request.path}?{params.urlencode(safe=':,')}" if params else request.path)
    try:
        filters = message_filters.parse(params, user=request.user)
        return _list_page(request, filters)
    except Problem as problem:
        return _list_trouble(request, problem)
    except OperationalError as error:
        return _list_trouble(request, problem_of(error))


def _list_page(request: HttpRequest, filters: MessageFilter) -> HttpResponse:
    ordering = request.GET.get("ordering") or _natural_order(filters)
    page = queries.message_page(
        filters=filters,
        ordering=ordering,
        cursor=request.GET.get("cursor"),
        page_size=parse_page_size(request.GET.get("page_size")),
    )
    form = FilterForm(request.GET, allowed=message_filters.names_for(request.user))
    ascending = not ordering.startswith("-")
    older, newer = page.next_cursor, page.previous_cursor
    context = {
        "form": form,
        "rows": page.rows,
        "parents": parents_among(page.rows),
        "archived": filters.archived,
        "chips": form.chips(filters.words()),
        "estimate": queries.estimated_count(filters),
        "older": form.page_query(newer if ascending else older),
        "newer": form.page_query(older if ascending else newer),
        "sort": _sort(request, form),
    }
    if not page.rows:
        context["culprits"] = [(LABELS[name], form.query(**{name: None})) for name in culprits(filters)]
    return render(request, "messages_app/messages/list.html", context)


def _natural_order(filters: MessageFilter) -> str:
    """Return the order that the filter's own index has: of a long range of receipt, by receipt."""
    return "-receive_timestamp" if "receive_timestamp" in filters.ranges else "-msg_id"


def _sort(request: HttpRequest, form: FilterForm) -> dict[str, str]:
    """Return how the column of receipt is sorted, and the link that turns it round."""
    now = request.GET.get("ordering", "")
    turned = "receive_timestamp" if now == "-receive_timestamp" else "-receive_timestamp"
    aria = {"receive_timestamp": "ascending", "-receive_timestamp": "descending"}.get(now, "none")
    return {"aria": aria, "query": form.query(ordering=turned)}


def _list_trouble(request: HttpRequest, problem: Problem) -> HttpResponse:
    """Show the form as it was filled in, with what is wrong in it or with the answer."""
    allowed = message_filters.names_for(request.user)
    form = FilterForm(request.GET, allowed=allowed, errors=problem.errors)
    context = {
        "form": form,
        "problem": problem,
        "archived": request.GET.get(message_filters.ARCHIVED) == "true",
    }
    response = render(request, "messages_app/messages/list.html", context, status=problem.status)
    for name, value in problem.headers.items():
        response.headers[name] = value
    return response
