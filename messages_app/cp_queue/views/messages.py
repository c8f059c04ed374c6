"""The page of one message, which may have left the queue, and the actions of operators on it."""

from collections.abc import Callable, Iterator, Mapping

from django import forms
from django.contrib import messages as notices
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from messages_app.access.actors import actor_of
from messages_app.access.decorators import check_right
from messages_app.audit.selectors import entries_about
from messages_app.audit.services import Actor
from messages_app.core.clock import database_clock
from messages_app.core.reason_form import ReasonForm, reason_field
from messages_app.core.search_results import Hit, Kind
from messages_app.cp_queue import registration
from messages_app.cp_queue.errors import MessageConflict, MessageNotFound
from messages_app.cp_queue.guids import known_guid, spellings_of_guid
from messages_app.cp_queue.parameters import InvalidParameter, is_queue_name
from messages_app.cp_queue.selectors.messages import Described
from messages_app.cp_queue.selectors.pickup_forecast import (
    dispatches_of,
    find_message,
    forecast_message,
    reasons_for,
)
from messages_app.cp_queue.services import operators, reset
from messages_app.cp_queue.states import MAX_REASON, QUEUES, SUB_TYPES, Outcome, Released, State
from messages_app.cp_queue.views import PAGES, VIEWS

SUBJECT = "cp_message"
_SECTION = "cp-messages"
_DISPATCHED = {
    Outcome.DONE: "Message dispatched as done and removed.",
    Outcome.FAILED: "Message dispatched as failed and removed.",
    Outcome.DEFERRED: "Message dispatched for a retry. It becomes available again later.",
    Outcome.PARKED: "Message dispatched for a retry, but it has no attempts left and is parked.",
}


class ServiceForm(ReasonForm):
    """A reset of one message, with its holder when the page was made."""

    service = forms.CharField(max_length=2_000, strip=False, widget=forms.HiddenInput)


class DispatchForm(ServiceForm):
    """A dispatch for a service that is dead."""

    result = forms.CharField(
        max_length=MAX_REASON,
        label="Dispatch reason",
        help_text="OK: done and removed. RETRY: released for later. Any other text: failed and removed.",
        error_messages={"required": "Enter OK, RETRY or an error text."},
        widget=forms.TextInput(attrs={"list": "results", "autocomplete": "off", "spellcheck": "false"}),
    )
    reason = reason_field()


@VIEWS.shows_page
def message_page(request: HttpRequest, guid: str) -> HttpResponse:
    return _render_message(request, _find_guid(guid))


def _reset_message(*, guid: str, service: str, actor: Actor, reason: str) -> str:
    released = reset.reset_message(guid=guid, service=service or None, actor=actor, reason=reason)
    if released is Released.RELEASED:
        return "Message reset. Any service can pick it up."
    raise MessageConflict("not_reserved", "The service no longer holds it.", current_state=State.FREE)


def _dispatch_message(*, guid: str, service: str, result: str, actor: Actor, reason: str) -> str:
    dispatched = operators.dispatch_for_service(
        guid=guid, service=service, reason=result, actor=actor, why=reason
    )
    return _DISPATCHED[dispatched.outcome]


def _delete_message(*, guid: str, actor: Actor, reason: str) -> str:
    operators.delete_message(guid=guid, actor=actor, reason=reason)
    return "Message deleted. Its object is not processed for it."


def _send_message_on(*, guid: str, actor: Actor, reason: str) -> str:
    operators.send_on(guid=guid, actor=actor, reason=reason)
    return "Message sent on. It is free, and its attempts are reset."


# The form of each action, and the function that does it and returns a notice.
ACTIONS: Mapping[str, tuple[type[forms.Form], Callable[..., str]]] = {
    "reset": (ServiceForm, _reset_message),
    "dispatch": (DispatchForm, _dispatch_message),
    "delete": (ReasonForm, _delete_message),
    "send_on": (ReasonForm, _send_message_on),
}


@VIEWS.takes_form
def act_on_message(request: HttpRequest, guid: str, action: str) -> HttpResponse:
    """Do one of ACTIONS; show a refusal on the current page of the message."""
    guid = _find_guid(guid)
    check_right(
        request,
        registration.CAN_STEER_CP_QUEUE,
        action=f"{action}_cp_message",
        subject_kind=SUBJECT,
        subject=guid,
    )
    form_class, act = ACTIONS[action]
    form = form_class(request.POST, auto_id=f"{action}_%s")
    if not form.is_valid():
        return _render_message(request, guid, status=400, **{f"{action}_form": form})
    try:
        notices.success(request, act(guid=guid, actor=actor_of(request), **form.cleaned_data))
    except InvalidParameter as error:
        return _render_message(request, guid, status=400, refusal=str(error))
    except (MessageNotFound, MessageConflict) as refusal:
        return _render_message(request, guid, status=409, refusal=str(refusal))
    return redirect("cp-message", guid)


def _find_guid(text: str) -> str:
    """Return the GUID of an address as the queue, its log or the audit has it. Raises Http404."""
    try:
        guid = known_guid(text)
    except InvalidParameter as error:
        raise Http404(str(error)) from error
    possible = spellings_of_guid(text)
    return guid or next((one for one in possible if entries_about(SUBJECT, one, most=1)), possible[0])


def _render_message(request: HttpRequest, guid: str, status: int = 200, **more: object) -> HttpResponse:
    message = find_message(guid)
    outlook = message and forecast_message(guid)
    log = dispatches_of(guid)
    actions = entries_about(SUBJECT, guid)
    if message is None and not log and not actions and status == 200:
        raise Http404(
            "There is no message with this GUID, neither in the queue nor in the log. It may have been "
            "coalesced into a newer message."
        )
    context = {
        "guid": guid,
        "message": message,
        "about": message and QUEUES.get(message.queuename),
        "may_be_created": message is not None and is_queue_name(message.queuename),
        "outlook": outlook,
        "why": reasons_for(message, outlook, now=database_clock()) if message and outlook else [],
        "type_parts": message and divmod(message.ostype, SUB_TYPES),
        "log": log,
        "actions": actions,
        **_make_forms(message),
    }
    return PAGES.render_page(request, "message", {**context, **more}, section=_SECTION, status=status)


def _make_forms(message: Described | None) -> dict[str, forms.Form]:
    held_by = {"service": message.lock_service if message else ""}
    return {
        f"{action}_form": form(initial=held_by, auto_id=f"{action}_%s")
        for action, (form, _) in ACTIONS.items()
    }


def look_up(text: str) -> Iterator[Kind]:
    """Yield the message whose GUID the text is, in upper or lower case; else its last dispatch."""
    try:
        guid = known_guid(text)
    except InvalidParameter:
        return
    if guid is None:
        return
    message = find_message(guid)
    gone = None if message else next(iter(dispatches_of(guid)), None)
    if row := message or gone:
        about = f"{row.queuename} · object {row.osid}" + (" · no longer in the queue" if gone else "")
        hit = Hit(url=reverse("cp-message", args=[guid]), name=guid, about=about)
        yield Kind(title="CP message", name="cp_message", hits=[hit])
