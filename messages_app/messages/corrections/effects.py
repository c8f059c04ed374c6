"""
The effects of a resend, which its page shows before it is done.

Source: docs/contributing/spec/cleverbus.md, "Correct and resend".
"""

from messages_app.core.formatting import count_of
from messages_app.messages.actions.effects import Effect, EffectCode
from messages_app.messages.attachment import has_indexes
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.models import ExternalCall, Message
from messages_app.shared.message_states import CONFIRMATION_OPERATION, ExternalCallState

_MAX_COUNTED = 100


def effects_of_resend(message: MessageColumns) -> list[Effect]:
    """Return the effects, warnings first."""
    effects = (_effect_of_calls(message), _effect_on_parent(message), _effect_on_children(message))
    new = Effect(
        code=EffectCode.SENT_AS_NEW,
        text="The hub takes it as a new message at its next poll, in the place of this one in every order.",
    )
    return [*(effect for effect in effects if effect), new]


def _effect_of_calls(message: MessageColumns) -> Effect | None:
    """Return the effect on calls: the hub makes calls that it knows by the correlation id again."""
    calls = ExternalCall.objects.filter(msg_id=message.pk, state=ExternalCallState.OK)
    succeeded = len(calls.exclude(operation_name=CONFIRMATION_OPERATION).order_by("call_id")[:_MAX_COUNTED])
    if not succeeded:
        return None
    text = (
        f"{count_of(succeeded, 'external call')} of this message succeeded. The hub may make them again,"
        " because the new message has another correlation id."
    )
    return Effect(code=EffectCode.CALLS_AGAIN, text=text, is_warning=True)


def _effect_on_parent(message: MessageColumns) -> Effect | None:
    if message.parent_msg_id is None:
        return None
    text = (
        f"Its parent {message.parent_msg_id} does not become OK, even if the new message does: this one"
        " remains its child."
    )
    return Effect(code=EffectCode.PARENT_STAYS, text=text, msg_ids=(message.parent_msg_id,), is_warning=True)


def _effect_on_children(message: MessageColumns) -> Effect | None:
    if not has_indexes() or not Message.objects.filter(parent_msg_id=message.pk).exists():
        return None
    text = "It has children. The new message creates them again."
    return Effect(code=EffectCode.CHILDREN_TWICE, text=text, is_warning=True)
