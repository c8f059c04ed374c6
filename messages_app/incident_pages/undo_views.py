"""The *Undo* of a decision about an incident, in the notice that follows the decision."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.decorators import check_right
from messages_app.core.undo import Undo, make_undo, read_undone, report_undone
from messages_app.incident_pages.views import VIEWS
from messages_app.incidents import services, undoing
from messages_app.incidents.models import SUBJECT_KIND, Incident


@dataclass(frozen=True, kw_only=True)
class Undoable:
    """
    A decision that can be undone.

    Args:
        note_change: returns what the decision has changed, from the incident before and after it.
        reverse: the service, which takes these values.
        right: the permission for the decision, which undoing it needs too.
    """

    note_change: Callable[[Incident, Incident], Mapping[str, object]]
    reverse: Callable[..., Incident]
    right: str


UNDOABLE: Mapping[str, Undoable] = {
    "assign": Undoable(
        note_change=lambda before, after: {"owner": after.owner, "former": before.owner},
        reverse=undoing.undo_assignment,
        right=roles.CAN_HANDLE_INCIDENTS,
    ),
    "acknowledge": Undoable(
        note_change=lambda _, after: {"moment": after.acknowledged_at},
        reverse=undoing.undo_acknowledgement,
        right=roles.CAN_HANDLE_INCIDENTS,
    ),
    "close": Undoable(
        note_change=lambda _, after: {"moment": after.closed_at},
        reverse=undoing.undo_closing,
        right=roles.CAN_CHANGE_INCIDENTS,
    ),
    "reopen": Undoable(
        note_change=lambda before, after: {
            "closed_at": before.closed_at,
            "closed_by": before.closed_by,
            "failures": after.failures,
        },
        reverse=undoing.undo_reopening,
        right=roles.CAN_CHANGE_INCIDENTS,
    ),
}


def undo_of(request: HttpRequest, how: str, before: Incident, after: Incident) -> Undo | None:
    """Return the form that undoes a decision; None if it cannot be undone."""
    if how not in UNDOABLE:
        return None
    address = reverse(f"incident-undo-{how}", args=[before.pk])
    return make_undo(request, address, **UNDOABLE[how].note_change(before, after))


@VIEWS.takes_form
def undo_decision(request: HttpRequest, incident_id: int, how: str) -> HttpResponse:
    """Undo a decision, unless the incident has changed since then, and show its page."""
    decision = UNDOABLE[how]
    check_right(request, decision.right, action=f"undo_{how}", subject_kind=SUBJECT_KIND, subject=incident_id)
    values, is_undone = read_undone(request), True
    try:
        decision.reverse(incident_id=incident_id, actor=actor_of(request), **values)
    except services.IncidentNotFound as error:
        raise Http404(str(error)) from error
    except services.IncidentConflict:
        is_undone = False
    report_undone(request, "the incident", is_undone=is_undone)
    return redirect("incident", incident_id)
