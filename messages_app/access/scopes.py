"""
The scopes that a token may have, and what each gives: the only table of them.

Source: docs/spec/promises.md, S-56.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from messages_app.access import roles

# Characters of a scope, the longest name of a queue or trigger with it.
MAX_SCOPE = 200


class Scope(NamedTuple):
    """
    What a token with it may, as far as its user may.

    Args:
        meaning: the same for people.
        rights: permissions of roles.py, each in one scope at most.
        confined_to: what a name after a second colon is one of, as the queue of queue:consume:RENDITION;
            empty: the scope takes none. Which names a call touches, its view says by `touched`.
    """

    meaning: str
    rights: frozenset[str]
    confined_to: str = ""


def _scope(meaning: str, *rights: str, confined_to: str = "") -> Scope:
    return Scope(meaning, frozenset(rights), confined_to)


SCOPES: Mapping[str, Scope] = {
    "messages:read": _scope(
        "Read messages and related data, failures, alerts and statistics. Contents are masked.",
        roles.CAN_VIEW_MESSAGES,
    ),
    "payload:read": _scope("Read and search contents of every store unmasked.", roles.CAN_VIEW_PAYLOAD),
    "messages:act": _scope("Cancel and restart messages.", roles.CAN_CANCEL, roles.CAN_RESTART),
    "failures:act": _scope("Mark and describe failure groups.", roles.CAN_CHANGE_GROUPS),
    "alerts:manage": _scope("Add and change watch rules.", roles.CAN_CHANGE_WATCH_RULES),
    "audit:read": _scope("Read the audit log.", roles.CAN_VIEW_AUDIT),
    "tokens:manage": _scope("List, create and revoke tokens.", roles.CAN_MAKE_TOKENS),
    "jobs:run": _scope(
        "List jobs. Create, control and repeat jobs of kinds that another scope allows.", roles.CAN_VIEW_JOBS
    ),
    "archive:run": _scope(
        "Archive and restore, control the exports of other users, change schedules.", roles.CAN_ARCHIVE
    ),
    "history:read": _scope(
        "Read the document history and triggers, start dry runs.", roles.CAN_VIEW_DOCUMENT_HISTORY
    ),
    "history:use": _scope(
        "Check, complete and abandon documents.", roles.CAN_CHECK_DOCUMENTS, confined_to="trigger"
    ),
    "history:take": _scope(
        "Take resubmitted documents with their unmasked contents.",
        roles.CAN_TAKE_DOCUMENTS,
        confined_to="trigger",
    ),
    "history:act": _scope("Resubmit and settle documents in doubt.", roles.CAN_RESOLVE_DOCUMENTS),
    "history:manage": _scope(
        "Add and change triggers, clear statistics, remove expired entries.",
        roles.CAN_CHANGE_TRIGGERS,
        roles.CAN_SWEEP_DOCUMENTS,
    ),
    "store:read": _scope("Read the message store. Data is masked.", roles.CAN_VIEW_STORE),
    "store:send": _scope("Send messages to the store.", roles.CAN_STORE_MESSAGES),
    "store:act": _scope("Reprocess, retry, release and mute its messages.", roles.CAN_REPROCESS),
    "store:manage": _scope("Add and remove source definitions.", roles.CAN_CHANGE_DEFINITIONS),
    "queue:read": _scope("Read the CP queue and its statistics.", roles.CAN_VIEW_CP_QUEUE),
    "queue:consume": _scope(
        "Create, pull and dispatch CP messages, reset a service; with `payload:read` also read the texts "
        "of their objects.",
        roles.CAN_PULL_CP_MESSAGES,
        confined_to="queue",
    ),
    "queue:act": _scope(
        "Reset, dispatch, delete, send on, pause queues.", roles.CAN_STEER_CP_QUEUE, confined_to="queue"
    ),
}

# What no call of the API asks for: no token needs it, and none with scopes has it.
OF_PAGES_ALONE = roles.CAN_CHANGE_CATALOGUE | {roles.CAN_CHANGE_SHARED_VIEWS}

_BY_RIGHT = {right: name for name, scope in SCOPES.items() for right in scope.rights}


def split(scope: str) -> tuple[str, str | None]:
    """Return a scope without the name that confines it, and that name; None: it has none."""
    kind, _, rest = scope.partition(":")
    work, colon, name = rest.partition(":")
    return f"{kind}:{work}", name if colon else None


def why_none(scope: str) -> str:
    """Return why a text is not a scope, in a sentence that names it; empty: it is one."""
    plain, name = split(scope)
    if plain not in SCOPES:
        return f"Unknown scope {scope!r}. Scopes must be some of {', '.join(SCOPES)}."
    if name is None:
        return ""
    kind = SCOPES[plain].confined_to
    if not kind:
        return f"Unknown scope {scope!r}: {plain} does not take a name."
    if not name:
        return f"Unknown scope {scope!r}: the {kind} after the last colon is missing."
    is_name = len(scope) <= MAX_SCOPE and "\0" not in name
    return "" if is_name else f"Unknown scope {scope!r}: there is no such {kind}."


def rights_of(names: Iterable[str | None]) -> frozenset[str]:
    """
    Return all rights that scopes give everywhere; one that is not known, as of a later version, gives none.
    """
    return frozenset(right for name in names if name in SCOPES for right in SCOPES[name].rights)


def confined_rights_of(scopes: Iterable[str | None]) -> dict[str, frozenset[str]]:
    """Return the rights that scopes give for some names, with those; one that is not known gives none."""
    found: dict[str, frozenset[str]] = {}
    for plain, name in (split(scope) for scope in scopes if scope and not why_none(scope)):
        for right in SCOPES[plain].rights if name else ():
            found[right] = found.get(right, frozenset()) | {name}
    return found


def scope_of(right: str, name: str | None = None) -> str:
    """Return the scope that gives a right, for one name if there is one; empty where none does."""
    scope = _BY_RIGHT.get(right, "")
    return f"{scope}:{name}" if name and scope and SCOPES[scope].confined_to else scope
