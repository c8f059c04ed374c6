"""
The users of identity providers. The first log-in creates a user without any right.

At each log-in, the roles become those of the groups. Source: docs/howto/company_accounts.md, "Users".
"""

from dataclasses import dataclass
from itertools import count

from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest

from messages_app.access.actors import actor_of_name
from messages_app.access.backends import user_with_rights
from messages_app.access.provider_settings import Provider
from messages_app.access.providers.identities import Identity, LogInRefused
from messages_app.access.users.services import SUBJECT_KIND, USERS
from messages_app.audit import services as audit
from messages_app.core.statements import Statements

statements = Statements("messages_app.access.providers")

# The part of a name that is left for what makes it unique.
_MAX_NAME = 100
_NO_NAME = "user"
_SIGNS = frozenset("@.+-_")


@dataclass(frozen=True, kw_only=True)
class Ended:
    """The sessions of one user that a provider has ended."""

    user_id: int
    username: str
    sessions: int


def admit_identity(request: HttpRequest, *, provider: Provider, identity: Identity) -> User:
    """
    Return the user of an identity with the roles of today's groups; create the user at the first log-in.

    Raises:
        LogInRefused: an administrator has deactivated the user.
    """
    with transaction.atomic():
        # One log-in at a time, against what is committed: neither a name nor an identity is taken twice.
        USERS.acquire()
        row = statements.fetch_row("find_account", _key_of(identity))
        user_id, username = row[:2] if row else _create_user(request, provider, identity)
        values = {
            **_key_of(identity),
            "user_id": user_id,
            "first_name": identity.first_name[:150],
            "last_name": identity.last_name[:150],
            "email": identity.email,
            "groups": list(identity.groups),
        }
        roles = statements.fetch_row("update_account", values)
        if roles is None:
            raise LogInRefused(
                "deactivated", "An administrator has deactivated your account in this console."
            )
        before, after = roles
        if before != after:
            audit.record_entry(
                actor=actor_of_name(request, username, user_id=user_id),
                action="change_user",
                subject_kind=SUBJECT_KIND,
                subject=user_id,
                reason=f"Groups at {provider.name}",
                details={"user": username, "roles": {"before": before, "after": after}},
            )
        user = user_with_rights(user_id)
    assert user is not None  # noqa: S101  # its row was changed in this transaction
    return user


def end_sessions(*, issuer: str, subject: str, provider_session: str, at: float) -> list[Ended]:
    """
    End sessions because the provider has logged their user out; change, and audit entry by the caller.

    Args:
        subject, provider_session: one of them may be empty, for any; the other names the sessions.
        at: seconds since 1970; later sessions stay.
    """
    values = {"issuer": issuer, "subject": subject, "provider_session": provider_session, "at": at}
    return [
        Ended(user_id=user_id, username=username, sessions=number)
        for user_id, username, number in statements.fetch_rows("end_sessions", values)
    ]


def _key_of(identity: Identity) -> dict[str, str]:
    return {"issuer": identity.issuer, "subject": identity.subject}


def _create_user(request: HttpRequest, provider: Provider, identity: Identity) -> tuple[int, str]:
    """Create a user without roles, whose name no other user has: a name never leads to an account."""
    username = _find_free_name(identity.wanted_name, provider)
    user = User.objects.create(username=username, password=make_password(None))
    statements.count("insert_account", {**_key_of(identity), "user_id": user.pk})
    audit.record_entry(
        actor=actor_of_name(request, username, user_id=user.pk),
        action="create_user",
        subject_kind=SUBJECT_KIND,
        subject=user.pk,
        reason=f"First log-in through {provider.name}",
        details={"user": username, "provider": provider.key},
    )
    return user.pk, username


def _find_free_name(text: str, provider: Provider) -> str:
    name = "".join(sign if sign.isalnum() or sign in _SIGNS else "-" for sign in text)[:_MAX_NAME].strip("-")
    name = name or _NO_NAME
    names = (name, f"{name}-{provider.key}", *(f"{name}-{provider.key}-{number}" for number in range(2, 10)))
    later = (f"{name}-{provider.key}-{number}" for number in count(10))
    return next(each for many in (names, later) for each in many if _is_free(each))


def _is_free(name: str) -> bool:
    try:
        User._meta.get_field("username").run_validators(name)
    except ValidationError:  # It is reserved, or has letters that names may not have.
        return False
    return not User.objects.filter(username__iexact=name).exists()
