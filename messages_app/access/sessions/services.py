"""Ending sessions, one's own. Source: reliability S-55."""

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from messages_app.access.services import digest
from messages_app.access.sessions.sending import count_of
from messages_app.audit import services as audit


class SessionNotFound(Exception):
    """The user has no session of this id, or it has ended."""


def end_session(*, user: AbstractBaseUser, session_id: int, actor: audit.Actor) -> None:
    """
    End one session of `user`: its next request is nobody's.

    Raises:
        SessionNotFound: the user has none of this id, or it has ended.
    """
    with transaction.atomic():
        if not count_of("end_session", {"session_id": session_id, "user_id": user.pk}):
            raise SessionNotFound
        audit.record(actor=actor, action="end_session", details={"session_id": session_id})


def end_other_sessions(*, user: AbstractBaseUser, kept_key: str, actor: audit.Actor) -> int:
    """End all sessions of `user` but the one of a key, and return how many there were."""
    with transaction.atomic():
        ended = count_of("end_other_sessions", {"user_id": user.pk, "key": digest(kept_key)})
        if ended:
            audit.record(actor=actor, action="end_other_sessions", details={"sessions": ended})
    return ended
