"""
The roles and what each may do, of the console itself and of the stores that are registered.

Source: docs/spec/interfaces.md, "Pages and roles".
"""

from collections.abc import Iterable

from django.contrib.auth.models import Group, Permission

from messages_app.core.stores import Store, stores

CAN_CANCEL = "messages_app.cancel_message"
CAN_RESTART = "messages_app.restart_message"
CAN_VIEW_MESSAGES = "messages_app.view_message"
CAN_VIEW_PAYLOAD = "messages_app.view_payload"
CAN_VIEW_JOBS = "messages_app.view_job"
CAN_VIEW_AUDIT = "messages_app.view_auditentry"
CAN_ARCHIVE = "messages_app.archive_messages"
CAN_MAKE_TOKENS = "messages_app.add_apitoken"
CAN_CHANGE_SHARED_VIEWS = "messages_app.change_savedview"
CAN_CHANGE_WATCH_RULES = "messages_app.change_watchrule"
CAN_CHANGE_GROUPS = "messages_app.change_failuregroup"
CAN_CHANGE_CATALOGUE = frozenset(
    f"messages_app.{act}_errorcode" for act in ("add", "change", "delete", "view")
)

# Of the hub's messages and of the console itself; stores add theirs. An operator has what support has too, an
# admin all. view_payload is apart: it is given to a person, or to the group of its name, next to a role.
_SUPPORT = frozenset({CAN_VIEW_MESSAGES, CAN_VIEW_JOBS, CAN_VIEW_AUDIT})
_OPERATOR = frozenset({CAN_CANCEL, CAN_RESTART, CAN_CHANGE_GROUPS})
_ADMIN = CAN_CHANGE_CATALOGUE | {
    CAN_ARCHIVE,
    CAN_MAKE_TOKENS,
    CAN_CHANGE_SHARED_VIEWS,
    CAN_CHANGE_WATCH_RULES,
}
_OWN = {
    "support": _SUPPORT,
    "operator": _OPERATOR,
    "admin": _ADMIN,
    "view_payload": frozenset({CAN_VIEW_PAYLOAD}),
}


def roles_of(stores: Iterable[Store]) -> dict[str, frozenset[str]]:
    """Return what each role may do in the console with these stores."""
    given = dict(_OWN)
    for store in stores:
        for role, rights in store.roles.items():
            given[role] = given.get(role, frozenset()) | rights
    given["operator"] |= given["support"]
    given["admin"] |= given["operator"]
    return given


ROLES = roles_of(stores())
# What programs do for each message or document: their calls have a limit of their own.
SERVICE_RIGHTS = frozenset().union(*(store.service_rights for store in stores()))


def write_roles() -> None:
    """Make the groups of ROLES, each with exactly its permissions. A migration calls this after a change."""
    for role, names in ROLES.items():
        codenames = [name.split(".")[1] for name in names]
        group, _ = Group.objects.get_or_create(name=role)
        group.permissions.set(
            Permission.objects.filter(content_type__app_label="messages_app", codename__in=codenames)
        )
