"""What an attempt at one message would change, before anybody asks for it."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.gate import requires
from messages_app.message_store import services
from messages_app.message_store.pages import frame
from messages_app.message_store.pages.message import found
from messages_app.message_store.pages.words import badge_of
from messages_app.message_store.services import Effect

_MOST_RECORDS = 200
# In the order in which they are told, each with its colour.
_TONES = {Effect.NEW: "OK", Effect.CHANGED: "POSTPONED", Effect.UNCHANGED: "CANCEL"}


@require_safe
@requires(roles.CAN_REPROCESS)
def rehearsal(request: HttpRequest, identifier: str) -> HttpResponse:
    """Rehearse: nothing is written, so that it may be asked for by a link."""
    message = found(identifier)
    told = services.rehearse(message.line.message_identifier)
    context = {
        "line": message.line,
        "told": told,
        "badge": badge_of(told.status),
        "counts": [(effect, tone, told.count(effect)) for effect, tone in _TONES.items()],
        "records": [(change, _TONES[change.effect]) for change in told.records[:_MOST_RECORDS]],
        "more": max(len(told.records) - _MOST_RECORDS, 0),
    }
    return frame.page(request, "rehearsal", context, section="store-messages")
