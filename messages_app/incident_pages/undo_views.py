"""The *Undo* of a decision about an incident, in the notice that follows the decision."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.contrib import messages as notices
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.dateparse import parse_datetime

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.decorators import check_right
from messages_app.audit.services import Actor
from messages_app.core.parameters import single_values
from messages_app.core.problems import bad_field
from messages_app.core.undo import Undo
from messages_app.incident_pages.views import VIEWS
from messages_app.incidents import services, undoing
from messages_app.incidents.models import SUBJECT_KIND, Incident


@dataclass(frozen=True, kw_only=True)
class UndoForm:
    """
    The hidden fields that say what a person has changed.

    Args:
        right: the permission for the decision, which undoing it needs too.
    """

    fields: tuple[str, ...]
    right: str = roles.CAN_HANDLE_INCIDENTS


UNDOABLE: Mapping[str, UndoForm] = {
    "assign": UndoForm(fields=("owner", "former")),
    "acknowledge": UndoForm(fields=("moment",)),
    "close": UndoForm(fields=("moment",), right=roles.CAN_CHANGE_INCIDENTS),
}


def undo_of(how: str, before: Incident, after: Incident) -> Undo | None:
    """Return the form that undoes a decision; None if it cannot be undone."""
    if how not in UNDOABLE:
        return None
    times = {"acknowledge": after.acknowledged_at, "close": after.closed_at}
    moment = times.get(how)
    fields = {"moment": moment.isoformat()} if moment else {"owner": after.owner, "former": before.owner}
    # Empty: no one.
    fields = {name: value for name, value in fields.items() if value}
    return Undo(address=reverse(f"incident-undo-{how}", args=[before.pk]), fields=fields)


@VIEWS.takes_form
def undo_decision(request: HttpRequest, incident_id: int, how: str) -> HttpResponse:
    """Undo a decision, unless the incident has changed since then, and show its page."""
    form = UNDOABLE[how]
    check_right(request, form.right, action=f"undo_{how}", subject_kind=SUBJECT_KIND, subject=incident_id)
    values = single_values(request.POST, (*form.fields, "csrfmiddlewaretoken"))
    try:
        _reverse_decision(how, incident_id, values, actor_of(request))
    except services.IncidentNotFound as error:
        raise Http404(str(error)) from error
    except services.IncidentConflict:
        notices.warning(request, "Not undone: the incident has changed since then.")
    else:
        notices.success(request, "Undone.")
    return redirect("incident", incident_id)


def _reverse_decision(how: str, incident_id: int, values: Mapping[str, str], actor: Actor) -> None:
    if how == "assign":
        owner, former = values.get("owner", ""), values.get("former", "")
        undoing.undo_assignment(incident_id=incident_id, owner=owner, former=former, actor=actor)
        return
    undo = undoing.undo_closing if how == "close" else undoing.undo_acknowledgement
    undo(incident_id=incident_id, moment=_read_time(values.get("moment", "")), actor=actor)


def _read_time(text: str) -> datetime:
    try:
        moment = parse_datetime(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise bad_field("moment", "invalid_value", "moment must be a time with its zone.")
    return moment
