"""The list of messages as a file."""

from django.http import HttpRequest, StreamingHttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.gate import requires
from messages_app.audit import services as audit
from messages_app.message_store import queries
from messages_app.message_store.listing import exporting
from messages_app.web.filters import addresses
from messages_app.web.filters.table import read, words
from messages_app.web.lists.files import FORMATS, file_of
from messages_app.web.problems import bad_field, bad_input, shown

_FORMAT, _ORDERING = "format", "ordering"


@require_safe
@requires(roles.CAN_VIEW_STORE)
def export(request: HttpRequest) -> StreamingHttpResponse:
    """Stream the list of the address: `format` is csv (the default) or jsonl."""
    params = request.GET.copy()
    kind = (params.pop(_FORMAT, None) or ["csv"])[-1]
    if kind not in FORMATS:
        known = " or ".join(FORMATS)
        raise bad_field(_FORMAT, "invalid_value", f"{_FORMAT} must be {known}, not {shown(kind)}.")
    tidy = addresses.tidied(params, queries.MESSAGES, now=timezone.now())
    exact = addresses.exact(tidy, queries.MESSAGES, now=addresses.moment_of(tidy))
    values, errors = read(queries.MESSAGES, exact, besides=addresses.PARAMETERS)
    if errors:
        raise bad_input(errors)
    ordering = params.get(_ORDERING)
    rows = exporting.filtered_rows(values, ordering=ordering)
    details = {"format": kind, "filter": dict(words(queries.MESSAGES, values)), "ordering": ordering}
    audit.record(actor=actor_of(request), action="export_stored", details=details)
    return file_of(rows, exporting.COLUMNS, name="store-messages", kind=kind)
