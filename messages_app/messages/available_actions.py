"""
The only table of the actions of operators on messages, with the permissions and states that they need, and
the buttons for selected messages of the list.

Source: docs/contributing/spec/cleverbus.md, "Restart and cancel".
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from messages_app.access import roles
from messages_app.access.actors import Caller
from messages_app.audit.services import Actor
from messages_app.messages import services
from messages_app.messages.attachment import Feature, refusal_of
from messages_app.messages.filters.message_filter import MessageFilter
from messages_app.messages.models import Message
from messages_app.shared.message_states import MessageAction

# The maximum number of messages that one request acts on.
MAX_SELECTED = 500
# The ids are in one address, and servers accept about 4 000 characters.
MAX_RESTORED = 150


class Act(Protocol):
    """A service that does an action to one message."""

    def __call__(
        self, *, msg_id: int, actor: Actor, reason: str, expected_state: str | None = None
    ) -> Message: ...


@dataclass(frozen=True, kw_only=True)
class ActionSpec:
    """
    One action that pages offer. A restart from scratch is a separate action.

    Args:
        name: in forms.
        total: whether it is a restart from scratch.
        act: the service that does it.
        act_on_resent: does it also to a message that was corrected and resent. None: `act` does.
        permission: of a user for it.
        address: the route of the page that asks for a reason, for one message.
        button, title, done: the texts on pages for one message.
        choice, verb, title_of_several: the texts on pages for several messages.
        participle: for sentences such as "Message 7 could not be restarted".
        repeats_calls: whether the hub processes the message again and may repeat its external calls.
        is_final: whether the action cannot be undone, so that its button is red.
    """

    name: str
    action: MessageAction
    total: bool = False
    act: Act
    act_on_resent: Act | None = None
    permission: str
    address: str
    button: str
    title: str
    done: str
    choice: str
    verb: str
    title_of_several: str
    participle: str
    repeats_calls: bool = False
    is_final: bool = False


_CANCEL = ActionSpec(
    name="cancel",
    action=MessageAction.CANCEL,
    act=services.cancel_message,
    permission=roles.CAN_CANCEL,
    address="message-cancel",
    button="Cancel message",
    title="Cancel message",
    done="Message cancelled.",
    choice="Cancel",
    verb="Cancel",
    title_of_several="Cancel messages",
    participle="cancelled",
    is_final=True,
)
_RESTART = ActionSpec(
    name="restart",
    action=MessageAction.RESTART,
    act=services.restart_message,
    act_on_resent=partial(services.restart_message, also_resent=True),
    permission=roles.CAN_RESTART,
    address="message-restart",
    button="Restart message",
    title="Restart message",
    done="Message restarted.",
    choice="Restart",
    verb="Restart",
    title_of_several="Restart messages",
    participle="restarted",
    repeats_calls=True,
)
_RESTART_FROM_SCRATCH = ActionSpec(
    name="total",
    action=MessageAction.RESTART,
    total=True,
    act=partial(services.restart_message, total=True),
    act_on_resent=partial(services.restart_message, total=True, also_resent=True),
    permission=roles.CAN_RESTART,
    address="message-restart",
    button="Restart from scratch",
    title="Restart from scratch: message",
    done="Message restarted from scratch.",
    choice="Restart from scratch",
    verb="Restart",
    title_of_several="Restart messages from scratch",
    participle="restarted",
    repeats_calls=True,
)
# By their names in forms, in the order of the buttons.
ACTIONS = {spec.name: spec for spec in (_RESTART, _RESTART_FROM_SCRATCH, _CANCEL)}


def spec_of(action: MessageAction, *, total: bool = False) -> ActionSpec:
    """Return the action of pages; `total` has no effect on a cancel."""
    specs = [spec for spec in ACTIONS.values() if spec.action is action]
    return next((spec for spec in specs if spec.total == total), specs[0])


def may_act(user: Caller, action: MessageAction) -> bool:
    return user.has_perm(spec_of(action).permission)


def offered_actions(user: Caller, *, state: str, archived: bool) -> list[MessageAction]:
    """Return the actions that this user may perform now on a message in `state`."""
    return [
        action for action in MessageAction if not why_not(action, state, archived) and may_act(user, action)
    ]


def why_not(action: MessageAction, state: str, archived: bool) -> str:
    """Return the reason why no user can do `action`, from the rules and from an attached hub; or empty."""
    if archived:
        return "It is in the archive and cannot be restarted or cancelled there."
    if refusal := refusal_of(Feature.ACT):
        return refusal.detail
    allowed = services.hub_rules().allowed_from(action)
    if state in allowed:
        return ""
    return f"It is {state}; {action} is possible only from {', '.join(sorted(allowed))}."


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


RESTORE = Choice(name="restore", label="Restore", icon="undo", states=(), of_archive=True, most=MAX_RESTORED)


def action_choices(user: Caller) -> Iterator[Choice]:
    """Yield the actions that this user may perform on selected messages by the hub's rules."""
    if refusal_of(Feature.ACT):
        return
    for spec in ACTIONS.values():
        if user.has_perm(spec.permission):
            states = tuple(sorted(services.hub_rules().allowed_from(spec.action)))
            yield Choice(name=spec.name, label=spec.choice, icon=spec.action, states=states)


def choices_of(filters: MessageFilter, user: Caller) -> Iterator[Choice]:
    """Yield the actions of this user for messages of the list: live ones, archived ones, or both."""
    if not filters.is_archived:
        yield from action_choices(user)
    may_restore = user.has_perms([roles.CAN_ARCHIVE, roles.CAN_VIEW_JOBS])
    if may_restore and (filters.is_archived or filters.is_anywhere):
        yield RESTORE
