"""Cancel and restart of one message: a page that says what will happen, and the act. Needs no scripts."""

from dataclasses import dataclass

from django import forms
from django.contrib import messages as notices
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.gate import refuse, requires
from messages_app.messages import services
from messages_app.messages.acting import effects
from messages_app.messages.inspecting.detail import MessageDetail
from messages_app.messages.inspecting.views import detail_or_404, may_act, offered_actions
from messages_app.messages.states import MessageAction

MAX_REASON = 1000


class ActionForm(forms.Form):
    """The reason, and the state that its writer saw."""

    reason = forms.CharField(
        max_length=MAX_REASON,
        widget=forms.Textarea(attrs={"rows": 3, "autofocus": True}),
        error_messages={
            "required": "Say why, for those who ask later.",
            "max_length": f"At most {MAX_REASON} characters.",
        },
    )
    expected_state = forms.CharField(max_length=20, widget=forms.HiddenInput, required=False)
    total = forms.BooleanField(required=False, widget=forms.HiddenInput)


@dataclass(frozen=True)
class _Words:
    """What the pages call an action: on its button, as the page's title, once it is done."""

    button: str
    title: str
    done: str


_CANCEL = _Words("Cancel the message", "Cancel message", "Cancelled. The hub will not try it again.")
_RESTART = _Words(
    "Restart", "Restart message", "Restarted. The hub takes it up again after 60 to 120 seconds."
)
_TOTAL = _Words(
    "Restart from scratch",
    "Restart from scratch: message",
    "Restarted from scratch. All its external calls will be made again.",
)


@require_http_methods(["GET", "HEAD", "POST"])
@requires(roles.CAN_VIEW_MESSAGES)
def message_action(request: HttpRequest, msg_id: int, action: MessageAction) -> HttpResponse:
    if not may_act(request, action):
        refuse(request, action=action, msg_id=msg_id)
    detail = detail_or_404(msg_id)
    if request.method == "POST":
        form = ActionForm(request.POST)
        if form.is_valid():
            return _act(request, detail, action, form)
        return _confirm_page(request, detail, action, form, status=400)
    total = request.GET.get("total") == "true"
    form = ActionForm(initial={"expected_state": detail.message.state, "total": total})
    return _confirm_page(request, detail, action, form)


def _confirm_page(
    request: HttpRequest, detail: MessageDetail, action: MessageAction, form: ActionForm, status: int = 200
) -> HttpResponse:
    if action not in offered_actions(request, detail):
        return _refused_page(request, detail, action, _why_not(detail, action))
    total = form["total"].value() in {True, "True", "true", "on"}
    context = {
        "detail": detail,
        "message": detail.message,
        "form": form,
        "action": action,
        "words": _words(action, total),
        "total": total,
        "effects": _effects(detail, action, total),
    }
    return render(request, "messages_app/messages/confirm.html", context, status=status)


def _words(action: MessageAction, total: bool) -> _Words:
    if action == MessageAction.CANCEL:
        return _CANCEL
    return _TOTAL if total else _RESTART


def _effects(detail: MessageDetail, action: MessageAction, total: bool) -> list[str]:
    if action == MessageAction.CANCEL:
        return effects.effects_of_cancel(detail)
    return effects.effects_of_restart(detail, total=total)


def _why_not(detail: MessageDetail, action: MessageAction) -> str:
    if detail.archived:
        return "It is in the archive, where nothing is cancelled or restarted."
    allowed = ", ".join(sorted(services.rules().allowed_from(action)))
    return f"It is {detail.message.state}; {action} is possible only from {allowed}."


def _act(
    request: HttpRequest, detail: MessageDetail, action: MessageAction, form: ActionForm
) -> HttpResponse:
    msg_id, total = detail.message.pk, form.cleaned_data["total"]
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
        raise Http404(str(error)) from error
    except services.ActionRefused as refusal:
        return _refused_page(request, detail_or_404(msg_id), action, str(refusal))
    notices.success(request, _words(action, total).done)
    return redirect("message-detail", msg_id=msg_id)


def _refused_page(
    request: HttpRequest, detail: MessageDetail, action: MessageAction, why: str
) -> HttpResponse:
    context = {"detail": detail, "message": detail.message, "action": action, "why": why}
    return render(request, "messages_app/messages/refused.html", context, status=409)
