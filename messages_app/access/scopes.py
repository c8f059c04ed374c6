"""The scopes that a token may have, and what each gives: the only table of them. Source: reliability S-56."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from messages_app.access import roles


class Scope(NamedTuple):
    """
    What a token with it may, as far as its user may.

    Args:
        meaning: the same for people.
        rights: permissions of roles.py, each in one scope at most.
    """

    meaning: str
    rights: frozenset[str]


def _scope(meaning: str, *rights: str) -> Scope:
    return Scope(meaning, frozenset(rights))


SCOPES: Mapping[str, Scope] = {
    "messages:read": _scope(
        "Messages and what hangs on them, failures, alerts, figures; contents are masked.",
        roles.CAN_VIEW_MESSAGES,
    ),
    "payload:read": _scope("Contents of every store in clear, and searching them.", roles.CAN_VIEW_PAYLOAD),
    "messages:act": _scope("Cancel and restart messages.", roles.CAN_CANCEL, roles.CAN_RESTART),
    "failures:act": _scope("Mark and describe groups of failures.", roles.CAN_CHANGE_GROUPS),
    "alerts:manage": _scope("Add and change watch rules.", roles.CAN_CHANGE_WATCH_RULES),
    "jobs:run": _scope(
        "See jobs; make, steer and repeat those whose kind another scope gives.", roles.CAN_VIEW_JOBS
    ),
    "archive:run": _scope("Archive and restore, and steer the exports of others.", roles.CAN_ARCHIVE),
    "history:read": _scope("Document history, triggers, dry runs.", roles.CAN_VIEW_DOCUMENT_HISTORY),
    "history:use": _scope("Check, take, complete and abandon documents.", roles.CAN_CHECK_DOCUMENTS),
    "history:act": _scope("Decide about documents in doubt.", roles.CAN_RESOLVE_DOCUMENTS),
    "history:manage": _scope(
        "Add and change triggers, clear statistics, sweep.",
        roles.CAN_CHANGE_TRIGGERS,
        roles.CAN_SWEEP_DOCUMENTS,
    ),
    "store:read": _scope("The message store; data are masked.", roles.CAN_VIEW_STORE),
    "store:send": _scope("Send messages to the store.", roles.CAN_STORE_MESSAGES),
    "store:act": _scope("Reprocess, retry, release and mute its messages.", roles.CAN_REPROCESS),
    "store:manage": _scope("Add and remove source definitions.", roles.CAN_CHANGE_DEFINITIONS),
    "queue:read": _scope("The CP queue and its statistics.", roles.CAN_VIEW_CP_QUEUE),
    "queue:consume": _scope(
        "Create, pull and dispatch CP messages, reset a service.", roles.CAN_PULL_CP_MESSAGES
    ),
    "queue:act": _scope("Reset, dispatch, delete, send on, pause queues.", roles.CAN_STEER_CP_QUEUE),
}

# What no call of the API asks for: no token needs it, and none with scopes has it.
OF_PAGES_ALONE = roles.CAN_CHANGE_CATALOGUE | {
    roles.CAN_CHANGE_SHARED_VIEWS,
    roles.CAN_MAKE_TOKENS,
    roles.CAN_VIEW_AUDIT,
}

_BY_RIGHT = {right: name for name, scope in SCOPES.items() for right in scope.rights}


def rights_of(names: Iterable[str | None]) -> frozenset[str]:
    """Return all rights that scopes give; one that is not known, as of a later version, gives none."""
    return frozenset(right for name in names if name in SCOPES for right in SCOPES[name].rights)


def scope_of(right: str) -> str:
    """Return the scope that gives a right, empty where none does."""
    return _BY_RIGHT.get(right, "")
