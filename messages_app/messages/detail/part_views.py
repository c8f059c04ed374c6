"""The parts of a message's page that are loaded separately."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.decorators import requires_permission
from messages_app.core.clock import database_clock
from messages_app.core.page_parameters import takes_parameters
from messages_app.core.parameters import require_id
from messages_app.messages.detail.children import children_page
from messages_app.messages.detail.selectors import call_rows, exchange_rows, get_sized_message
from messages_app.messages.detail.views import explanation_of
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.listing.neighbours import LATE, LIST_PARAMETERS, find_neighbours
from messages_app.messages.pages import PAGES, read_or_404


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
@takes_parameters(*LIST_PARAMETERS)
def neighbours_part(request: HttpRequest, msg_id: int) -> HttpResponse:
    """Show the neighbours of a message in its list that the page did not wait for."""
    message = read_or_404(get_sized_message, msg_id)
    neighbours = find_neighbours(request.GET, user=request.user, message=message, patience=LATE)
    return _render_part(
        request, msg_id, "_neighbours", "Neighbours in the list", {"neighbours": neighbours}, message=message
    )


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
@takes_parameters("after")
def calls_part(request: HttpRequest, msg_id: int) -> HttpResponse:
    """Show further external calls of a message."""
    message = read_or_404(get_sized_message, msg_id)
    calls = call_rows(message, after=_read_after(request))
    return _render_part(request, msg_id, "_calls", "External calls", {"calls": calls}, message=message)


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
@takes_parameters("after")
def exchanges_part(request: HttpRequest, msg_id: int) -> HttpResponse:
    """Show further requests of a message with their responses."""
    message = read_or_404(get_sized_message, msg_id)
    exchanges = exchange_rows(message, after=_read_after(request))
    context: dict[str, object] = {"exchanges": exchanges}
    return _render_part(request, msg_id, "_exchanges", "Requests and responses", context, message=message)


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
@takes_parameters("cursor")
def children_part(request: HttpRequest, msg_id: int) -> HttpResponse:
    """Show a page of a message's children; the message itself may no longer exist."""
    page = children_page(msg_id, cursor=request.GET.get("cursor"))
    return _render_part(request, msg_id, "_branches", "Children", {"branch": page, "parent_id": msg_id})


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
def preview_part(request: HttpRequest, msg_id: int) -> HttpResponse:
    """Show the state of a message, its explanation, its error and its payload next to a list."""
    message = read_or_404(get_sized_message, msg_id)
    context: dict[str, object] = {"explanation": explanation_of(message, at=database_clock())}
    return _render_part(request, msg_id, "_preview", "Preview", context, message=message)


def _render_part(
    request: HttpRequest,
    msg_id: int,
    name: str,
    title: str,
    context: dict[str, object],
    *,
    message: MessageColumns | None = None,
) -> HttpResponse:
    """Return only the part to a script, and a page with the part otherwise."""
    context = {"message": message, "msg_id": msg_id, **context}
    if "HX-Request" in request.headers:
        return PAGES.render_page(request, name, {"is_part": True, **context})
    part = {"part": f"messages_app/messages/{name}.html", "title": title}
    return PAGES.render_page(request, "_detail_part", {**part, **context})


def _read_after(request: HttpRequest) -> int:
    """Return the id after which rows are shown; without one, a number below every id."""
    text = request.GET.get("after")
    return -1 if text is None else require_id("after", text)
