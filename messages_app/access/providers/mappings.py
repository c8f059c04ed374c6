"""
Roles of the groups of a provider. A change counts from a user's next log-in on.

No one maps a role with more permissions than they have: a member of the group would get them.
Source: docs/howto/company_accounts.md, "Groups and roles".
"""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from messages_app.access import roles
from messages_app.access.backends import user_with_rights
from messages_app.access.users.grants import Grant, all_grants, why_not_given
from messages_app.access.users.services import USERS, ChangeRefused
from messages_app.audit import services as audit
from messages_app.core.statements import Statements

statements = Statements("messages_app.access.providers")
SUBJECT_KIND = "group_mapping"
_MAX_LINES = 1_000


class MappingNotFound(Exception):
    """No mapping has this id."""


@dataclass(frozen=True, kw_only=True)
class MappingLine:
    """
    A role of a group.

    Args:
        role: its key.
        users: how many users had the group at their last log-in.
    """

    mapping_id: int
    issuer: str
    group_name: str
    role: str
    created_at: datetime
    users: int


def list_mappings(mapping_id: int | None = None) -> list[MappingLine]:
    """Return the mappings by provider and group, or one of them."""
    values = {"mapping_id": mapping_id, "most": _MAX_LINES}
    return statements.fetch_records("list_mappings", values, MappingLine)


def list_groups_without_role(issuer: str) -> list[str]:
    """Return groups of a provider's users without a role, those of most users first."""
    return statements.fetch_column("groups_without_role", {"issuer": issuer, "most": _MAX_LINES})


def offer_roles(manager_id: int) -> list[Grant]:
    """Return the roles that the manager may give to a group."""
    manager = user_with_rights(manager_id)
    role_grants = [grant for grant in all_grants().values() if grant.group_id is not None]
    return [grant for grant in role_grants if manager is not None and not why_not_given(manager, grant)]


def add_mapping(
    *, manager_id: int, actor: audit.Actor, issuer: str, group_name: str, role: str, reason: str
) -> None:
    """
    Give a role to a group.

    Raises:
        ChangeRefused: the manager may not give the role, or the group has it already.
    """
    with transaction.atomic():
        grant = _check_role(manager_id, role)
        values = {"issuer": issuer, "group_name": group_name, "role_id": grant.group_id}
        row = statements.fetch_row("insert_mapping", values)
        if row is None:
            raise ChangeRefused("The group has this role already.", "group_name")
        _record_change(actor, "map_group", row[0], reason=reason, group=group_name, role=role)


def remove_mapping(*, manager_id: int, actor: audit.Actor, mapping_id: int, reason: str) -> MappingLine:
    """
    Take a role from a group, and return what was removed.

    Raises:
        MappingNotFound: it does not exist.
        ChangeRefused: the manager may not take the role.
    """
    with transaction.atomic():
        lines = list_mappings(mapping_id)
        if not lines:
            raise MappingNotFound(f"No mapping has the id {mapping_id}.")
        line = lines[0]
        _check_role(manager_id, line.role)
        if not statements.count("delete_mapping", {"mapping_id": mapping_id}):
            raise MappingNotFound(f"No mapping has the id {mapping_id}.")
        _record_change(actor, "unmap_group", mapping_id, reason=reason, group=line.group_name, role=line.role)
    return line


def _check_role(manager_id: int, role: str) -> Grant:
    USERS.acquire()
    manager = user_with_rights(manager_id)
    if manager is None or not manager.has_perm(roles.CAN_MANAGE_USERS):
        raise ChangeRefused("You may no longer manage users.")
    grant = all_grants().get(role)
    if grant is None or grant.group_id is None:
        raise ChangeRefused(f"There is no role {role!r}.", "role")
    if why := why_not_given(manager, grant):
        raise ChangeRefused(why, "role")
    return grant


def _record_change(actor: audit.Actor, action: str, key: int, *, reason: str, **details: object) -> None:
    audit.record_entry(
        actor=actor, action=action, subject_kind=SUBJECT_KIND, subject=key, reason=reason, details=details
    )
