"""The forms of what may be done with a message in its status: with a reason each."""

from collections.abc import Mapping

from django import forms

from messages_app.core.pages import ReasonForm
from messages_app.message_store.selectors import ListedMessage
from messages_app.shared.store_states import RELEASED_FROM, RETRIED_FROM, may_mute, may_reprocess


class ReprocessForm(ReasonForm):
    """Why a message is processed again; of a refresh message its entity is named."""

    confirm_refresh = forms.CharField(
        required=False,
        label="Entity (to confirm the refresh)",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )


class ReleaseForm(ReasonForm):
    """Why a message is taken from its worker."""

    is_worker_dead = forms.BooleanField(
        required=False, label="The worker is dead: do not wait for the timeout"
    )


FORMS = {
    "reprocess": ReprocessForm,
    "retry_now": ReasonForm,
    "release": ReleaseForm,
    "mute": ReasonForm,
    "unmute": ReasonForm,
}


def forms_for(message: ListedMessage) -> Mapping[str, forms.Form]:
    """Return the empty forms of what the message's status allows, by `<action>_form`."""
    return {f"{name}_form": FORMS[name](auto_id=f"{name}_%s") for name in FORMS if _is_allowed(name, message)}


def _is_allowed(name: str, message: ListedMessage) -> bool:
    status = message.status
    if status is None:
        return False
    if name in ("mute", "unmute"):
        is_muted = message.line.muted_at is not None
        return is_muted if name == "unmute" else may_mute(status) and not is_muted
    if not message.line.has_process:
        return False
    if name == "reprocess":
        return may_reprocess(status)
    return status in (RETRIED_FROM if name == "retry_now" else RELEASED_FROM)
