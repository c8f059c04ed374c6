"""The end and the list of a user's own sessions. Source: docs/contributing/spec/promises.md, S-55."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from messages_app.access.models import UserSession
from messages_app.access.sessions.store import maximum_age
from messages_app.access.token_services import digest_key
from messages_app.audit import services as audit
from messages_app.core.statements import Statements

statements = Statements("messages_app.access.sessions")


class SessionNotFound(Exception):
    """The user has no session with this id, or it has ended."""


def end_session(*, user: User, session_id: int, actor: audit.Actor) -> None:
    """
    End one session of `user`. Its key is rejected from the next request on.

    Raises:
        SessionNotFound: the user has no session with this id, or it has ended.
    """
    with transaction.atomic():
        if not statements.count("end_session", {"session_id": session_id, "user_id": user.pk}):
            raise SessionNotFound
        audit.record_entry(actor=actor, action="end_session", details={"session_id": session_id})


def end_other_sessions(*, user: User, kept_key: str | None, actor: audit.Actor) -> int:
    """End all sessions of `user` except the one with `kept_key`. Return their number."""
    with transaction.atomic():
        ended = statements.count("end_other_sessions", {"user_id": user.pk, "key": digest_key(kept_key)})
        if ended:
            audit.record_entry(actor=actor, action="end_other_sessions", details={"sessions": ended})
    return ended


@dataclass(frozen=True)
class TimeLeft:
    """
    The remaining time of a session.

    Args:
        seconds: seconds until it ends if it is not used.
        may_grow: whether use extends it; not if its maximum age ends it anyway.
    """

    seconds: int
    may_grow: bool


def sessions_of(user: User) -> QuerySet[UserSession]:
    """
    Return the active sessions, the last used first. Sessions that began with an earlier password are not
    active.
    """
    digests = [user.get_session_auth_hash(), *user.get_session_auth_fallback_hash()]
    living = UserSession.objects.filter(user_id=user.pk, ends_at__gt=Now(), password_digest__in=digests)
    return living.order_by("-last_used_at", "-session_id")


def is_of_key(session: UserSession, session_key: str | None) -> bool:
    """Whether the session has this key."""
    return session_key is not None and session.key_sha256 == digest_key(session_key)


def time_left(session_key: str | None) -> TimeLeft:
    """Return the remaining time of the session with this key; 0 seconds if it has ended."""
    row = statements.fetch_row("time_left", {"key": digest_key(session_key), "longest": maximum_age()})
    return TimeLeft(*row) if row else TimeLeft(0, may_grow=False)
