"""A log-in that still needs the code of the second factor, kept in a session without a user."""

from collections.abc import Callable
from typing import TypedDict

from django.conf import settings
from django.contrib.auth import get_user_model, login, logout
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, resolve_url
from django.utils.crypto import constant_time_compare
from rest_framework.views import APIView

from messages_app.access.actors import user_of as logged_in_user
from messages_app.access.decorators import to_login
from messages_app.access.second_factor.devices import has_second_factor, is_required_of
from messages_app.core.problems import API_PREFIX, Problem, problem_response

_HALF = "half_logged_in"
# The session key that records how the second factor was shown.
SHOWN = "second_factor"


class _Half(TypedDict):
    """The user who has entered the password, and the digest of that password."""

    user: int
    password: str


def begin_second_step(request: HttpRequest, user: User) -> None:
    """Record in the session that the user has entered the password."""
    request.session.cycle_key()
    request.session[_HALF] = _Half(user=user.pk, password=user.get_session_auth_hash())


def user_of(request: HttpRequest) -> User | None:
    """Return the user who has entered the password; None if the password or the account has changed."""
    half: _Half | None = request.session.get(_HALF)
    if not half:
        return None
    user = get_user_model().objects.filter(pk=half["user"], is_active=True).first()
    if not user or not constant_time_compare(user.get_session_auth_hash(), half["password"]):
        return None
    return user


def finish_login(request: HttpRequest, user: User, *, kind: str) -> None:
    """Log in the user after a correct code, or with a passkey."""
    del request.session[_HALF]
    login(request, user)
    request.session[SHOWN] = kind


# Requires administrators, or all users, to set up a second factor first, if the settings say so.
# Views that answer without it: login, logout, and the setup itself.
_OPEN = {
    "login",
    "login-code",
    "logout",
    "provider-login",
    "provider-callback",
    "provider-logout",
    "no-role",
    "admin:login",
    "admin:logout",
    "health",
    "manual",
    "manual-chapter",
    "manual-search",
    "policy-reports",
    "session-left",
    "second-factor",
    "second-factor-start",
    "second-factor-confirm",
    "passkey-new",
    "passkey-add",
}


class SecondFactorMiddleware:
    """Runs after Django's AuthenticationMiddleware. API tokens need no second factor."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., HttpResponse],
        args: list[str],
        kwargs: dict[str, object],
    ) -> HttpResponse | None:
        match = request.resolver_match
        is_open = match is not None and match.view_name in _OPEN
        if is_open or settings.SECOND_FACTOR not in {"required", "everyone"}:
            return None
        if _has_token(request, view) or not _is_without_second_factor(request):
            return None
        if has_second_factor(logged_in_user(request)):  # They logged in before a second factor was required.
            logout(request)
            return _refuse_pending(request)
        return _redirect_to_setup(request)


def _has_token(request: HttpRequest, view: Callable[..., HttpResponse]) -> bool:
    """
    Whether the answer does not depend on the session, because the API only uses the Authorization header.
    """
    is_api = issubclass(getattr(view, "cls", object), APIView)
    return is_api and "Authorization" in request.headers


def _is_without_second_factor(request: HttpRequest) -> bool:
    user = request.user
    return user.is_authenticated and is_required_of(user) and SHOWN not in request.session


def _refuse_pending(request: HttpRequest) -> HttpResponse:
    if request.path_info.startswith(API_PREFIX):
        return problem_response(Problem(401, "not_authenticated", "Log in again."), request)
    return to_login(request)


def _redirect_to_setup(request: HttpRequest) -> HttpResponse:
    if request.path_info.startswith(API_PREFIX):
        text = "You need a second factor. Set one up at /second-factor/."
        return problem_response(Problem(403, "second_factor_required", text), request)
    if "HX-Request" in request.headers:
        return HttpResponse(status=401, headers={"HX-Redirect": resolve_url("second-factor")})
    return redirect("second-factor")
