"""From a request to the `Actor` that the audit names."""

import getpass
import ipaddress

from django.contrib.auth.models import AnonymousUser, User
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest
from rest_framework.request import Request

from messages_app.access.models import ApiToken
from messages_app.audit.services import SYSTEM, Actor

# Whoever asks: a user, of a session or a token, or nobody who is known.
Caller = User | AnonymousUser


def user_of(request: HttpRequest | Request) -> User:
    """
    Return who is logged in.

    Raises:
        PermissionDenied: nobody is. A page that `requires_login` has never comes here then.
    """
    if isinstance(request.user, AnonymousUser):
        raise PermissionDenied
    return request.user


def actor_of(request: HttpRequest | Request) -> Actor:
    """
    Return who acts by this request, a page's or the API's.

    The address is the peer's: what a header says about it, anyone could have written. Of a proxy that is
    named in the settings it is believed (core/middleware.py).
    """
    token = getattr(request, "auth", None)
    return actor_of_name(
        request,
        request.user.get_username(),
        token_name=token.name if isinstance(token, ApiToken) else "",
    )


def actor_of_name(request: HttpRequest | Request, username: str, *, token_name: str = "") -> Actor:
    """Return who acts by this request, where it is not the request's own user who does."""
    return Actor(
        username=username,
        token_name=token_name,
        address=address_of(request),
        request_id=getattr(request, "request_id", ""),
    )


def address_of(request: HttpRequest | Request) -> str | None:
    """Return the peer's address; None where it has none, as behind a socket file."""
    return _address(request.META.get("REMOTE_ADDR", ""))


def actor_of_command() -> Actor:
    """Return who acts by the command line: the account of the operating system, marked as such."""
    try:
        account = getpass.getuser()
    except (KeyError, OSError):
        account = "unknown"
    return Actor(username=f"command line ({account})"[:150])


def may_be_users(name: str) -> bool:
    """
    Whether an actor of this name is, or was, a user.

    The console's own, such as the command line and schedules, have names with a space, which no user's has.
    """
    return name != SYSTEM.username and _is_username(name)


def _is_username(name: str) -> bool:
    try:
        UnicodeUsernameValidator()(name)
    except ValidationError:
        return False
    return True


def _address(text: str) -> str | None:
    """Return the address; None where the peer has none, as behind a socket file."""
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        return None
