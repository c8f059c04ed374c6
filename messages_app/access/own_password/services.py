"""Giving a user another password. Source: reliability S-53, S-55."""

from django.contrib.auth import get_user_model, update_session_auth_hash
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.http import HttpRequest

from messages_app.access.actors import actor_of
from messages_app.access.sessions.services import end_other_sessions
from messages_app.audit import services as audit

ACTION = "change_password"  # as the audit names it


class PasswordNoLongerHolds(Exception):
    """The password that was shown is no longer the user's, or the account was disabled."""


def change_password(*, request: HttpRequest, user: AbstractBaseUser, new_password: str) -> int:
    """
    Change the password of `user`. The request's session goes on under a new key, masked; all others end.

    Args:
        user: who is logged in here, as read with the password that was shown.
        new_password: checked by the form.

    Returns:
        How many other sessions ended.

    Raises:
        PasswordNoLongerHolds: another request was faster, or the account was disabled.
        SessionInterrupted: the request's session was ended meanwhile.
    """
    hashed = make_password(new_password)  # slow on purpose, so before the transaction
    actor = actor_of(request)
    with transaction.atomic():
        shown = get_user_model().objects.filter(pk=user.pk, password=user.password, is_active=True)
        if not shown.update(password=hashed):
            raise PasswordNoLongerHolds
        user.password = hashed
        audit.record(actor=actor, action=ACTION)
        ended = end_other_sessions(user=user, kept_key=request.session.session_key, actor=actor)
        update_session_auth_hash(request, user)
    return ended
