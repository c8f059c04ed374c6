"""What a reader may do to messages, by their rights and by the hub's rules."""

from django.contrib.auth.base_user import AbstractBaseUser

from messages_app.access import roles
from messages_app.messages.services import rules
from messages_app.shared.message_states import MessageAction

_RIGHTS = {MessageAction.CANCEL: roles.CAN_CANCEL, MessageAction.RESTART: roles.CAN_RESTART}


def may_act(user: AbstractBaseUser, action: MessageAction) -> bool:
    return user.has_perm(_RIGHTS[action])


def offered_actions(user: AbstractBaseUser, *, state: str, archived: bool) -> list[MessageAction]:
    """Return what this user may do now to a message in `state`."""
    return [
        action for action in MessageAction if not why_not(action, state, archived) and may_act(user, action)
    ]


def why_not(action: MessageAction, state: str, archived: bool) -> str:
    """Return why the rules forbid `action` on a message, no matter who asks; empty where they allow it."""
    if archived:
        return "It is in the archive and cannot be restarted or cancelled there."
    allowed = rules().allowed_from(action)
    if state in allowed:
        return ""
    return f"It is {state}; {action} is possible only from {', '.join(sorted(allowed))}."
