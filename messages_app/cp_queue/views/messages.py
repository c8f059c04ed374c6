"""The page of one message, which may have left the queue, and the actions of operators on it."""

from collections.abc import Callable, Iterator

from django import forms
from django.contrib import messages as notices
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from messages_app.access.actors import actor_of
from messages_app.access.decorators import check_right, requires_permission
from messages_app.audit.selectors import entries_about
from messages_app.audit.services import Actor
from messages_app.core.clock import database_clock
from messages_app.core.id_search import Hit, Kind
from messages_app.core.reason_form import ReasonForm, reason_field
from messages_app.cp_queue import registration
from messages_app.cp_queue.errors import InvalidParameter, MessageConflict, MessageNotFound
from messages_app.cp_queue.guids import known_guid, spellings_of_guid
from messages_app.cp_queue.parameters import is_queue_name
from messages_app.cp_queue.selectors.messages import Described
from messages_app.cp_queue.selectors.pickup_forecast import (
    dispatches_of,
    find_message,
    forecast_message,
    reasons_for,
)
from messages_app.cp_queue.services import operators as operators_services
from messages_app.cp_queue.services import reset as reset_services
from messages_app.cp_queue.services.dispatch import dispatch_for_service
from messages_app.cp_queue.states import MAX_REASON, QUEUES, SUB_TYPES, Outcome, Released, State
from messages_app.cp_queue.views import PAGES

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


class DispatchForm(forms.Form):
    """A dispatch for a service that is dead."""

    service = forms.CharField(max_length=2_000, strip=False, widget=forms.HiddenInput)
    said = forms.CharField(
        max_length=MAX_REASON,
        label="Dispatch reason",
        help_text="OK removes it as done, RETRY releases it for later, any other text removes it as failed.",
        error_messages={"required": "Enter OK, RETRY or an error text."},
        widget=forms.TextInput(attrs={"list": "said", "autocomplete": "off", "spellcheck": "false"}),
    )
    reason = reason_field()


@require_safe
@requires_permission(registration.CAN_VIEW_CP_QUEUE)
def message_page(request: HttpRequest, guid: str) -> HttpResponse:
    return _render_message(request, _find_guid(guid))


@require_POST
@requires_permission(registration.CAN_VIEW_CP_QUEUE)
def reset_message(request: HttpRequest, guid: str) -> HttpResponse:
    def act(form: forms.Form, actor: Actor) -> str:
        values = form.cleaned_data
        found = reset_services.reset_message(
            guid=guid, service=values["service"] or None, actor=actor, reason=values["reason"]
        )
        if found is Released.RELEASED:
            return "Message reset. Any service can pick it up."
        raise MessageConflict("not_reserved", "The service no longer holds it.", current_state=State.FREE)

    return _act_on_message(request, guid, "reset", ServiceForm, act)


@require_POST
@requires_permission(registration.CAN_VIEW_CP_QUEUE)
def dispatch_message(request: HttpRequest, guid: str) -> HttpResponse:
    def act(form: forms.Form, actor: Actor) -> str:
        values = form.cleaned_data
        asked = {"service": values["service"], "reason": values["said"], "why": values["reason"]}
        return _DISPATCHED[dispatch_for_service(guid=guid, actor=actor, **asked).outcome]

    return _act_on_message(request, guid, "dispatch", DispatchForm, act)


@require_POST
@requires_permission(registration.CAN_VIEW_CP_QUEUE)
def delete_message(request: HttpRequest, guid: str) -> HttpResponse:
    def act(form: forms.Form, actor: Actor) -> str:
        operators_services.delete_message(guid=guid, actor=actor, reason=form.cleaned_data["reason"])
        return "Message deleted. Its object is not processed for it."

    return _act_on_message(request, guid, "delete", ReasonForm, act)


@require_POST
@requires_permission(registration.CAN_VIEW_CP_QUEUE)
def send_on(request: HttpRequest, guid: str) -> HttpResponse:
    def act(form: forms.Form, actor: Actor) -> str:
        operators_services.send_on(guid=guid, actor=actor, reason=form.cleaned_data["reason"])
        return "Message sent on. It is free, and its attempts are reset."

    return _act_on_message(request, guid, "send_on", ReasonForm, act)


def _act_on_message(
    request: HttpRequest,
    guid: str,
    name: str,
    form_class: type[forms.Form],
    act: Callable[[forms.Form, Actor], str],
) -> HttpResponse:
    """Do one action; show a refusal on the current page of the message."""
    guid = _find_guid(guid)
    check_right(
        request,
        registration.CAN_STEER_CP_QUEUE,
        action=f"{name}_cp_message",
        subject_kind=SUBJECT,
        subject=guid,
    )
    form = form_class(request.POST, auto_id=f"{name}_%s")
    if not form.is_valid():
        return _render_message(request, guid, status=400, **{f"{name}_form": form})
    try:
        notices.success(request, act(form, actor_of(request)))
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
        "reset_form": ServiceForm(initial=held_by, auto_id="reset_%s"),
        "dispatch_form": DispatchForm(initial=held_by, auto_id="dispatch_%s"),
        "delete_form": ReasonForm(auto_id="delete_%s"),
        "send_on_form": ReasonForm(auto_id="send_on_%s"),
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
    if found := message or gone:
        about = f"{found.queuename} · object {found.osid}" + (" · no longer in the queue" if gone else "")
        hit = Hit(url=reverse("cp-message", args=[guid]), name=guid, about=about)
        yield Kind(title="CP message", hits=[hit])
