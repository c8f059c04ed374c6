"""What an operator does with one message, from its page."""

from collections.abc import Mapping

from django.contrib import messages as notices
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.gate import refuse, requires
from messages_app.message_store import services
from messages_app.message_store.pages.action_forms import FORMS
from messages_app.message_store.pages.message import found, show

_DONE = {
    "reprocess": "It is processed anew when its turn comes. Its history stays.",
    "retry_now": "It is due now, and tried when its turn comes.",
    "release": "Released: the attempt that had it cannot change it any more.",
    "mute": "Muted: it is left as it is.",
    "unmute": "It is looked after again.",
}


@require_POST
@requires(roles.CAN_VIEW_STORE)
def act(request: HttpRequest, identifier: str, action: str) -> HttpResponse:
    """Reprocess, retry, release, mute or unmute; a message that has moved on is shown as it is now."""
    message = found(identifier)
    key = message.line.message_identifier
    if not request.user.has_perm(roles.CAN_REPROCESS):
        refuse(request, action=f"{action}_stored", subject_kind="store_message", subject=key)
    form = FORMS[action](request.POST, auto_id=f"{action}_%s")
    if not form.is_valid():
        return show(request, message, status=400, **{f"{action}_form": form})
    try:
        getattr(services, action)(
            identifier=key, actor=actor_of(request), **_arguments(action, form.cleaned_data)
        )
    except services.InvalidInput as refusal:
        form.add_error(refusal.field if refusal.field in form.fields else None, str(refusal))
        return show(request, message, status=400, **{f"{action}_form": form})
    except services.StatusConflict as refusal:
        return show(request, found(key), status=409, refusal=str(refusal))
    except services.MessageMissing as error:
        raise Http404(str(error)) from error
    notices.success(request, _DONE[action])
    return redirect("store-message", key)


def _arguments(action: str, values: Mapping[str, object]) -> dict[str, object]:
    """Return what the service takes besides the message and who acts."""
    arguments = {"reason": values["reason"]}
    if action == "reprocess":
        arguments["confirmed_entity"] = values["confirm_refresh"] or None
    if action == "release":
        arguments["is_worker_dead"] = values["is_worker_dead"]
    return arguments
