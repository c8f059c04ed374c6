"""
What may be asked of all messages that a list shows, however many: each leads to the page of a new job.

Source: docs/spec/cleverbus.md, "Restart and cancel"; docs/spec/interfaces.md, "Jobs", "Pages and roles".
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.contrib.auth.base_user import AbstractBaseUser
from django.utils.http import urlencode

from messages_app.access import roles
from messages_app.messages.filters.filters import MessageFilter
from messages_app.messages.services import rules
from messages_app.shared.message_states import FINAL_STATES, MessageAction


@dataclass(frozen=True, kw_only=True)
class BulkChoice:
    """
    One thing to ask of all that match.

    Args:
        kind: the kind of job.
        label: what is done.
        icon: a symbol of the icon sheet.
        query: what the page of a new job is asked for, without the question mark.
    """

    kind: str
    label: str
    icon: str
    query: str


def bulk_choices(filters: MessageFilter, user: AbstractBaseUser) -> list[BulkChoice]:
    """Return what this user may ask of a filtered list; nothing of a list of all messages."""
    if filters.is_empty or not user.has_perm(roles.CAN_VIEW_JOBS):
        return []
    return [
        BulkChoice(kind=kind, label=label, icon=icon, query=urlencode([("kind", kind), *filters.words()]))
        for kind, label, icon in _offered(filters, user)
    ]


def _offered(filters: MessageFilter, user: AbstractBaseUser) -> Iterator[tuple[str, str, str]]:
    is_live = not filters.archived and not filters.is_anywhere
    if is_live and _is_possible(filters, rules().restart_from) and user.has_perm(roles.CAN_RESTART):
        yield MessageAction.RESTART, "Restart", "restart"
    if is_live and _is_possible(filters, rules().cancel_from) and user.has_perm(roles.CAN_CANCEL):
        yield MessageAction.CANCEL, "Cancel", "cancel"
    if is_live and set(filters.states) <= FINAL_STATES and user.has_perm(roles.CAN_ARCHIVE):
        yield "archive", "Archive", "archive"
    if filters.archived and user.has_perm(roles.CAN_ARCHIVE):
        yield "restore", "Restore", "up"
    yield "export", "Export", "download"


def _is_possible(filters: MessageFilter, allowed: frozenset[str]) -> bool:
    """Whether any state that the list shows allows it."""
    return not filters.states or bool(allowed & set(filters.states))


# What may be done to several chosen messages at once.
#
# Source: docs/spec/cleverbus.md, "Restart and cancel".


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
