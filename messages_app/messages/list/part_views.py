"""Parts of the list that load after its page, and the list as a file. Without scripts each is a page."""

from collections.abc import Iterator
from functools import partial

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.decorators import requires
from messages_app.audit import services as audit
from messages_app.core.charts.histogram import Picture
from messages_app.core.clock import was_too_slow
from messages_app.core.filters.values import parse_ids
from messages_app.core.lists.counts import EXACT_COUNT_MS, counted, newer
from messages_app.core.lists.downloads import FORMATS, MOST_ROWS, PAGE_SIZE, file_of, listed_rows
from messages_app.core.pagination.paginator import Page
from messages_app.core.problems import bad_field, shown
from messages_app.messages import selectors
from messages_app.messages.fields import NARROW_COLUMNS
from messages_app.messages.filters import vocabulary
from messages_app.messages.filters.filters import MessageFilter, natural_order
from messages_app.messages.list.bulk import MOST_SELECTED
from messages_app.messages.list.histogram import FROM, TO, from_ground, histogram

# The list of messages as a file, without the wide columns.


COLUMNS = (
    *NARROW_COLUMNS,
    "failed_summary",
    "archived",
)


def filtered_rows(filters: MessageFilter, *, ordering: str, most: int = MOST_ROWS) -> Iterator[object]:
    """
    Yield the list's messages, and a note at the end where not all of them are there.

    Raises:
        Problem: 400, the list has no such order.
    """

    def fetch(cursor: str | None) -> Page:
        return selectors.message_page(filters=filters, ordering=ordering, page_size=PAGE_SIZE, cursor=cursor)

    return listed_rows(fetch, things="messages", most=most)


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
        lambda: selectors.exact_count(filters, timeout_ms=EXACT_COUNT_MS),
        lambda: selectors.estimated_count(filters),
    )
    return _part(request, "lists/_counted", "Number of messages", {"counted": found})


@require_safe
@requires(roles.CAN_VIEW_MESSAGES)
def newer_part(request: HttpRequest) -> HttpResponse:
    filters = _filters(request.GET, request)
    if _CURSOR not in request.GET:
        raise bad_field(_CURSOR, "required", f"{_CURSOR} must be given.")
    fetch = partial(
        selectors.message_page,
        filters=filters,
        ordering=_ordering(request.GET, filters),
        cursor=request.GET[_CURSOR],
    )
    found = newer(fetch)
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
        rows: Iterator[object] = iter(selectors.chosen_messages(msg_ids))
        details: dict[str, object] = {"msg_ids": msg_ids}
    else:
        filters = _filters(params, request)
        ordering = _ordering(params, filters)
        rows = filtered_rows(filters, ordering=ordering)
        details = {"filter": filters.as_query(), "ordering": ordering}
    audit.record(actor=actor_of(request), action="export_messages", details={"format": kind, **details})
    return file_of(rows, COLUMNS, name="messages", kind=kind)


def _filters(params: QueryDict, request: HttpRequest) -> MessageFilter:
    """Return the filter of the list's address: a part has its parameters, and some of its own."""
    params = params.copy()
    params.pop(_FORMAT, None)
    now = vocabulary.moment_of(params)
    return vocabulary.read(vocabulary.tidied(params, now=now), user=request.user, now=now)


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
