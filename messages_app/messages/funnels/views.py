"""The page of funnels: each value as a lane, with the messages that hold it and the waiting ones."""

from collections.abc import Mapping
from datetime import timedelta
from types import MappingProxyType

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.decorators import requires_permission
from messages_app.core.error_handlers import problem_of
from messages_app.core.formatting import format_duration
from messages_app.core.lists.filter_form import Field
from messages_app.core.page_parameters import checks_parameters
from messages_app.core.problems import Problem
from messages_app.messages.available_actions import offered_actions
from messages_app.messages.funnels.drawing import draw_lanes
from messages_app.messages.funnels.filters import (
    BY_LONGEST_WAIT,
    BY_MOST_WAITING,
    FILTERS,
    FunnelFilter,
    parse_funnel_filter,
)
from messages_app.messages.funnels.selectors import funnel_page
from messages_app.messages.hub_times import hub_times
from messages_app.messages.services import hub_rules
from messages_app.shared.hub_defaults import FUNNEL_IDLE_AFTER
from messages_app.shared.message_states import MessageAction, MessageState

_TEMPLATE = "messages_app/funnels/list.html"


# Few enough to keep the page small if every lane is full.
_LANES = 15


_MINUTE = timedelta(minutes=1)


_FIELDS = {"value": "Value", "component": "Component"}


_ORDERS = ((BY_LONGEST_WAIT, "Longest wait first"), (BY_MOST_WAITING, "Most waiting first"))


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
@checks_parameters
def funnel_list(request: HttpRequest) -> HttpResponse:
    filled = _without_empty(request.GET)
    if filled != request.GET:
        return redirect(f"{request.path}?{filled.urlencode()}" if filled else request.path)
    try:
        return _render_list(request, parse_funnel_filter(filled, other_parameters=frozenset({"cursor"})))
    except Problem as problem:
        return _render_problem(request, problem)
    except OperationalError as error:
        if (problem_of_database := problem_of(error)) is None:
            raise
        return _render_problem(request, problem_of_database)


def _without_empty(params: QueryDict) -> QueryDict:
    """Return the parameters without the empty fields of a form."""
    filled = params.copy()
    for name in [name for name in FILTERS if params.getlist(name) == [""]]:
        del filled[name]
    return filled


def _render_list(request: HttpRequest, filters: FunnelFilter) -> HttpResponse:
    page = funnel_page(filters, cursor=request.GET.get("cursor"), page_size=_LANES)
    is_whole = filters.value is not None and len(page.rows) == 1
    context = {
        **_make_form(request),
        "filters": filters,
        "page": page,
        "lanes": draw_lanes(page.rows, page.at, is_whole=is_whole),
        "is_whole": is_whole,
        "may_restart_head": MessageAction.RESTART
        in offered_actions(request.user, state=MessageState.FAILED, archived=False),
        "may_cancel_waiting": MessageAction.CANCEL
        in offered_actions(request.user, state=MessageState.POSTPONED, archived=False),
        "compares_component": hub_rules().compares_component,
        "idle_minutes": FUNNEL_IDLE_AFTER // _MINUTE,
        "order_fails_after": format_duration(hub_times().order_fails_after),
    }
    return render(request, _TEMPLATE, context)


def _render_problem(request: HttpRequest, problem: Problem) -> HttpResponse:
    """Show the form as it was filled in, with its errors or the problem."""
    errors = {error.field: error.message for error in problem.errors}
    context = {
        **_make_form(request, errors),
        "problem": problem,
        "errors": errors,
        "other_errors": [text for name, text in errors.items() if name not in _FIELDS],
    }
    response = render(request, _TEMPLATE, context, status=problem.status)
    for name, value in problem.headers.items():
        response.headers[name] = value
    return response


def _make_form(request: HttpRequest, errors: Mapping[str, str] = MappingProxyType({})) -> dict[str, object]:
    typed = {name: request.GET.get(name, "") for name in FILTERS}
    return {
        "typed": typed,
        "fields": [
            Field(name=name, label=label, value=typed[name], hint="", error=errors.get(name, ""))
            for name, label in _FIELDS.items()
        ],
        "fields_set": sum(bool(typed[name]) for name in _FIELDS),
        "orders": [
            {
                "text": text,
                "query": _query_with_changes(request, ordering=None if name == BY_LONGEST_WAIT else name),
                "is_on": (typed["ordering"] or BY_LONGEST_WAIT) == name,
            }
            for name, text in _ORDERS
        ],
        "without_blocked": _query_with_changes(request, blocked=None),
        "only_blocked": _query_with_changes(request, blocked="true"),
    }


def _query_with_changes(request: HttpRequest, **changes: str | None) -> str:
    """Return the query string of the first page of this list with some parameters changed."""
    params = request.GET.copy()
    for name, value in {**changes, "cursor": None}.items():
        params.pop(name, None)
        if value is not None:
            params[name] = value
    return f"?{params.urlencode()}"
