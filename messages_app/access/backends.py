"""
The authentication backend (AUTHENTICATION_BACKENDS): loads a user and all permissions in one query.

Django's own backend needs three, and rebuilds them for every request.
"""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User
from django.db import DEFAULT_DB_ALIAS
from psycopg.rows import TupleRow

from messages_app.access.choices import Choices
from messages_app.access.models import ApiToken
from messages_app.core.statements import Statements

_COLUMNS = [field.attname for field in User._meta.concrete_fields]
_CHOICES = ("time_zone", "density", "start_page", "pins")
_TOKEN_COLUMNS = [field.attname for field in ApiToken._meta.concrete_fields]

statements = Statements("messages_app.access")


class RightsBackend(ModelBackend):
    """
    Django's rules for passwords and rights. A user of a request has the rights from when the user was read.

    Of any other user, Django reads them as always: a worker may not read password hashes.
    """

    def get_user(self, user_id: Any) -> User | None:  # Django's types: any key
        user = user_with_rights(user_id)
        return user if user is not None and self.user_can_authenticate(user) else None


def user_with_rights(user_id: object) -> User | None:
    """Return a user, active or not, who knows their rights without a further statement; None if deleted."""
    row = statements.fetch_row("load_user", {"user_id": user_id, "key": None}, prepare=True)
    return None if row is None else _user_of(row)


def stored_rights(user: User) -> frozenset[str]:
    """Return the rights that were read with a user. Django gives a deactivated user none."""
    return frozenset(user._perm_cache)  # type: ignore[attr-defined]  # set by _user_of


def has_provider_account(user: User) -> bool:
    """Whether a user logs in through an identity provider, which has their password and second factor."""
    return getattr(user, "provider_account", None) is not None


@dataclass(frozen=True, kw_only=True)
class FoundToken:
    """
    A token, with its user like `user_with_rights`.

    Args:
        is_expired: whether it has expired, by the database's clock.
        is_use_due: whether its use must be recorded.
    """

    token: ApiToken
    is_expired: bool
    is_use_due: bool


def token_with_user(key_sha256: str) -> FoundToken | None:
    """Return the token with this digest of its key, valid or not; None for an unknown one."""
    row = statements.fetch_row("load_user", {"user_id": None, "key": key_sha256}, prepare=True)
    if row is None:
        return None
    *values, is_expired, is_use_due = row[len(_COLUMNS) + 1 + len(_CHOICES) :]
    token = ApiToken.from_db(DEFAULT_DB_ALIAS, _TOKEN_COLUMNS, values)
    token.user = _user_of(row)
    return FoundToken(token=token, is_expired=is_expired, is_use_due=is_use_due)


def _user_of(row: TupleRow) -> User:
    """Return the user at the beginning of a row of load_user.sql."""
    user = User.from_db(DEFAULT_DB_ALIAS, _COLUMNS, row[: len(_COLUMNS)])
    rights, *chosen = row[len(_COLUMNS) : len(_COLUMNS) + 1 + len(_CHOICES)]
    # Where Django's backend looks for them.
    user._perm_cache = set(rights)  # type: ignore[attr-defined]
    if chosen[0] is not None:
        user.choices = Choices(**dict(zip(_CHOICES, chosen, strict=True)))  # type: ignore[attr-defined]
    return user
