"""The page that previews and performs the cancel or restart of one message. It works without scripts."""

from collections.abc import Callable

from django import forms
from django.contrib import messages as notices
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.decorators import refuse_request, requires_permission
from messages_app.core.clock import database_clock
from messages_app.core.page_parameters import takes_parameters
from messages_app.core.parameters import parse_flag
from messages_app.core.reason_form import ReasonForm
from messages_app.messages import selectors, services
from messages_app.messages.actions.effects import Effect, EffectCode
from messages_app.messages.actions.family import children_of_cancelled, parent_of_cancelled
from messages_app.messages.actions.order import funnel_of_cancelled, order_of_cancelled
from messages_app.messages.actions.preview import restart_preview
from messages_app.messages.available_actions import may_act, spec_of, why_not
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.hub_times import format_day_and_time
from messages_app.messages.listing.neighbours import LIST_PARAMETERS, list_query
from messages_app.messages.models import ArchiveMessage
from messages_app.messages.pages import PAGES, no_message, read_or_404
from messages_app.shared.message_states import HUB_OWNED_STATES, MessageAction


def cancel_effects(message: MessageColumns) -> list[Effect]:
    """
    Return the effects of a cancel of a live message: whether it is final, then the others, warnings first.

    Source: docs/contributing/spec/cleverbus.md, "Restart and cancel" (points 7 to 10).
    """
    others = (
        parent_of_cancelled(message),
        children_of_cancelled(message),
        order_of_cancelled(message),
        funnel_of_cancelled(message),
        _archive_effect(message),
        Effect(code=EffectCode.NOT_TAKEN_BACK, text="Work that is already done is not undone."),
        Effect(code=EffectCode.NOT_CONFIRMED, text="The source system gets no confirmation."),
    )
    effects = [each for each in others if each]
    return [_finality_effect(message), *sorted(effects, key=lambda each: not each.is_warning)]


def _finality_effect(message: MessageColumns) -> Effect:
    if message.state in HUB_OWNED_STATES:
        text = (
            f"It is {message.state}, so this is only a request: the hub does not read the row again, and "
            "may overwrite the cancel when it finishes."
        )
        return Effect(code=EffectCode.CANCEL_REQUESTED, text=text, is_warning=True)
    return Effect(code=EffectCode.CANCEL_FIRM, text="Cancelling is final: the hub will not retry it.")


def _archive_effect(message: MessageColumns) -> Effect:
    last = message.last_process_timestamp or message.receive_timestamp
    text = f"The archive counts its age from {format_day_and_time(last)}, not from the cancel."
    return Effect(code=EffectCode.ARCHIVE_BY_AGE, text=text)


class ActionForm(ReasonForm):
    """The reason, and the state that the user saw."""

    expected_state = forms.CharField(max_length=20, widget=forms.HiddenInput, required=False)
    total = forms.BooleanField(required=False, widget=forms.HiddenInput)
    # The list from which the message was opened; the next page returns to it.
    list_query = forms.CharField(max_length=4000, widget=forms.HiddenInput, required=False)

    def ask_about_resent(self, resent_as: int) -> None:
        """Require a tick before a message that was corrected and resent is restarted."""
        self.fields["also_resent"] = forms.BooleanField(
            label=f"Restart it although message {resent_as} was sent instead",
            error_messages={"required": "Tick this if the hub is to process both."},
        )


def _preview_cancel(message: MessageColumns, total: bool) -> dict[str, object]:
    return {"effects": cancel_effects(message)}


def _preview_restart(message: MessageColumns, total: bool) -> dict[str, object]:
    preview = restart_preview(message, total=total, at=database_clock())
    return {"preview": preview, "effects": preview.effects}


# The previews on the confirmation page, by action.
_PREVIEWS: dict[MessageAction, Callable[[MessageColumns, bool], dict[str, object]]] = {
    MessageAction.CANCEL: _preview_cancel,
    MessageAction.RESTART: _preview_restart,
}


@require_http_methods(["GET", "HEAD", "POST"])
@requires_permission(roles.CAN_VIEW_MESSAGES)
@takes_parameters(*LIST_PARAMETERS, "total")
def message_action(request: HttpRequest, msg_id: int, action: MessageAction) -> HttpResponse:
    if not may_act(request.user, action):
        refuse_request(request, action=action, msg_id=msg_id)
    message = _get_message(msg_id)
    if request.method == "POST":
        form = _ask_for_word(ActionForm(request.POST), message, action)
        if form.is_valid():
            return _act_on_message(request, message, action, form)
        return _show_confirmation(request, message, action, form, status=400)
    total = parse_flag("total", request.GET.get("total"))
    query = list_query(request.GET)
    initial = {"expected_state": message.state, "total": total, "list_query": query}
    return _show_confirmation(
        request, message, action, _ask_for_word(ActionForm(initial=initial), message, action)
    )


def _ask_for_word(form: ActionForm, message: MessageColumns, action: MessageAction) -> ActionForm:
    """Let the form ask about a message that the action leaves out unless a user confirms it."""
    resent_as = selectors.resend_links(message.msg_id).resent_as if spec_of(action).act_on_resent else None
    if resent_as is not None:
        form.ask_about_resent(resent_as)
    return form


def _get_message(msg_id: int) -> MessageColumns:
    message, _ = read_or_404(selectors.get_message, msg_id)
    return message


def _show_confirmation(
    request: HttpRequest, message: MessageColumns, action: MessageAction, form: ActionForm, status: int = 200
) -> HttpResponse:
    reason_against = why_not(action, message.state, isinstance(message, ArchiveMessage))
    if reason_against:
        return _show_refusal(request, message, action, reason_against)
    total = form["total"].value() in {True, "True", "true", "on"}
    context = {
        "message": message,
        "form": form,
        "spec": spec_of(action, total=total),
        "list_query": form["list_query"].value() or "",
        **_PREVIEWS[action](message, total),
    }
    return PAGES.render_page(request, "confirm", context, status=status)


def _act_on_message(
    request: HttpRequest, message: MessageColumns, action: MessageAction, form: ActionForm
) -> HttpResponse:
    msg_id, spec = message.pk, spec_of(action, total=form.cleaned_data["total"])
    is_confirmed = form.cleaned_data.get("also_resent", False)
    act = spec.act_on_resent if is_confirmed and spec.act_on_resent else spec.act
    try:
        act(
            msg_id=msg_id,
            actor=actor_of(request),
            reason=form.cleaned_data["reason"],
            expected_state=form.cleaned_data["expected_state"] or None,
        )
    except services.MessageNotFound as error:
        raise no_message(msg_id) from error
    except services.ActionRefused as refusal:
        return _show_refusal(request, _get_message(msg_id), action, str(refusal))
    notices.success(request, spec.done)
    query = QueryDict(form.cleaned_data["list_query"].removeprefix("?"))
    return redirect(reverse("message-detail", args=[msg_id]) + list_query(query))


def _show_refusal(
    request: HttpRequest, message: MessageColumns, action: MessageAction, why: str
) -> HttpResponse:
    context = {"message": message, "spec": spec_of(action), "why": why}
    return PAGES.render_page(request, "refused", context, status=409)
