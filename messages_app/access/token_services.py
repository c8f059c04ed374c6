"""Every write to API tokens. Source: docs/contributing/spec/promises.md, S-56."""

import hashlib
import secrets
from collections.abc import Collection
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models.functions import Now

from messages_app.access.models import ApiToken
from messages_app.access.scopes import SCOPES, split_scope, why_none
from messages_app.audit import services as audit

# Scanners for leaked secrets find keys by this prefix.
KEY_PREFIX = "hubc_"
_KEY_BYTES = 32
DEFAULT_DAYS = 90
MAX_DAYS = 365
MAX_NAME = 60
MAX_PER_MINUTE = 1_000_000


class TokenNotFound(Exception):
    """No token has this id."""


class NameTaken(Exception):
    """The user already has a valid token with this name."""


def create_token(
    *,
    user: User,
    name: str,
    actor: audit.Actor,
    days: int = DEFAULT_DAYS,
    requests_per_minute: int | None = None,
    scopes: Collection[str] | None = None,
    reason: str = "",
    needs_new_name: bool = False,
) -> tuple[ApiToken, str]:
    """
    Create a token, and return it with its key. The key is not stored, so this is the only time that it is
    visible.

    Args:
        user: the user whose permissions the token has.
        name: the purpose of the token, for the audit log.
        days: days until it expires, from 1 to 365, by the database's clock.
        requests_per_minute: from 1 to a million; None: the limits of the settings.
        scopes: at least one scope of scopes.py; None: all permissions of the user. It is not checked whether
            a queue or trigger of a name exists.
        needs_new_name: refuse the name of another valid token of the user, as after a second click. Scripts
            that replace a token may give both one name.

    Raises:
        NameTaken: `needs_new_name`, and a valid token of the user has this name.
        ValueError: `days`, `name`, `requests_per_minute` or `scopes` is out of bounds.
    """
    kept_scopes = _sort_scopes(scopes)
    if not 1 <= days <= MAX_DAYS:
        raise ValueError(f"days must be from 1 to {MAX_DAYS}, not {days}.")
    if not 1 <= len(name) <= MAX_NAME or "\0" in name:
        raise ValueError(f"name must have 1 to {MAX_NAME} characters.")
    if requests_per_minute is not None and not 1 <= requests_per_minute <= MAX_PER_MINUTE:
        raise ValueError(f"requests_per_minute must be from 1 to {MAX_PER_MINUTE}.")
    key = KEY_PREFIX + secrets.token_urlsafe(_KEY_BYTES)
    with transaction.atomic():
        if needs_new_name:
            _check_name(user, name)
        token = ApiToken.objects.create(
            user=user,
            name=name,
            key_sha256=digest_key(key),
            expires_at=Now() + timedelta(days=days),
            requests_per_minute=requests_per_minute,
            scopes=kept_scopes,
        )
        audit.record_entry(
            actor=actor,
            action="create_token",
            reason=reason,
            details={"token": name, "user": user.get_username(), "days": days, "scopes": kept_scopes},
        )
    token.refresh_from_db()  # Its times are set by the database.
    return token, key


def _check_name(user: User, name: str) -> None:
    """Check that no valid token has a name, under a lock of the user's row that the next check waits for."""
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if ApiToken.objects.filter(user=user, name=name, revoked_at=None, expires_at__gt=Now()).exists():
        raise NameTaken("This user already has a valid token with this name.")


def _sort_scopes(scopes: Collection[str] | None) -> list[str] | None:
    """
    Return the scopes in the order of their table, without duplicates. Raises ValueError: one is invalid.
    """
    if scopes is None:
        return None
    for why in filter(None, map(why_none, scopes or [""])):
        raise ValueError(why)
    order = list(SCOPES)
    return sorted(set(scopes), key=lambda scope: (order.index(split_scope(scope)[0]), scope))


def revoke_token(*, token_id: int, actor: audit.Actor, reason: str = "") -> None:
    """
    End a token immediately. Revoking it again changes nothing.

    Raises:
        TokenNotFound: no token has this id.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE api_token SET revoked_at = now()"
            " WHERE token_id = %s AND revoked_at IS NULL RETURNING name",
            [token_id],
        )
        row = cursor.fetchone()
        if row:
            audit.record_entry(actor=actor, action="revoke_token", reason=reason, details={"token": row[0]})
        elif not ApiToken.objects.filter(pk=token_id).exists():
            raise TokenNotFound(f"No token has the id {token_id}.")


def digest_key(key: str | None) -> str:
    """
    Return the stored form of a key. A key has 256 random bits, so one round of SHA-256 is enough.

    A missing key gives the digest of an empty one, which no stored row has.
    """
    return hashlib.sha256((key or "").encode("utf-8", "surrogateescape")).hexdigest()
