"""The list of messages as a file, without the wide columns."""

from collections.abc import Iterator

from django.http import HttpRequest, QueryDict, StreamingHttpResponse
from django.views.decorators.http import require_http_methods

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.decorators import requires_permission
from messages_app.audit import services as audit
from messages_app.core.filters import address
from messages_app.core.filters.values import parse_ids
from messages_app.core.lists.downloads import FORMATS, MAX_ROWS, PAGE_SIZE, file_of, listed_rows
from messages_app.core.page_parameters import checks_parameters
from messages_app.core.pagination.paginator import Page
from messages_app.core.problems import bad_field, quote_value
from messages_app.messages import selectors
from messages_app.messages.fields import NARROW_COLUMNS
from messages_app.messages.filters import list_address
from messages_app.messages.filters.message_filter import MessageFilter, natural_order
from messages_app.messages.listing.page_parts import MAX_SELECTED

_FORMAT, _ORDERING, _MSG_ID = "format", "ordering", "msg_id"
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

    def fetch_next(cursor: str | None) -> Page:
        return selectors.message_page(filters=filters, ordering=ordering, page_size=PAGE_SIZE, cursor=cursor)

    return listed_rows(fetch_next, things="messages", most=most)


@require_http_methods(["GET", "POST"])
@requires_permission(roles.CAN_VIEW_MESSAGES)
@checks_parameters
def export_messages(request: HttpRequest) -> StreamingHttpResponse:
    """Stream the list of the address, or the selected messages of a POST."""
    params = request.POST if request.method == "POST" else request.GET
    kind = params.get(_FORMAT, "csv")
    if kind not in FORMATS:
        names = " or ".join(FORMATS)
        raise bad_field(_FORMAT, "invalid_value", f"{_FORMAT} must be {names}, not {quote_value(kind)}.")
    if request.method == "POST":
        msg_ids = parse_ids(_MSG_ID, params.getlist(_MSG_ID), most=MAX_SELECTED)
        rows: Iterator[object] = iter(selectors.chosen_messages(msg_ids))
        details: dict[str, object] = {"msg_ids": msg_ids}
    else:
        filters = read_list_filters(params, request)
        ordering = read_list_ordering(params, filters)
        rows = filtered_rows(filters, ordering=ordering)
        details = {"filter": filters.as_query(), "ordering": ordering}
    audit.record_entry(actor=actor_of(request), action="export_messages", details={"format": kind, **details})
    return file_of(rows, EXPORT_COLUMNS, name="messages", kind=kind)


def read_list_filters(params: QueryDict, request: HttpRequest) -> MessageFilter:
    """Return the filter of a part's address, which has further parameters."""
    params = params.copy()
    params.pop(_FORMAT, None)
    now = address.moment_of(params)
    return list_address.read_filter(list_address.tidy_params(params, now=now), user=request.user, now=now)


def read_list_ordering(params: QueryDict, filters: MessageFilter) -> str:
    return params.get(_ORDERING) or natural_order(filters)
