"""A log-in whose password was right and whose code is still asked: kept in a session that is nobody's yet."""

from django.contrib.auth import get_user_model, login
from django.contrib.auth.models import AbstractBaseUser
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

_HALF = "half_logged_in"
# What a session says of its second factor: how it was shown.
SHOWN = "second_factor"


def begin(request: HttpRequest, user: AbstractBaseUser) -> None:
    """Remember who has shown the password."""
    request.session.cycle_key()
    request.session[_HALF] = {"user": user.pk, "password": user.get_session_auth_hash()}


def user_of(request: HttpRequest) -> AbstractBaseUser | None:
    """Return who is half logged in; nobody whose password or account has changed since."""
    half = request.session.get(_HALF)
    user = half and get_user_model().objects.filter(pk=half["user"], is_active=True).first()
    if not user or not constant_time_compare(user.get_session_auth_hash(), half["password"]):
        return None
    return user


def finish(request: HttpRequest, user: AbstractBaseUser, *, shown: str) -> None:
    """Log in who has shown the code, too."""
    del request.session[_HALF]
    login(request, user)
    request.session[SHOWN] = shown
