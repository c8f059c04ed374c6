"""Which sessions somebody has, and how long one still lasts."""

from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import QuerySet
from django.db.models.functions import Now

from messages_app.access.services import digest
from messages_app.access.sessions.models import UserSession
from messages_app.access.sessions.sending import row_of
from messages_app.access.sessions.store import longest


@dataclass(frozen=True)
class TimeLeft:
    """
    How long a session still lasts.

    Args:
        seconds: until it ends unless it is used.
        may_grow: using it makes them more; not once its longest time is what ends it.
    """

    seconds: int
    may_grow: bool


def sessions_of(user: AbstractBaseUser) -> QuerySet[UserSession]:
    """Return the sessions that live, the last used first; one of an earlier password does not."""
    digests = [user.get_session_auth_hash(), *user.get_session_auth_fallback_hash()]
    living = UserSession.objects.filter(user_id=user.pk, ends_at__gt=Now(), password_digest__in=digests)
    return living.order_by("-last_used_at", "-session_id")


def is_of_key(session: UserSession, session_key: str | None) -> bool:
    """Say whether this is the session of a key."""
    return session_key is not None and session.key_sha256 == digest(session_key)


def time_left(session_key: str) -> TimeLeft:
    """Return how long the session of this key lasts; 0 seconds where it has ended."""
    row = row_of("time_left", {"key": digest(session_key), "longest": longest()})
    return TimeLeft(*row) if row else TimeLeft(0, may_grow=False)
