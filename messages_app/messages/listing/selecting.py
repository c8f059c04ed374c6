"""What may be done to several chosen messages at once. Source: spec/cleverbus.md 3.1."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.contrib.auth.base_user import AbstractBaseUser

from messages_app.access import roles
from messages_app.messages.services import rules
from messages_app.messages.states import MessageAction

MOST_SELECTED = 500


@dataclass(frozen=True, kw_only=True)
class Choice:
    """
    One button for the chosen messages.

    Args:
        name: the parameter `action`.
        label: what the button says.
        icon: a symbol of the icon sheet.
        states: those that a message must be in; in another one, or archived, it is a reason against.
    """

    name: str
    label: str
    icon: str
    states: tuple[str, ...]


_CHOICES = (
    ("restart", "Restart", "restart", MessageAction.RESTART, roles.CAN_RESTART),
    ("total", "Restart from scratch", "restart", MessageAction.RESTART, roles.CAN_RESTART),
    ("cancel", "Cancel", "cancel", MessageAction.CANCEL, roles.CAN_CANCEL),
)


def choices(user: AbstractBaseUser) -> Iterator[Choice]:
    """Yield what this user may do to chosen messages by the hub's rules."""
    for name, label, icon, action, right in _CHOICES:
        if user.has_perm(right):
            states = tuple(sorted(rules().allowed_from(action)))
            yield Choice(name=name, label=label, icon=icon, states=states)
