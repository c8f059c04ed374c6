"""Actions of operators on one message, from its page."""

from collections.abc import Callable, Mapping

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from messages_app.access.actors import actor_of
from messages_app.access.decorators import check_right, requires_permission
from messages_app.core.undo import UNDONE, Undo, offer_undo
from messages_app.message_store import registration
from messages_app.message_store.errors import InvalidInput, MessageMissing, StatusConflict
from messages_app.message_store.services.dry_run import EFFECT_TONES, make_dry_run
from messages_app.message_store.services.messages import (
    mute_message,
    release_message,
    reprocess_message,
    retry_now,
    unmute_message,
)
from messages_app.message_store.states import badge_of
from messages_app.message_store.views import PAGES, VIEWS
from messages_app.message_store.views.message import FORMS, forms_for, message_or_404, render_message

# The service of each action, and the text of the page after it.
_ACTIONS: Mapping[str, tuple[Callable[..., object], str]] = {
    "reprocess": (reprocess_message, "Message queued for reprocessing. Its history is kept."),
    "retry_now": (retry_now, "Message due now. It is retried when its turn comes."),
    "release": (release_message, "Message released. The earlier attempt can no longer change it."),
    "mute": (mute_message, "Message muted."),
    "unmute": (unmute_message, "Message unmuted."),
}


@VIEWS.takes_form
def act_on_message(request: HttpRequest, identifier: str, action: str) -> HttpResponse:
    """Reprocess, retry, release, mute or unmute; a message that has moved on is shown as it is now."""
    message = message_or_404(identifier)
    key = message.line.message_identifier
    check_right(
        request,
        registration.CAN_REPROCESS,
        action=f"{action}_stored",
        subject_kind="store_message",
        subject=key,
    )
    act, done = _ACTIONS[action]
    form = FORMS[action](request.POST, auto_id=f"{action}_%s")
    if not form.is_valid():
        return render_message(request, message, status=400, **{f"{action}_form": form})
    try:
        act(identifier=key, actor=actor_of(request), **form.cleaned_data)
    except InvalidInput as refusal:
        form.add_error(refusal.field if refusal.field in form.fields else None, str(refusal))
        return render_message(request, message, status=400, **{f"{action}_form": form})
    except StatusConflict as refusal:
        return _show_conflict(request, key, f"{action}_form", form, refusal)
    except MessageMissing as error:
        raise Http404(str(error)) from error
    offer_undo(request, done, _undo_of(key, action))
    return redirect("store-message", key)


def _show_conflict(
    request: HttpRequest, key: str, name: str, form: forms.Form, refusal: StatusConflict
) -> HttpResponse:
    """Show the message as it is now, with what was typed if the action is still possible."""
    message = message_or_404(key)
    again = {name: form} if name in forms_for(message) else {}
    return render_message(request, message, status=409, refusal=str(refusal), **again)


# The opposite of each action that has one.
_OPPOSITES = {"mute": "unmute", "unmute": "mute"}


def _undo_of(key: str, action: str) -> Undo | None:
    """Return the form of the opposite action, if the action has one."""
    if action not in _OPPOSITES:
        return None
    return Undo(address=reverse(f"store-{_OPPOSITES[action]}", args=[key]), fields={"reason": UNDONE})


_MAX_RECORDS = 200


@require_safe
@requires_permission(registration.CAN_REPROCESS)
def dry_run_page(request: HttpRequest, identifier: str) -> HttpResponse:
    """Show a dry run. It writes nothing, so a link may request it."""
    message = message_or_404(identifier)
    dry_run = make_dry_run(message.line.message_identifier)
    context = {
        "line": message.line,
        "told": dry_run,
        "badge": badge_of(dry_run.status),
        "counts": [(effect, tone, dry_run.count(effect)) for effect, tone in EFFECT_TONES.items()],
        "records": [(change, EFFECT_TONES[change.effect]) for change in dry_run.records[:_MAX_RECORDS]],
        "more": max(len(dry_run.records) - _MAX_RECORDS, 0),
    }
    return PAGES.render_page(request, "dry_run", context, section="store-messages")
