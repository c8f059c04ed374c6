"""The page of the roles, and of the permissions of each."""

from messages_app.access.roles import ROLES, TEXTS
from tests.support.reference.markdown import write_code, write_page, write_paragraph, write_table

_ROLES_OF_PEOPLE = ("support", "operator", "admin")
_ON_PERMISSIONS = (
    "Without a permission, its actions are not offered, and the API answers 403 with its name. A token may"
    " have [fewer](scopes.md) than its user."
)


def write_roles() -> str:
    """Return the page of the roles: the permissions of each."""
    people = [role for role in TEXTS if not TEXTS[role].is_for_programs]
    programs = [role for role in TEXTS if TEXTS[role].is_for_programs]
    names = sorted(frozenset().union(*ROLES.values()))
    return write_page(
        "Roles and permissions",
        "## Roles of people",
        _write_roles(people),
        "## Roles of programs",
        _write_roles(programs),
        "## Permissions",
        write_paragraph(_ON_PERMISSIONS),
        write_table(
            ("permission", *_ROLES_OF_PEOPLE, "other roles"), [_describe_permission(name) for name in names]
        ),
    )


def _write_roles(roles: list[str]) -> str:
    rows = [(f"`{role}`", TEXTS[role].title, TEXTS[role].meaning) for role in roles]
    return write_table(("role", "name", "effect"), rows)


def _describe_permission(name: str) -> list[str]:
    having = ["yes" if name in ROLES[role] else "" for role in _ROLES_OF_PEOPLE]
    others = [role for role in ROLES if role not in _ROLES_OF_PEOPLE and name in ROLES[role]]
    return [f"`{name.partition('.')[2]}`", *having, write_code(*others)]
