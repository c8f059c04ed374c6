"""The page of one message, also of one that is gone; and what operators do to it."""

from collections.abc import Callable

from django import forms
from django.contrib import messages as notices
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.gate import requires
from messages_app.audit.queries import entries_about
from messages_app.audit.services import Actor
from messages_app.cp_queue import queries, services
from messages_app.cp_queue.pages import frame
from messages_app.cp_queue.spellings import known_guid, spellings
from messages_app.cp_queue.states import MAX_REASON, QUEUES, SUB_TYPES, Outcome, Released, State
from messages_app.web.clock import database_clock
from messages_app.web.reasons import ReasonForm, reason_field

SUBJECT = "cp_message"
_SECTION = "cp-messages"
_DISPATCHED = {
    Outcome.DONE: "Dispatched: done, and removed.",
    Outcome.FAILED: "Dispatched: failed, and removed.",
    Outcome.DEFERRED: "Dispatched for a retry: it is handed out again later.",
    Outcome.PARKED: "Dispatched for a retry, but its attempts are used up: it is parked.",
}


class ServiceForm(ReasonForm):
    """A reset of one message: who held it when the page was made."""

    service = forms.CharField(max_length=2_000, strip=False, widget=forms.HiddenInput)


class DispatchForm(forms.Form):
    """A dispatch for a service that is dead."""

    service = forms.CharField(max_length=2_000, strip=False, widget=forms.HiddenInput)
    said = forms.CharField(
        max_length=MAX_REASON,
        label="Reason of the dispatch",
        help_text="OK removes it as done; RETRY frees it for later; anything else removes it as failed.",
        error_messages={"required": "Say what the service would have said: OK, RETRY, or what went wrong."},
        widget=forms.TextInput(attrs={"list": "said", "autocomplete": "off", "spellcheck": "false"}),
    )
    reason = reason_field()


@require_safe
@requires(roles.CAN_VIEW_CP_QUEUE)
def message_page(request: HttpRequest, guid: str) -> HttpResponse:
    return _page(request, _guid(guid))


@require_POST
@requires(roles.CAN_VIEW_CP_QUEUE)
def reset(request: HttpRequest, guid: str) -> HttpResponse:
    def act(form: forms.Form, actor: Actor) -> str:
        values = form.cleaned_data
        found = services.reset(
            guid=guid, service=values["service"] or None, actor=actor, reason=values["reason"]
        )
        if found is Released.RELEASED:
            return "Reset: it is free for any service."
        raise services.MessageConflict(
            "not_reserved", "That service does not hold it any more.", current_state=State.FREE
        )

    return _act(request, guid, "reset", ServiceForm, act)


@require_POST
@requires(roles.CAN_VIEW_CP_QUEUE)
def dispatch(request: HttpRequest, guid: str) -> HttpResponse:
    def act(form: forms.Form, actor: Actor) -> str:
        values = form.cleaned_data
        asked = {"service": values["service"], "reason": values["said"], "why": values["reason"]}
        return _DISPATCHED[services.dispatch_for_service(guid=guid, actor=actor, **asked).outcome]

    return _act(request, guid, "dispatch", DispatchForm, act)


@require_POST
@requires(roles.CAN_VIEW_CP_QUEUE)
def delete(request: HttpRequest, guid: str) -> HttpResponse:
    def act(form: forms.Form, actor: Actor) -> str:
        services.delete(guid=guid, actor=actor, reason=form.cleaned_data["reason"])
        return "Deleted: its object is not processed for it."

    return _act(request, guid, "delete", ReasonForm, act)


@require_POST
@requires(roles.CAN_VIEW_CP_QUEUE)
def send_on(request: HttpRequest, guid: str) -> HttpResponse:
    def act(form: forms.Form, actor: Actor) -> str:
        services.send_on(guid=guid, actor=actor, reason=form.cleaned_data["reason"])
        return "Sent on: it is free, with all its attempts before it."

    return _act(request, guid, "send_on", ReasonForm, act)


def _act(
    request: HttpRequest,
    guid: str,
    name: str,
    form_class: type[forms.Form],
    act: Callable[[forms.Form, Actor], str],
) -> HttpResponse:
    """Do one action; what is refused is said on the message's page, as it is by then."""
    guid = _guid(guid)
    frame.check_right(request, f"{name}_cp_message", subject_kind=SUBJECT, subject=guid)
    form = form_class(request.POST, auto_id=f"{name}_%s")
    if not form.is_valid():
        return _page(request, guid, status=400, **{f"{name}_form": form})
    try:
        notices.success(request, act(form, actor_of(request)))
    except services.InvalidParameter as error:
        return _page(request, guid, status=400, refusal=str(error))
    except (services.MessageNotFound, services.MessageConflict) as refusal:
        return _page(request, guid, status=409, refusal=str(refusal))
    return redirect("cp-message", guid)


def _guid(text: str) -> str:
    """Return the GUID of an address as the queue, its log or the audit has it. Raises Http404."""
    try:
        guid = known_guid(text)
    except services.InvalidParameter as error:
        raise Http404(str(error)) from error
    possible = spellings(text)
    return guid or next((one for one in possible if entries_about(SUBJECT, one, most=1)), possible[0])


def _page(request: HttpRequest, guid: str, status: int = 200, **more: object) -> HttpResponse:
    message = queries.find_message(guid)
    outlook = message and queries.outlook(guid)
    log = queries.dispatches_of(guid)
    actions = entries_about(SUBJECT, guid)
    if message is None and not log and not actions and status == 200:
        raise Http404("No message has this GUID, and the log knows none: it was collapsed, or never was.")
    context = {
        "guid": guid,
        "message": message,
        "about": message and QUEUES.get(message.queuename),
        "outlook": outlook,
        "why": queries.reasons_for(message, outlook, now=database_clock()) if message and outlook else [],
        "type_parts": message and divmod(message.ostype, SUB_TYPES),
        "log": log,
        "actions": actions,
        **_forms(message),
    }
    return frame.page(request, "message", {**context, **more}, section=_SECTION, status=status)


def _forms(message: queries.Described | None) -> dict[str, forms.Form]:
    held_by = {"service": message.lock_service if message else ""}
    return {
        "reset_form": ServiceForm(initial=held_by, auto_id="reset_%s"),
        "dispatch_form": DispatchForm(initial=held_by, auto_id="dispatch_%s"),
        "delete_form": ReasonForm(auto_id="delete_%s"),
        "send_on_form": ReasonForm(auto_id="send_on_%s"),
    }
