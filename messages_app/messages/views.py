"""Pages of messages: the list, one message, and the way from any id to it."""

from urllib.parse import urlencode

from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.gate import requires
from messages_app.messages import filters as message_filters
from messages_app.messages import queries
from messages_app.messages.detail import MessageDetail, message_detail, parents_among
from messages_app.messages.emptiness import culprits
from messages_app.messages.filters import MessageFilter
from messages_app.messages.list_form import LABELS, FilterForm, tidied
from messages_app.messages.lookup import find
from messages_app.messages.services import MessageNotFound, rules
from messages_app.messages.states import MessageAction
from messages_app.web.errors import problem_of
from messages_app.web.paging import parse_page_size
from messages_app.web.problems import Problem

_RIGHTS = {MessageAction.CANCEL: roles.CAN_CANCEL, MessageAction.RESTART: roles.CAN_RESTART}


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


@require_safe
@requires(roles.CAN_VIEW_MESSAGES)
def find_message(request: HttpRequest) -> HttpResponse:
    """Go to what an id of any kind names: one message, or the list of those that share it."""
    text = request.GET.get("id", "").strip()
    found = find(text[:100].replace("\0", ""))
    if found.msg_id is not None:
        return redirect("message-detail", msg_id=found.msg_id)
    return redirect(f"/messages/?{urlencode(found.filters)}" if found.filters else "/messages/")


@require_safe
@requires(roles.CAN_VIEW_MESSAGES)
def message_page(request: HttpRequest, msg_id: int) -> HttpResponse:
    detail = detail_or_404(msg_id)
    context = {
        "detail": detail,
        "message": detail.message,
        "actions": offered_actions(request, detail),
        "may_read_payload": request.user.has_perm(roles.CAN_VIEW_PAYLOAD),
    }
    return render(request, "messages_app/messages/detail.html", context)


def detail_or_404(msg_id: int) -> MessageDetail:
    try:
        return message_detail(msg_id)
    except MessageNotFound as error:
        raise Http404(str(error)) from error


def may_act(request: HttpRequest, action: MessageAction) -> bool:
    return request.user.has_perm(_RIGHTS[action])


def offered_actions(request: HttpRequest, detail: MessageDetail) -> list[MessageAction]:
    """Return what this reader may do to this message now."""
    if detail.archived:
        return []
    return [action for action in rules().allowed_actions(detail.message.state) if may_act(request, action)]
