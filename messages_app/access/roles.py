"""
The roles and their permissions, for the console itself and for the registered stores.

Source: docs/contributing/spec/interfaces.md, "Pages and roles".
"""

from collections.abc import Iterable
from functools import reduce
from operator import or_

from django.contrib.auth.models import Group, Permission

from messages_app.core.stores import RoleText, Store, installed_stores

CAN_CANCEL = "messages_app.cancel_message"
CAN_RESTART = "messages_app.restart_message"
CAN_VIEW_MESSAGES = "messages_app.view_message"
CAN_VIEW_PAYLOAD = "messages_app.view_payload"
CAN_EDIT_PAYLOAD = "messages_app.edit_payload"
CAN_VIEW_JOBS = "messages_app.view_job"
CAN_VIEW_AUDIT = "messages_app.view_auditentry"
CAN_ARCHIVE = "messages_app.archive_messages"
CAN_MAKE_TOKENS = "messages_app.add_apitoken"
CAN_MANAGE_USERS = "messages_app.manage_users"
CAN_VIEW_SETTINGS = "messages_app.view_settings"
CAN_CHANGE_SHARED_VIEWS = "messages_app.change_savedview"
CAN_CHANGE_WATCH_RULES = "messages_app.change_watchrule"
CAN_CHANGE_WEBHOOKS = "messages_app.change_webhook"
CAN_CHANGE_GROUPS = "messages_app.change_failuregroup"
CAN_CHANGE_INCIDENTS = "messages_app.change_incident"
# The owner and the note of an incident, and that someone knows about it: nothing that affects the hub.
CAN_HANDLE_INCIDENTS = "messages_app.handle_incident"
CAN_NOTE_DEPLOYMENTS = "messages_app.add_deployment"
CAN_CHANGE_CODES = "messages_app.change_errorcode"
CAN_CHANGE_CATALOGUE = frozenset(
    f"messages_app.{act}_errorcode" for act in ("add", "change", "delete", "view")
)

# Permissions for the hub's messages and the console itself; stores add their own. Operators also have the
# permissions of support, and admins have all. view_payload and edit_payload are separate: they are granted to
# a user, or by the groups of their names, in addition to a role.
_SUPPORT = frozenset({CAN_VIEW_MESSAGES, CAN_VIEW_JOBS, CAN_VIEW_AUDIT, CAN_HANDLE_INCIDENTS})
_OPERATOR = frozenset(
    {CAN_CANCEL, CAN_RESTART, CAN_CHANGE_GROUPS, CAN_CHANGE_INCIDENTS, CAN_NOTE_DEPLOYMENTS}
)
_ADMIN = CAN_CHANGE_CATALOGUE | {
    CAN_ARCHIVE,
    CAN_MAKE_TOKENS,
    CAN_MANAGE_USERS,
    CAN_VIEW_SETTINGS,
    CAN_CHANGE_SHARED_VIEWS,
    CAN_CHANGE_WATCH_RULES,
    CAN_CHANGE_WEBHOOKS,
}
_OWN = {
    "support": _SUPPORT,
    "operator": _OPERATOR,
    "admin": _ADMIN,
    "view_payload": frozenset({CAN_VIEW_PAYLOAD}),
    # For tokens of deployment pipelines.
    "deployment_pipeline": frozenset({CAN_NOTE_DEPLOYMENTS}),
    "edit_payload": frozenset({CAN_EDIT_PAYLOAD}),
}

_OWN_TEXTS = {
    "support": RoleText("Support", "Reads everything, with masked payloads. Takes and notes incidents."),
    "operator": RoleText("Operator", "Also restarts, cancels and reprocesses messages, one or many."),
    "admin": RoleText("Admin", "Also archives and restores, and changes settings, users and tokens."),
    "view_payload": RoleText(
        "View payload", "In addition to a role: reads payloads unmasked, with a reason."
    ),
    "edit_payload": RoleText(
        "Edit payload", "In addition to View payload: corrects payloads of failed messages and resends them."
    ),
    "deployment_pipeline": RoleText("Deployment pipeline", "Only reports deployments.", is_for_programs=True),
}


def roles_of(stores: Iterable[Store]) -> dict[str, frozenset[str]]:
    """Return the permissions of each role, for the console with these stores."""
    rights_by_role = dict(_OWN)
    for store in stores:
        for role, rights in store.roles.items():
            rights_by_role[role] = rights_by_role.get(role, frozenset()) | rights
    rights_by_role["operator"] |= rights_by_role["support"]
    rights_by_role["admin"] |= rights_by_role["operator"]
    return rights_by_role


def texts_of(stores: Iterable[Store]) -> dict[str, RoleText]:
    """Return the words for each role, in the order of pages."""
    return reduce(or_, (dict(store.role_texts) for store in stores), _OWN_TEXTS)


ROLES = roles_of(installed_stores())
TEXTS = texts_of(installed_stores())
# Permissions for calls that programs make for each message or document. These calls have a rate limit of
# their own.
SERVICE_RIGHTS = frozenset().union(*(store.service_rights for store in installed_stores()))


def write_roles() -> None:
    """
    Create the groups of ROLES, each with exactly its permissions. A migration calls this after a change.
    """
    for role, names in ROLES.items():
        codenames = [name.split(".")[1] for name in names]
        group, _ = Group.objects.get_or_create(name=role)
        group.permissions.set(
            Permission.objects.filter(content_type__app_label="messages_app", codename__in=codenames)
        )
