"""The actor of a request or command, as the audit log names it."""

import getpass
import ipaddress

from django.contrib.auth.models import AnonymousUser, User
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest
from rest_framework.request import Request

from messages_app.access.models import ApiToken
from messages_app.audit.services import SYSTEM, Actor

# A caller: the user of a session or token, or an anonymous user.
Caller = User | AnonymousUser


def user_of(request: HttpRequest | Request) -> User:
    """
    Return the logged-in user of a request.

    Raises:
        PermissionDenied: no user is logged in. Pages with `requires_login` never get here in that case.
    """
    if isinstance(request.user, AnonymousUser):
        raise PermissionDenied
    return request.user


def actor_of(request: HttpRequest | Request) -> Actor:
    """
    Return the actor of a request to a page or to the API.

    The address is that of the connected peer, because any client can write any address into a header. Only
    proxies that the settings name are trusted (core/middleware.py).
    """
    token = getattr(request, "auth", None)
    return actor_of_name(
        request,
        request.user.get_username(),
        user_id=request.user.pk,
        token_name=token.name if isinstance(token, ApiToken) else "",
    )


def actor_of_name(
    request: HttpRequest | Request, username: str, *, user_id: int | None = None, token_name: str = ""
) -> Actor:
    """Return the actor of a request that is not the request's own user, for example during login."""
    return Actor(
        username=username,
        user_id=user_id,
        token_name=token_name,
        address=address_of(request),
        request_id=getattr(request, "request_id", ""),
    )


def address_of(request: HttpRequest | Request) -> str | None:
    """Return the address of the peer; None if it has none, as behind a Unix socket."""
    return _parse_address(request.META.get("REMOTE_ADDR", ""))


def actor_of_command() -> Actor:
    """Return the actor of a command: the account of the operating system, marked as the command line."""
    try:
        account = getpass.getuser()
    except (KeyError, OSError):
        account = "unknown"
    return Actor(username=f"command line ({account})"[:150])


def may_be_users(name: str) -> bool:
    """
    Whether an actor of this name is or was a user.

    Actors of the console itself, such as the command line and schedules, have names with a space. Names of
    users have none.
    """
    return name != SYSTEM.username and _is_username(name)


def _is_username(name: str) -> bool:
    try:
        UnicodeUsernameValidator()(name)
    except ValidationError:
        return False
    return True


def _parse_address(text: str) -> str | None:
    """Return the address; None if the peer has none, as behind a Unix socket."""
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        return None
