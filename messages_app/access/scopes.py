"""
The scopes of tokens, with the permissions that each grants, for the console itself and for the stores.

Source: docs/contributing/spec/promises.md, S-56.
"""

from collections.abc import Iterable, Mapping
from functools import reduce
from operator import or_

from messages_app.access import roles
from messages_app.core.stores import Scope, Store, installed_stores, make_scope

# The maximum length of a scope, with the longest name of a queue or trigger.
MAX_SCOPE = 200


_OWN: dict[str, Scope] = {
    "messages:read": make_scope(
        "Read messages and related data, failures, alerts and statistics. Contents are masked.",
        roles.CAN_VIEW_MESSAGES,
    ),
    "payload:read": make_scope("Read and search contents of every store unmasked.", roles.CAN_VIEW_PAYLOAD),
    "payload:edit": make_scope(
        "Correct payloads of failed messages and resend them, together with `payload:read`.",
        roles.CAN_EDIT_PAYLOAD,
    ),
    "messages:act": make_scope("Cancel and restart messages.", roles.CAN_CANCEL, roles.CAN_RESTART),
    "failures:act": make_scope(
        "Mark and describe failure groups. Change incidents.",
        roles.CAN_CHANGE_GROUPS,
        roles.CAN_CHANGE_INCIDENTS,
        roles.CAN_HANDLE_INCIDENTS,
    ),
    "deployments:write": make_scope("Report deployments.", roles.CAN_NOTE_DEPLOYMENTS),
    "alerts:manage": make_scope("Add and change watch rules.", roles.CAN_CHANGE_WATCH_RULES),
    "webhooks:manage": make_scope("Add, change and remove webhooks.", roles.CAN_CHANGE_WEBHOOKS),
    "audit:read": make_scope("Read the audit log.", roles.CAN_VIEW_AUDIT),
    "tokens:manage": make_scope("List, create and revoke tokens.", roles.CAN_MAKE_TOKENS),
    "jobs:run": make_scope(
        "List jobs. Create, control and repeat jobs of kinds that another scope allows.", roles.CAN_VIEW_JOBS
    ),
    "archive:run": make_scope(
        "Archive and restore, control the exports of other users, change schedules.", roles.CAN_ARCHIVE
    ),
}


def scopes_of(stores: Iterable[Store]) -> dict[str, Scope]:
    """Return the scopes of the console with these stores."""
    return reduce(or_, (dict(store.scopes) for store in stores), _OWN)


SCOPES: Mapping[str, Scope] = scopes_of(installed_stores())

# Permissions that no API call requires. So no scope grants them.
OF_PAGES_ALONE = roles.CAN_CHANGE_CATALOGUE | {
    roles.CAN_CHANGE_SHARED_VIEWS,
    roles.CAN_MANAGE_USERS,
    roles.CAN_VIEW_SETTINGS,
}

_BY_RIGHT = {right: name for name, scope in SCOPES.items() for right in scope.rights}


def split_scope(scope: str) -> tuple[str, str | None]:
    """Split a scope into the scope itself and the name that limits it; None: no name."""
    kind, _, rest = scope.partition(":")
    work, colon, name = rest.partition(":")
    return f"{kind}:{work}", name if colon else None


def why_none(scope: str) -> str:
    """Return a sentence why a text is not a scope; empty if it is one."""
    plain, name = split_scope(scope)
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


def rights_of(names: Iterable[str]) -> frozenset[str]:
    """
    Return the permissions that scopes grant for all names. Unknown scopes, for example of a later version,
    grant none.
    """
    return frozenset(right for name in names if name in SCOPES for right in SCOPES[name].rights)


def confined_rights_of(scopes: Iterable[str | None]) -> dict[str, frozenset[str]]:
    """
    Return the permissions that scopes grant for some names, with these names. Unknown scopes grant none.
    """
    rights: dict[str, frozenset[str]] = {}
    for plain, name in (split_scope(each) for each in scopes if each and not why_none(each)):
        if name:
            for right in SCOPES[plain].rights:
                rights[right] = rights.get(right, frozenset()) | {name}
    return rights


def scope_of(right: str, name: str | None = None) -> str:
    """
    Return the scope that grants a permission, for a single name if one is given; empty if no scope does.
    """
    scope = _BY_RIGHT.get(right, "")
    return f"{scope}:{name}" if name and scope and SCOPES[scope].confined_to else scope
