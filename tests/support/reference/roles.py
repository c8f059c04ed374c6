"""The page of the roles, and of the permissions of each."""

from django.apps import apps
from django.contrib.auth import get_permission_codename

from messages_app.access.roles import ROLES, TEXTS
from messages_app.access.scopes import scope_of
from tests.support.reference.markdown import write_code, write_page, write_paragraph, write_table

# Django's own names of permissions have the names of tables.
_OWN_WORDS = {
    "add_apitoken": "create and revoke API tokens",
    "add_deployment": "report deployments",
    "add_messagestore": "send messages to the message store",
    "change_documenttrigger": "add and change triggers of the document history",
    "change_savedview": "change the shared views of other users",
    "change_watchrule": "add and change watch rules",
    "change_webhook": "add, change and remove webhooks",
    "change_keydefinition": "add, change and remove business keys",
    "view_auditentry": "read the audit log",
    "view_cpmessage": "read the CP queue",
    "view_documenthistory": "read the document history",
    "view_messagestore": "read the message store",
}
_ON_PERMISSIONS = (
    "Without a permission, its actions are not offered, and the API answers 403 with its name. A token that"
    " has [scopes](scopes.md) also needs the scope of the permission; actions without one are only on pages."
)


def write_roles() -> str:
    """Return the page of the roles: the permissions of each."""
    people = [role for role in TEXTS if not TEXTS[role].is_for_programs]
    programs = [role for role in TEXTS if TEXTS[role].is_for_programs]
    names = sorted(frozenset().union(*ROLES.values()))
    words = _read_words()
    return write_page(
        "Roles and permissions",
        "## Roles of people",
        _write_roles(people),
        "## Roles of programs",
        _write_roles(programs),
        "## Permissions",
        write_paragraph(_ON_PERMISSIONS),
        write_table(
            ("permission", "allows users to", "roles", "scope"),
            [_describe_permission(name, words) for name in names],
        ),
    )


def _write_roles(roles: list[str]) -> str:
    rows = [(f"`{role}`", TEXTS[role].title, TEXTS[role].meaning) for role in roles]
    return write_table(("role", "name", "effect"), rows)


def _read_words() -> dict[str, str]:
    """Return what each permission allows, as the models declare it: "Can cancel messages"."""
    words: dict[str, str] = {}
    for options in (model._meta for model in apps.get_models()):
        for act in options.default_permissions:
            name = f"{options.app_label}.{get_permission_codename(act, options)}"
            words[name] = f"{act} {options.verbose_name}s"
        for code, text in options.permissions:
            words[f"{options.app_label}.{code}"] = str(text).removeprefix("Can ")
    return words


def _describe_permission(name: str, words: dict[str, str]) -> tuple[str, str, str, str]:
    roles = [role for role in TEXTS if name in ROLES[role]]
    scope, code = scope_of(name), name.partition(".")[2]
    return f"`{code}`", _OWN_WORDS.get(code, words[name]), write_code(*roles), f"`{scope}`" if scope else ""
