"""Cancel and restart of one message: a page that says what will happen, and the act. Needs no scripts."""

from dataclasses import dataclass

from django import forms
from django.contrib import messages as notices
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.gate import refuse, requires
from messages_app.messages import queries, services
from messages_app.messages.acting.cancelling import cancel_effects
from messages_app.messages.acting.following import followed
from messages_app.messages.acting.offers import may_act, why_not
from messages_app.messages.acting.preview import restart_preview
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.listing.neighbours import list_query
from messages_app.messages.models import ArchiveMessage
from messages_app.messages.states import MessageAction
from messages_app.web.clock import database_clock
from messages_app.web.reasons import ReasonForm


class ActionForm(ReasonForm):
    """The reason, and the state that its writer saw."""

    expected_state = forms.CharField(max_length=20, widget=forms.HiddenInput, required=False)
    total = forms.BooleanField(required=False, widget=forms.HiddenInput)
    # The list that the message was opened from, to stay in it.
    list_query = forms.CharField(max_length=4000, widget=forms.HiddenInput, required=False)


@dataclass(frozen=True)
class Words:
    """What the pages call an action: on its button, as the page's title, once it is done."""

    button: str
    title: str
    done: str


_CANCEL = Words("Cancel the message", "Cancel message", "Cancelled.")
_RESTART = Words("Restart", "Restart message", "Restarted.")
_TOTAL = Words(
    "Restart from scratch",
    "Restart from scratch: message",
    "Restarted from scratch.",
)


@require_http_methods(["GET", "HEAD", "POST"])
@requires(roles.CAN_VIEW_MESSAGES)
def message_action(request: HttpRequest, msg_id: int, action: MessageAction) -> HttpResponse:
    if not may_act(request.user, action):
        refuse(request, action=action, msg_id=msg_id)
    message = _message_or_404(msg_id)
    if request.method == "POST":
        form = ActionForm(request.POST)
        if form.is_valid():
            return _act(request, message, action, form)
        return _confirm_page(request, message, action, form, status=400)
    total = request.GET.get("total") == "true"
    query = list_query(request.GET)
    form = ActionForm(initial={"expected_state": message.state, "total": total, "list_query": query})
    return _confirm_page(request, message, action, form)


@require_safe
@requires(roles.CAN_VIEW_MESSAGES)
def followed_part(request: HttpRequest, msg_id: int) -> HttpResponse:
    """Show what became of the last action, for the message's page to show again and again."""
    message = _message_or_404(msg_id)
    context = {"message": message, "followed": followed(message, at=database_clock())}
    return render(request, "messages_app/messages/_followed.html", context)


def _message_or_404(msg_id: int) -> MessageColumns:
    try:
        return queries.get_message(msg_id)[0]
    except services.MessageNotFound as error:
        raise Http404(queries.none_found(msg_id)) from error


def _confirm_page(
    request: HttpRequest, message: MessageColumns, action: MessageAction, form: ActionForm, status: int = 200
) -> HttpResponse:
    reason_against = why_not(action, message.state, isinstance(message, ArchiveMessage))
    if reason_against:
        return _refused_page(request, message, action, reason_against)
    total = form["total"].value() in {True, "True", "true", "on"}
    context = {
        "message": message,
        "form": form,
        "action": action,
        "words": _words(action, total),
        "total": total,
        "list_query": form["list_query"].value() or "",
    }
    if action == MessageAction.CANCEL:
        context["effects"] = cancel_effects(message)
    else:
        context["preview"] = restart_preview(message, total=total, at=database_clock())
        context["effects"] = context["preview"].effects
    return render(request, "messages_app/messages/confirm.html", context, status=status)


def _words(action: MessageAction, total: bool) -> Words:
    if action == MessageAction.CANCEL:
        return _CANCEL
    return _TOTAL if total else _RESTART


def _act(
    request: HttpRequest, message: MessageColumns, action: MessageAction, form: ActionForm
) -> HttpResponse:
    msg_id, total = message.pk, form.cleaned_data["total"]
    asked = {
        "msg_id": msg_id,
        "actor": actor_of(request),
        "reason": form.cleaned_data["reason"],
        "expected_state": form.cleaned_data["expected_state"] or None,
    }
    try:
        if action == MessageAction.CANCEL:
            services.cancel_message(**asked)
        else:
            services.restart_message(**asked, total=total)
    except services.MessageNotFound as error:
        raise Http404(queries.none_found(msg_id)) from error
    except services.ActionRefused as refusal:
        return _refused_page(request, _message_or_404(msg_id), action, str(refusal))
    notices.success(request, _words(action, total).done)
    query = QueryDict(form.cleaned_data["list_query"].removeprefix("?"))
    return redirect(reverse("message-detail", args=[msg_id]) + list_query(query))


def _refused_page(
    request: HttpRequest, message: MessageColumns, action: MessageAction, why: str
) -> HttpResponse:
    context = {"message": message, "action": action, "why": why}
    return render(request, "messages_app/messages/refused.html", context, status=409)
