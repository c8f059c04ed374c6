"""
What may be asked of all messages that a list shows, however many: each leads to the page of a new job.

Source: spec/cleverbus.md 3.1; spec/interfaces.md 6 and 9.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.contrib.auth.base_user import AbstractBaseUser
from django.utils.http import urlencode

from messages_app.access import roles
from messages_app.messages.filtering.filters import MessageFilter
from messages_app.messages.services import rules
from messages_app.messages.states import FINAL_STATES, MessageAction


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
