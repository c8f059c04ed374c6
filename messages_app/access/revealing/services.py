"""Showing values in a session for a while, and masking them again. Source: reliability S-59."""

from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from messages_app.access.services import digest
from messages_app.access.sessions.sending import row_of
from messages_app.access.sessions.services import SessionNotFound
from messages_app.audit import services as audit


def reveal(*, user: AbstractBaseUser, session_key: str, reason: str, actor: audit.Actor) -> datetime:
    """
    Show values in a session from now on; a second time makes it last anew.

    Args:
        user: whose session it is, who has the right to read payloads.
        reason: checked by the form: 1 to MAX_REASON characters.

    Returns:
        Until when, by the database's clock.

    Raises:
        SessionNotFound: it has ended, or is not the user's.
    """
    values = {
        "key": digest(session_key),
        "user_id": user.pk,
        "length": timedelta(minutes=settings.REVEAL_MINUTES),
    }
    with transaction.atomic():
        row = row_of("reveal", values)
        if row is None:
            raise SessionNotFound
        session_id, until = row
        details = {"session_id": session_id, "until": until.isoformat()}
        audit.record(actor=actor, action="reveal_values", reason=reason, details=details)
    return until


def mask_again(*, session_key: str, actor: audit.Actor) -> bool:
    """Mask values in a session at once; return whether they were shown."""
    with transaction.atomic():
        row = row_of("mask_again", {"key": digest(session_key)})
        if row:
            audit.record(actor=actor, action="mask_values", details={"session_id": row[0]})
    return row is not None
