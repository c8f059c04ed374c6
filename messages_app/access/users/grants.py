"""
The grants of users: roles, with a sentence each, single permissions, and two marks of an account.

No one gives more than they have, and no one changes a user who has more: otherwise the permission to manage
users would grant every permission.

Source: docs/contributing/spec/promises.md, S-20.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from django.contrib.auth.models import Group, Permission, User

from messages_app.access.backends import stored_rights
from messages_app.access.roles import TEXTS
from messages_app.core.stores import RoleText


class Mark(StrEnum):
    """A mark of an account, which is a column of Django's table."""

    TABLES = "is_staff"
    EVERYTHING = "is_superuser"


_MARKS = {
    Mark.TABLES: ("Hub tables", "Also opens the hub's rows at /admin/, as far as the roles allow."),
    Mark.EVERYTHING: ("Superuser", "Has every permission, and manages all users."),
}
_ORDER = [*TEXTS, *Mark]


@dataclass(frozen=True, kw_only=True)
class Grant:
    """
    Something that a user can be given.

    Args:
        key: its name in forms and in the audit log.
        title: a short name.
        meaning: a sentence that says what a user with it may do.
        rights: the permissions that it gives.
        is_for_programs: whether it is meant for tokens of programs instead of people.
        group_id, permission_id: its row; a mark has neither.
    """

    key: str
    title: str
    meaning: str
    rights: frozenset[str] = frozenset()
    is_for_programs: bool = False
    group_id: int | None = None
    permission_id: int | None = None

    def __str__(self) -> str:
        return self.title


def title_of(key: str) -> str:
    """Return the name of a role or mark in words."""
    if key in _MARKS:
        return _MARKS[Mark(key)][0]
    return TEXTS[key].title if key in TEXTS else key


def all_grants(user: User | None = None) -> dict[str, Grant]:
    """
    Return everything that can be given, by key: every role and mark.

    Args:
        user: also the single permissions of this user. Others cannot be given, because a role can be.
    """
    grants = [*_iterate_roles(), *_iterate_marks(), *(_iterate_permissions(user) if user else ())]
    place = {key: number for number, key in enumerate(_ORDER)}
    ordered = sorted(grants, key=lambda grant: (place.get(grant.key, len(place)), grant.key))
    return {grant.key: grant for grant in ordered}


def grants_of(user: User) -> list[str]:
    """Return the keys of everything that a user has been given."""
    marks = [mark.value for mark in Mark if getattr(user, mark.value)]
    roles = user.groups.values_list("name", flat=True)
    return sorted([*roles, *marks, *(grant.key for grant in _iterate_permissions(user))])


def why_not_given(manager: User, grant: Grant) -> str:
    """Return a sentence that says why `manager` cannot give or take something; empty if they can."""
    if manager.is_superuser:
        return ""
    if grant.key == Mark.EVERYTHING or (grant.key == Mark.TABLES and not manager.is_staff):
        return f"Only users with “{grant.title}” can give it."
    if lacking := sorted(grant.rights - stored_rights(manager)):
        return f"“{grant.title}” has the permission {_short_name(lacking[0])}, which you do not have."
    return ""


def why_not_managed(manager: User, user: User) -> str:
    """Return a sentence that says why `manager` cannot change a user; empty if they can."""
    if manager.pk == user.pk:
        return "Another administrator has to change your own account."
    if manager.is_superuser:
        return ""
    if user.is_superuser:
        return "Only superusers change superusers."
    lacking = sorted(stored_rights(user) - stored_rights(manager))
    if lacking or (user.is_staff and not manager.is_staff):
        what = f"the permission {_short_name(lacking[0])}" if lacking else "access to the hub's tables"
        return f"{user.get_username()} has {what}, which you do not have."
    return ""


def columns_of(grants: Iterable[Grant]) -> Mapping[str, Collection[int] | bool]:
    """Return the values of these grants for the statements that store them."""
    grants = list(grants)
    keys = {grant.key for grant in grants}
    return {
        "groups": [grant.group_id for grant in grants if grant.group_id is not None],
        "permissions": [grant.permission_id for grant in grants if grant.permission_id is not None],
        **{mark.value: mark.value in keys for mark in Mark},
    }


def _iterate_roles() -> Iterator[Grant]:
    for group in Group.objects.prefetch_related("permissions__content_type"):
        rights = frozenset(map(_name_of_permission, group.permissions.all()))
        text = TEXTS.get(group.name) or RoleText(group.name, _list_rights(rights))
        yield Grant(key=group.name, **text._asdict(), rights=rights, group_id=group.pk)


def _iterate_marks() -> Iterator[Grant]:
    for mark, (title, meaning) in _MARKS.items():
        yield Grant(key=mark.value, title=title, meaning=meaning)


def _iterate_permissions(user: User) -> Iterator[Grant]:
    for permission in user.user_permissions.select_related("content_type"):
        name = _name_of_permission(permission)
        yield Grant(
            key=f"permission {permission.codename}",
            title=permission.codename,
            meaning="A single permission. Once taken away, it can only be given by a role.",
            rights=frozenset({name}),
            permission_id=permission.pk,
        )


def _list_rights(rights: frozenset[str]) -> str:
    names = ", ".join(sorted(map(_short_name, rights)))
    return f"A role of this installation: {names}." if names else "A role without permissions."


def _name_of_permission(permission: Permission) -> str:
    return f"{permission.content_type.app_label}.{permission.codename}"


def _short_name(right: str) -> str:
    return right.partition(".")[2]
