"""Ending sessions, the user's own. Source: docs/spec/promises.md, S-55."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from messages_app.access.models import UserSession
from messages_app.access.sessions.store import longest
from messages_app.access.token_services import digest
from messages_app.audit import services as audit
from messages_app.core.statements import Statements

statements = Statements("messages_app.access.sessions")


class SessionNotFound(Exception):
    """The user has no session of this id, or it has ended."""


def end_session(*, user: User, session_id: int, actor: audit.Actor) -> None:
    """
    End one session of `user`: its key is rejected from the next request on.

    Raises:
        SessionNotFound: the user has none of this id, or it has ended.
    """
    with transaction.atomic():
        if not statements.count("end_session", {"session_id": session_id, "user_id": user.pk}):
            raise SessionNotFound
        audit.record(actor=actor, action="end_session", details={"session_id": session_id})


def end_other_sessions(*, user: User, kept_key: str | None, actor: audit.Actor) -> int:
    """End all sessions of `user` but the one of a key, and return how many there were."""
    with transaction.atomic():
        ended = statements.count("end_other_sessions", {"user_id": user.pk, "key": digest(kept_key)})
        if ended:
            audit.record(actor=actor, action="end_other_sessions", details={"sessions": ended})
    return ended


# Which sessions someone has, and how long one still lasts.


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


def sessions_of(user: User) -> QuerySet[UserSession]:
    """Return the sessions that live, the last used first; one of an earlier password does not."""
    digests = [user.get_session_auth_hash(), *user.get_session_auth_fallback_hash()]
    living = UserSession.objects.filter(user_id=user.pk, ends_at__gt=Now(), password_digest__in=digests)
    return living.order_by("-last_used_at", "-session_id")


def is_of_key(session: UserSession, session_key: str | None) -> bool:
    """Say whether this is the session of a key."""
    return session_key is not None and session.key_sha256 == digest(session_key)


def time_left(session_key: str | None) -> TimeLeft:
    """Return how long the session of this key lasts; 0 seconds where it has ended."""
    row = statements.row("time_left", {"key": digest(session_key), "longest": longest()})
    return TimeLeft(*row) if row else TimeLeft(0, may_grow=False)
