"""The page of one message, and the parts that it loads one after the other."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeVar

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.decorators import requires
from messages_app.core.parameters import read_id
from messages_app.core.problems import bad_field, shown
from messages_app.messages.actions.outcome import followed
from messages_app.messages.available_actions import offered_actions
from messages_app.messages.detail import children
from messages_app.messages.detail.advised_actions import (
    CAN_RESTORE,
    advised,
    explanation_of,
    messages_named,
    restore_url,
)
from messages_app.messages.detail.detail import (
    MessageDetail,
    call_rows,
    exchange_rows,
    found_message,
    message_detail,
)
from messages_app.messages.detail.tree import ancestors
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.list.rows import neighbours
from messages_app.messages.selectors import none_found
from messages_app.messages.tables import MessageNotFound
from messages_app.messages.timeline.entries import Entry, Kind
from messages_app.messages.timeline.history import Timeline, timeline_of
from messages_app.messages.timeline.timeline import first_line
from messages_app.messages.timeline.waterfall import waterfall
from messages_app.shared.hub_defaults import TRIES_BEFORE_FAILED

T = TypeVar("T")

ANCESTORS_SHOWN = 20
_HISTORY_ROWS = 60
_TIMELINE = "timeline"
_FAILURES = "failures"


@require_safe
@requires(roles.CAN_VIEW_MESSAGES)
def message_page(request: HttpRequest, msg_id: int) -> HttpResponse:
    failures_only = _failures_only(request)
    detail = _or_404(message_detail, msg_id)
    message, found = detail.message, timeline_of(detail.message)
    actions = offered_actions(request.user, state=message.state, archived=detail.archived)
    explanation = explanation_of(msg_id)
    context = {
        "detail": detail,
        "message": message,
        "actions": actions,
        "restore_url": restore_url(msg_id) if request.user.has_perms(CAN_RESTORE) else "",
        "advised": advised(explanation, user=request.user),
        "followed": followed(message, at=found.at),
        "neighbours": neighbours(request.GET, user=request.user, message=message),
        "explanation": explanation,
        "tries": TRIES_BEFORE_FAILED + 1,
        **_family(msg_id),
        **_history(request, detail, found, failures_only),
    }
    return render(request, "messages_app/messages/detail.html", context)


@require_safe
@requires(roles.CAN_VIEW_MESSAGES)
def calls_part(request: HttpRequest, msg_id: int) -> HttpResponse:
    """Show further external calls of a message."""
    message = _or_404(found_message, msg_id)
    calls = call_rows(message, after=_id_of(request, "after"))
    return _part(request, msg_id, "_calls", "External calls", {"calls": calls}, message=message)


@require_safe
@requires(roles.CAN_VIEW_MESSAGES)
def exchanges_part(request: HttpRequest, msg_id: int) -> HttpResponse:
    """Show further requests of a message with their responses."""
    message = _or_404(found_message, msg_id)
    found = exchange_rows(message, after=_id_of(request, "after"))
    context: dict[str, object] = {"exchanges": found}
    return _part(request, msg_id, "_exchanges", "Requests and responses", context, message=message)


@require_safe
@requires(roles.CAN_VIEW_MESSAGES)
def children_part(request: HttpRequest, msg_id: int) -> HttpResponse:
    """Show a page of a message's children; the message itself may be gone."""
    page = children.children_page(msg_id, cursor=request.GET.get("cursor"))
    return _part(request, msg_id, "_branches", "Children", {"branch": page, "parent_id": msg_id})


def _or_404(read: Callable[[int], T], msg_id: int) -> T:
    try:
        return read(msg_id)
    except MessageNotFound as error:
        raise Http404(none_found(msg_id)) from error


def _part(
    request: HttpRequest,
    msg_id: int,
    name: str,
    title: str,
    context: dict[str, object],
    *,
    message: MessageColumns | None = None,
) -> HttpResponse:
    """Answer a script with the part alone, and a reader without scripts with a page around it."""
    template = f"messages_app/messages/{name}.html"
    context = {"message": message, "msg_id": msg_id, **context}
    if "HX-Request" in request.headers:
        return render(request, template, context)
    return render(
        request, "messages_app/messages/_detail_part.html", {"part": template, "title": title, **context}
    )


def _id_of(request: HttpRequest, name: str) -> int:
    """Return the id that a parameter gives; absent, what is before every id."""
    text = request.GET.get(name)
    if text is None:
        return -1
    if (number := read_id(text)) is not None:
        return number
    raise bad_field(name, "invalid_value", f"{name} must be an id, not {shown(text)}.")


def _failures_only(request: HttpRequest) -> bool:
    wanted = request.GET.get(_TIMELINE)
    if wanted not in {None, _FAILURES}:
        raise bad_field(_TIMELINE, "invalid_value", f"{_TIMELINE} must be {_FAILURES}, not {shown(wanted)}.")
    return wanted == _FAILURES


def _family(msg_id: int) -> dict[str, object]:
    line = _or_404(partial(ancestors, most=ANCESTORS_SHOWN), msg_id)
    return {
        "line": line,
        "parents": line.members[:0:-1],
        "roll_up": children.roll_up(msg_id),
        "branch": children.children_page(msg_id),
        "parent_id": msg_id,
    }


def _history(
    request: HttpRequest, detail: MessageDetail, found: Timeline, failures_only: bool
) -> dict[str, object]:
    message, changes = detail.message, list(_changes(found.entries))
    texts = [message.failed_desc and first_line(message.failed_desc), message.business_error]
    return {
        "timeline": waterfall(found, failures_only=failures_only),
        "failures_only": failures_only,
        "timeline_all": _with_timeline(request, None),
        "timeline_failures": _with_timeline(request, _FAILURES),
        "now": found.at,
        "changes": changes[-_HISTORY_ROWS:],
        "changes_cut": found.truncated or len(changes) > _HISTORY_ROWS,
        "named": messages_named([*texts, *(entry.note for entry in changes[-_HISTORY_ROWS:])]),
    }


def _changes(entries: Iterable[Entry]) -> Iterable[Entry]:
    """Yield what the history shows; an action whose change of state is there is told with that change."""
    kinds = {Kind.RECEIVED, Kind.STATE_CHANGE, Kind.OPERATOR_ACTION}
    shown = [entry for entry in entries if entry.kind in kinds]
    told = {entry.entry_id for entry in shown if entry.kind == Kind.STATE_CHANGE}
    return (entry for entry in shown if entry.kind != Kind.OPERATOR_ACTION or entry.entry_id not in told)


def _with_timeline(request: HttpRequest, wanted: str | None) -> str:
    """Return this page's query string with this choice of the timeline; the list's query stays in it."""
    params = request.GET.copy()
    params.pop(_TIMELINE, None)
    if wanted:
        params[_TIMELINE] = wanted
    return f"?{params.urlencode()}" if params else request.path
