"""The actions for selected messages. Source: docs/contributing/spec/cleverbus.md, "Restart and cancel"."""

from collections.abc import Iterator
from dataclasses import dataclass

from messages_app.access import roles
from messages_app.access.actors import Caller
from messages_app.messages.attachment import Feature, refusal_of
from messages_app.messages.available_actions import ACTIONS
from messages_app.messages.filters.message_filter import (
    MessageFilter,
)
from messages_app.messages.services import hub_rules

MAX_SELECTED = 500


@dataclass(frozen=True, kw_only=True)
class Choice:
    """
    One button for the selected messages.

    Args:
        name: the parameter `action`.
        label: the text of the button.
        icon: the name of its symbol.
        states: the allowed states. Messages in other states, and archived ones, disable the button.
        of_archive: for archived messages only, in any state.
        most: the maximum number of messages.
    """

    name: str
    label: str
    icon: str
    states: tuple[str, ...]
    of_archive: bool = False
    most: int = MAX_SELECTED


# The ids are in one address, and servers accept about 4 000 characters.
MAX_RESTORED = 150


RESTORE = Choice(name="restore", label="Restore", icon="up", states=(), of_archive=True, most=MAX_RESTORED)


def action_choices(user: Caller) -> Iterator[Choice]:
    """Yield the actions that this user may perform on selected messages by the hub's rules."""
    if refusal_of(Feature.ACT):
        return
    for spec in ACTIONS.values():
        if user.has_perm(spec.permission):
            states = tuple(sorted(hub_rules().allowed_from(spec.action)))
            yield Choice(name=spec.name, label=spec.choice, icon=spec.action, states=states)


def choices_of(filters: MessageFilter, user: Caller) -> Iterator[Choice]:
    """Yield the actions of this user for messages of the list: live ones, archived ones, or both."""
    if not filters.archived:
        yield from action_choices(user)
    may_restore = user.has_perms([roles.CAN_ARCHIVE, roles.CAN_VIEW_JOBS])
    if may_restore and (filters.archived or filters.is_anywhere):
        yield RESTORE
