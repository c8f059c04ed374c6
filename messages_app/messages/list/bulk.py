"""
What may be done to several chosen messages at once.

Source: docs/spec/cleverbus.md, "Restart and cancel".
"""

from collections.abc import Iterator
from dataclasses import dataclass

from messages_app.access import roles
from messages_app.access.actors import Caller
from messages_app.messages.available_actions import ACTIONS
from messages_app.messages.filters.filters import MessageFilter
from messages_app.messages.services import rules

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


def choices(user: Caller) -> Iterator[Choice]:
    """Yield the actions that this user may perform on selected messages by the hub's rules."""
    for spec in ACTIONS.values():
        if user.has_perm(spec.permission):
            states = tuple(sorted(rules().allowed_from(spec.action)))
            yield Choice(name=spec.name, label=spec.choice, icon=spec.action, states=states)


def choices_of(filters: MessageFilter, user: Caller) -> Iterator[Choice]:
    """Yield what this user may do to messages chosen in such a list: live ones, archived ones, or both."""
    if not filters.archived:
        yield from choices(user)
    may_restore = user.has_perms([roles.CAN_ARCHIVE, roles.CAN_VIEW_JOBS])
    if may_restore and (filters.archived or filters.is_anywhere):
        yield RESTORE
