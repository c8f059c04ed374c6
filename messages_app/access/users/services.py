"""
Every change of users. One change at a time, so that each is checked against what is committed.

The manager of a change must still be active and have the permission when it is made. No one changes their own
account here. So there is always an administrator left.

Source: docs/contributing/spec/promises.md, S-20, S-28, S-64.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypedDict, Unpack

from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.db import transaction

from messages_app.access import roles
from messages_app.access.backends import has_provider_account, user_with_rights
from messages_app.access.second_factor.devices import remove_devices
from messages_app.access.users.grants import (
    Grant,
    Mark,
    all_grants,
    columns_of,
    grants_of,
    why_not_given,
    why_not_managed,
)
from messages_app.audit import services as audit
from messages_app.core.edit_versions import check_version, digest_values
from messages_app.core.statements import Statements
from messages_app.core.transaction_locks import TransactionLock

statements = Statements("messages_app.access.users")
# Each change sees what the others have committed: two administrators cannot deactivate each other.
USERS = TransactionLock("hubconsole users")
SUBJECT_KIND = "user"


class UserNotFound(Exception):
    """No user has this id."""


class ChangeRefused(Exception):
    """
    A change is not made.

    Args:
        text: a sentence with the reason.
        field: the field at fault; empty: none of them.
    """

    def __init__(self, text: str, field: str = "") -> None:
        super().__init__(text)
        self.field = field


class Profile(TypedDict):
    """The columns of a user that an administrator enters."""

    username: str
    first_name: str
    last_name: str
    email: str


@dataclass(frozen=True, kw_only=True)
class Ended:
    """The numbers of sessions and tokens that a change has ended."""

    sessions: int
    tokens: int = 0


def create_user(
    *, manager_id: int, actor: audit.Actor, grants: Collection[str], reason: str, **profile: Unpack[Profile]
) -> User:
    """
    Create a user without a password, who sets one by a link (links.py).

    Raises:
        ChangeRefused: the name is taken, or the manager may not give one of `grants`.
    """
    with transaction.atomic():
        manager = _lock_and_check_manager(manager_id)
        chosen = _choose_grants(manager, all_grants(), grants, before=())
        _check_name(profile["username"])
        values = {**profile, **columns_of(chosen), "password": make_password(None)}
        row = statements.fetch_row("insert_user", values)
        if row is None:
            raise ChangeRefused("A user with this name already exists.", "username")
        user = User.objects.get(pk=row[0])
        _record_change(actor, "create_user", user, reason=reason, roles=sorted(grants))
    return user


def read_version(user: User) -> str:
    """Return the version of the names, the email address and the roles of a user, for `change_user`."""
    values = {name: getattr(user, name) for name in Profile.__annotations__}
    return digest_values(values | {"grants": grants_of(user)})


def change_user(
    *,
    user_id: int,
    manager_id: int,
    actor: audit.Actor,
    version: str,
    grants: Collection[str],
    reason: str,
    **profile: Unpack[Profile],
) -> None:
    """
    Change the name, the email address and the roles of a user.

    Args:
        version: of the user that the manager has seen.

    Raises:
        UserNotFound: no user has this id.
        ChangeRefused: the manager may not change this user, or may not give or take one of the roles.
        EditConflict: the user has another version.
    """
    with _open_change(user_id, manager_id) as (manager, user):
        before = grants_of(user)
        check_version(version, read_version(user))
        if (set(before) ^ set(grants)) - set(Mark) and has_provider_account(user):
            raise ChangeRefused("The roles of this user come from groups at the identity provider.", "grants")
        chosen = _choose_grants(manager, all_grants(user), grants, before=before)
        _check_name(profile["username"], user_id=user.pk)
        changed = sorted(name for name, value in profile.items() if getattr(user, name) != value)
        values = {**profile, **columns_of(chosen), "user_id": user.pk, "seen_name": user.get_username()}
        (count,) = statements.only_row("change_user", values)
        _check_count(count)
        difference = {"before": before, "after": sorted(grants)} if before != sorted(grants) else {}
        _record_change(actor, "change_user", user, reason=reason, changed=changed, roles=difference)


def deactivate_user(*, user_id: int, manager_id: int, actor: audit.Actor, reason: str) -> Ended:
    """
    Deactivate a user. Sessions and tokens end with the same statement.

    Raises:
        UserNotFound: no user has this id.
        ChangeRefused: the manager may not change this user, or the user is not active.
    """
    with _open_change(user_id, manager_id) as (_, user):
        count, sessions, tokens = statements.only_row("deactivate_user", {"user_id": user.pk})
        _check_count(count, "This user is already deactivated.")
        ended = Ended(sessions=sessions, tokens=tokens)
        _record_change(actor, "deactivate_user", user, reason=reason, sessions=sessions, tokens=tokens)
    return ended


def reactivate_user(*, user_id: int, manager_id: int, actor: audit.Actor, reason: str) -> None:
    """
    Activate a user again, with the same roles and password. Revoked tokens stay revoked.

    Raises:
        UserNotFound: no user has this id.
        ChangeRefused: the manager may not change this user, or the user is active.
    """
    with _open_change(user_id, manager_id) as (_, user):
        _check_count(statements.count("reactivate_user", {"user_id": user.pk}), "This user is active.")
        _record_change(actor, "reactivate_user", user, reason=reason)


def reset_password(*, user_id: int, manager_id: int, actor: audit.Actor, reason: str) -> User:
    """
    Take the password of a user away, and end the sessions. The user sets another one by a link.

    Raises:
        UserNotFound: no user has this id.
        ChangeRefused: the manager may not change this user, or the user is not active.
    """
    password = make_password(None)
    with _open_change(user_id, manager_id) as (_, user):
        values = {"user_id": user.pk, "password": password, "seen_password": user.password}
        count, sessions = statements.only_row("replace_password", values)
        _check_count(count, "Activate the user first.")
        _record_change(actor, "reset_password", user, reason=reason, sessions=sessions)
    user.password = password
    return user


def reset_second_factor(*, user_id: int, manager_id: int, actor: audit.Actor, reason: str) -> Ended:
    """
    Remove the second factor of a user who has lost it, and end the sessions.

    Raises:
        UserNotFound: no user has this id.
        ChangeRefused: the manager may not change this user, or there is no second factor.
    """
    with _open_change(user_id, manager_id) as (_, user):
        if not remove_devices(user=user, actor=actor, reason=reason):
            raise ChangeRefused("This user has no second factor.")
        return Ended(sessions=statements.count("end_sessions", {"user_id": user.pk}))


def end_sessions(*, user_id: int, manager_id: int, actor: audit.Actor, reason: str) -> Ended:
    """
    End all sessions of a user.

    Raises:
        UserNotFound: no user has this id.
        ChangeRefused: the manager may not change this user, or the user has no session.
    """
    with _open_change(user_id, manager_id) as (_, user):
        sessions = statements.count("end_sessions", {"user_id": user.pk})
        _check_count(sessions, "This user is not logged in.")
        _record_change(actor, "end_sessions", user, reason=reason, sessions=sessions)
    return Ended(sessions=sessions)


@contextmanager
def _open_change(user_id: int, manager_id: int) -> Iterator[tuple[User, User]]:
    """Open the transaction of a change. Give the manager and the user as they are now."""
    with transaction.atomic():
        manager, user = _lock_and_check_manager(manager_id), user_with_rights(user_id)
        if user is None:
            raise UserNotFound(f"No user has the id {user_id}.")
        if why := why_not_managed(manager, user):
            raise ChangeRefused(why)
        yield manager, user


def _lock_and_check_manager(manager_id: int) -> User:
    USERS.acquire()
    manager = user_with_rights(manager_id)
    if manager is None or not manager.has_perm(roles.CAN_MANAGE_USERS):
        raise ChangeRefused("You may no longer manage users.")
    return manager


def _choose_grants(
    manager: User, available: dict[str, Grant], keys: Collection[str], *, before: Collection[str]
) -> list[Grant]:
    """Return the grants of these keys, if the manager may give each new one and take each missing one."""
    if unknown := sorted(set(keys) - available.keys()):
        raise ChangeRefused(f"There is no role {unknown[0]!r}.", "grants")
    for key in sorted(set(keys) ^ set(before)):
        if why := why_not_given(manager, available[key]):
            raise ChangeRefused(why, "grants")
    return [available[key] for key in sorted(set(keys))]


def _check_name(username: str, *, user_id: int = 0) -> None:
    """Refuse a name that another user has, in any case of letters: people would take one for the other."""
    if User.objects.filter(username__iexact=username).exclude(pk=user_id).exists():
        raise ChangeRefused("A user with this name already exists.", "username")


def _check_count(count: int, text: str = "The user was changed meanwhile. Try again.") -> None:
    if not count:
        raise ChangeRefused(text)


def _record_change(actor: audit.Actor, action: str, user: User, *, reason: str, **details: object) -> None:
    audit.record_entry(
        actor=actor,
        action=action,
        subject_kind=SUBJECT_KIND,
        subject=user.pk,
        reason=reason,
        details={"user": user.get_username(), **details},
    )
