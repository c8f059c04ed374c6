"""Parts of the list that load after its page, and the list as a file. Without scripts each is a page."""

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.gate import requires
from messages_app.audit import services as audit
from messages_app.drawing.histogram import Picture
from messages_app.messages import queries
from messages_app.messages.filtering.filters import MessageFilter
from messages_app.messages.filtering.natural_order import natural_order
from messages_app.messages.histogram.histogram import FROM, TO, histogram
from messages_app.messages.histogram.stacking import from_ground
from messages_app.messages.listing import exporting
from messages_app.messages.listing.selecting import MOST_SELECTED
from messages_app.messages.query_line import addresses
from messages_app.web.filters.values import parse_ids
from messages_app.web.lists.counting import EXACT_COUNT_MS, counted
from messages_app.web.lists.files import FORMATS, file_of
from messages_app.web.lists.newer import newer
from messages_app.web.problems import bad_field, shown
from messages_app.web.time_limits import was_too_slow

_FORMAT, _ORDERING, _CURSOR, _MSG_ID = "format", "ordering", "cursor", "msg_id"


@require_safe
@requires(roles.CAN_VIEW_MESSAGES)
def histogram_part(request: HttpRequest) -> HttpResponse:
    filters = _filters(request.GET, request)
    others = [(name, value) for name, value in filters.words() if name not in {FROM, TO}]
    if _ORDERING in request.GET:
        others.append((_ORDERING, request.GET[_ORDERING]))
    try:
        picture = Picture(
            histogram(filters), column="receive_timestamp", from_ground=from_ground, others=others
        )
    except OperationalError as error:
        if not was_too_slow(error):
            raise
        picture = None
    return _part(
        request,
        "drawing/_histogram",
        "Messages over time",
        {"picture": picture, "things": "messages", "drawn": "Received"},
    )


@require_safe
@requires(roles.CAN_VIEW_MESSAGES)
def count_part(request: HttpRequest) -> HttpResponse:
    filters = _filters(request.GET, request)
    found = counted(
        lambda: queries.exact_count(filters, timeout_ms=EXACT_COUNT_MS),
        lambda: queries.estimated_count(filters),
    )
    return _part(request, "lists/_counted", "Number of messages", {"counted": found})


@require_safe
@requires(roles.CAN_VIEW_MESSAGES)
def newer_part(request: HttpRequest) -> HttpResponse:
    filters = _filters(request.GET, request)
    if _CURSOR not in request.GET:
        raise bad_field(_CURSOR, "required", f"{_CURSOR} must be given.")
    asked = {"ordering": _ordering(request.GET, filters), "cursor": request.GET[_CURSOR]}
    found = newer(lambda **limits: queries.message_page(filters=filters, **asked, **limits))
    return _part(request, "lists/_newer_count", "New messages", {"newer": found})


@require_http_methods(["GET", "POST"])
@requires(roles.CAN_VIEW_MESSAGES)
def export(request: HttpRequest) -> StreamingHttpResponse:
    """Stream the list of the address, or by POST the messages that were chosen."""
    params = request.POST if request.method == "POST" else request.GET
    kind = params.get(_FORMAT, "csv")
    if kind not in FORMATS:
        known = " or ".join(FORMATS)
        raise bad_field(_FORMAT, "invalid_value", f"{_FORMAT} must be {known}, not {shown(kind)}.")
    if request.method == "POST":
        msg_ids = parse_ids(_MSG_ID, params.getlist(_MSG_ID), most=MOST_SELECTED)
        rows, details = iter(queries.chosen_messages(msg_ids)), {"msg_ids": msg_ids}
    else:
        filters = _filters(params, request)
        ordering = _ordering(params, filters)
        rows = exporting.filtered_rows(filters, ordering=ordering)
        details = {"filter": filters.as_query(), "ordering": ordering}
    audit.record(actor=actor_of(request), action="export_messages", details={"format": kind, **details})
    return file_of(rows, exporting.COLUMNS, name="messages", kind=kind)


def _filters(params: QueryDict, request: HttpRequest) -> MessageFilter:
    """Return the filter of the list's address: a part has its parameters, and some of its own."""
    params = params.copy()
    params.pop(_FORMAT, None)
    now = addresses.moment_of(params)
    return addresses.read(addresses.tidied(params, now=now), user=request.user, now=now)


def _ordering(params: QueryDict, filters: MessageFilter) -> str:
    return params.get(_ORDERING) or natural_order(filters)


def _part(request: HttpRequest, name: str, title: str, context: dict[str, object]) -> HttpResponse:
    """Answer with the part alone, or to who came without scripts with a page that holds it."""
    template = f"messages_app/{name}.html"
    context["list"] = reverse("message-list")
    if "HX-Request" in request.headers:
        return render(request, template, context)
    page = {"part": template, "title": title, **context}
    return render(request, "messages_app/lists/part_page.html", page)
