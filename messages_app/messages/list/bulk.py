"""
What may be done to several chosen messages at once.

Source: docs/spec/cleverbus.md, "Restart and cancel".
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.contrib.auth.base_user import AbstractBaseUser

from messages_app.access import roles
from messages_app.messages.filters.filters import MessageFilter
from messages_app.messages.services import rules
from messages_app.shared.message_states import MessageAction

MOST_SELECTED = 500


@dataclass(frozen=True, kw_only=True)
class Choice:
    """
    One button for the chosen messages.

    Args:
        name: the parameter `action`.
        label: what the button says.
        icon: a symbol of the icon sheet.
        states: the ones that a message must be in; in another one, or archived, it is a reason against.
        of_archive: it is done to archived messages alone, in whatever state.
        most: so many at once.
    """

    name: str
    label: str
    icon: str
    states: tuple[str, ...]
    of_archive: bool = False
    most: int = MOST_SELECTED


# Their ids are one address, of which servers take some 4 000 characters.
MOST_RESTORED = 150
RESTORE = Choice(name="restore", label="Restore", icon="up", states=(), of_archive=True, most=MOST_RESTORED)
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


def choices_of(filters: MessageFilter, user: AbstractBaseUser) -> Iterator[Choice]:
    """Yield what this user may do to messages chosen in such a list: live ones, archived ones, or both."""
    if not filters.archived:
        yield from choices(user)
    may_restore = user.has_perms([roles.CAN_ARCHIVE, roles.CAN_VIEW_JOBS])
    if may_restore and (filters.archived or filters.is_anywhere):
        yield RESTORE
