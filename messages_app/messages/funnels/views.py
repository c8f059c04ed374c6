"""Funnels as a page: each value with who holds it and who waits."""

from datetime import timedelta

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.decorators import requires
from messages_app.core.error_handlers import problem_of
from messages_app.core.problems import Problem
from messages_app.messages.available_actions import offered_actions
from messages_app.messages.funnels.chart import DrawnLane
from messages_app.messages.funnels.selectors import FILTERS, LONGEST, MOST, FunnelFilter, funnel_page, parse
from messages_app.messages.services import rules
from messages_app.shared.hub_defaults import FUNNEL_IDLE_AFTER, ORDER_FAILS_AFTER
from messages_app.shared.message_states import MessageAction, MessageState

_TEMPLATE = "messages_app/funnels/list.html"
# So that the page stays small with every lane full.
_LANES = 15
_MINUTE = timedelta(minutes=1)
_ORDERS = ((LONGEST, "Longest wait first"), (MOST, "Most waiting first"))


@require_safe
@requires(roles.CAN_VIEW_MESSAGES)
def funnel_list(request: HttpRequest) -> HttpResponse:
    filled = _without_empty(request.GET)
    if filled != request.GET:
        return redirect(f"{request.path}?{filled.urlencode()}" if filled else request.path)
    try:
        return _list(request, parse(filled, besides=frozenset({"cursor"})))
    except Problem as problem:
        return _trouble(request, problem)
    except OperationalError as error:
        if (problem_of_database := problem_of(error)) is None:
            raise
        return _trouble(request, problem_of_database)


def _without_empty(params: QueryDict) -> QueryDict:
    """Leave out what a form sends for its empty fields."""
    filled = params.copy()
    for name in [name for name in FILTERS if params.getlist(name) == [""]]:
        del filled[name]
    return filled


def _list(request: HttpRequest, filters: FunnelFilter) -> HttpResponse:
    page = funnel_page(filters, cursor=request.GET.get("cursor"), page_size=_LANES)
    is_whole = filters.value is not None and len(page.rows) == 1
    context = {
        **_form(request),
        "filters": filters,
        "page": page,
        "lanes": [DrawnLane(lane, page.at, is_whole) for lane in page.rows],
        "is_whole": is_whole,
        "may_restart_head": MessageAction.RESTART
        in offered_actions(request.user, state=MessageState.FAILED, archived=False),
        "may_cancel_waiting": MessageAction.CANCEL
        in offered_actions(request.user, state=MessageState.POSTPONED, archived=False),
        "compares_component": rules().compares_component,
        "idle_minutes": FUNNEL_IDLE_AFTER // _MINUTE,
        "order_minutes": ORDER_FAILS_AFTER // _MINUTE,
    }
    return render(request, _TEMPLATE, context)


def _trouble(request: HttpRequest, problem: Problem) -> HttpResponse:
    """Show the form as it was filled in, with what is wrong in it or with the answer."""
    errors = {error.field: error.message for error in problem.errors}
    context = {
        **_form(request),
        "problem": problem,
        "errors": errors,
        "other_errors": [text for name, text in errors.items() if name not in {"value", "component"}],
    }
    response = render(request, _TEMPLATE, context, status=problem.status)
    for name, value in problem.headers.items():
        response.headers[name] = value
    return response


def _form(request: HttpRequest) -> dict[str, object]:
    typed = {name: request.GET.get(name, "") for name in FILTERS}
    return {
        "typed": typed,
        "orders": [
            {
                "text": text,
                "query": _query(request, ordering=None if name == LONGEST else name),
                "is_on": (typed["ordering"] or LONGEST) == name,
            }
            for name, text in _ORDERS
        ],
        "without_blocked": _query(request, blocked=None),
        "only_blocked": _query(request, blocked="true"),
    }


def _query(request: HttpRequest, **changes: str | None) -> str:
    """Return the address of this list with some parameters changed, from its first page on."""
    params = request.GET.copy()
    for name, value in {**changes, "cursor": None}.items():
        params.pop(name, None)
        if value is not None:
            params[name] = value
    return f"?{params.urlencode()}"
