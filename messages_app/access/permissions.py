"""
The permissions of API callers: a view declares a permission, a role grants it, and a scope may limit it.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NotRequired, Protocol, TypedDict

from django.http import HttpRequest
from django.urls import reverse
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from messages_app.access.actors import Caller
from messages_app.access.models import ScopedUser
from messages_app.access.roles import ROLES
from messages_app.access.scopes import scope_of
from messages_app.access.unmasking import SessionReader
from messages_app.core.problems import Problem

# Django's settings name this module for the views of REST framework, so it must not import them.
if TYPE_CHECKING:
    from rest_framework.views import APIView

_READING = {"HEAD": "GET", "OPTIONS": "GET"}


class _Righted(Protocol):
    """A view of the API (api.ApiView), as far as this module needs it."""

    @property
    def allowed_methods(self) -> list[str]: ...

    @property
    def rights(self) -> Mapping[str, str]: ...

    def affected_names(self, request: Request, reach: frozenset[str]) -> Iterable[str | None]: ...


class HasRight(BasePermission):
    """
    Require the permission that the view's `rights` name for the method. Other methods are refused.

    Permissions are those of messages_app/access/roles.py; GET needs one too. If a token has the permission
    only for some names, all names that the call affects must be among them.

    Source: docs/contributing/spec/promises.md, S-19 to S-21, S-56.
    """

    def has_permission(self, request: Request, view: _Righted) -> bool:  # type: ignore[override]  # only our views
        user = request.user
        if not user.is_authenticated:
            return False
        method = _READING.get(request.method or "", request.method)
        if method not in view.allowed_methods:
            return True  # The view answers 405 to every caller.
        right = view.rights.get(method)
        if right is None:
            return False
        reach = user.reach_of(right) if isinstance(user, ScopedUser) else None
        if reach is None or not isinstance(user, ScopedUser):
            return user.has_perm(right)
        return all(user.has_perm(right, name) for name in view.affected_names(request, reach))


def reach_of(user: Caller, right: str) -> frozenset[str] | None:
    """Return the names for which the token has a permission; None: for all names."""
    return user.reach_of(right) if isinstance(user, ScopedUser) else None


def wanted_scope(user: Caller) -> str:
    """Return the scope whose absence caused the last refusal; empty if it had another cause."""
    return scope_of(user.withheld, user.withheld_name) if isinstance(user, ScopedUser) else ""


def is_reason_missing(user: Caller) -> bool:
    """Whether the last refusal of a session's user only lacked a reason."""
    return isinstance(user, SessionReader) and user.reading.lacks_reason


def missing_right(user: Caller) -> str:
    """Return the permission whose absence caused the last refusal; empty if it had another cause."""
    if isinstance(user, SessionReader):
        return user.reading.missing
    return user.missing if isinstance(user, ScopedUser) else ""


def problem_of_refusal(user: Caller) -> Problem | None:
    """Return the 403 that names the missing scope, reason or permission; None if none of these is missing."""
    if problem := _problem_of_scope_or_reason(user):
        return problem
    right = missing_right(user)
    return Problem(403, "permission_denied", needs_right(right)) if right else None


def needs_right(right: str) -> str:
    """Return the text of a refusal: the missing permission, the roles that have it, and the next step."""
    name = right.partition(".")[2] or right
    having = [role for role in ("support", "operator", "admin") if right in ROLES[role]]
    of_roles = f" (role {', '.join(having)})" if having else ""
    of_roles = " or ".join(of_roles.rsplit(", ", 1))
    return f"You need the permission {name}{of_roles}. Ask an administrator."


def _problem_of_scope_or_reason(user: Caller) -> Problem | None:
    if scope := wanted_scope(user):
        text = f"This token needs the scope {scope}."
        return Problem(403, "permission_denied", text, extra={"scope": scope})
    if is_reason_missing(user):
        text = f"Values are masked in this session. Give a reason at {reverse('reveal')} to see them."
        return Problem(403, "reveal_required", text)
    return None


class Refusal(TypedDict):
    """A refusal in the audit log: its code, the path of the request, and the missing scope if any."""

    refusal: str
    path: str
    scope: NotRequired[str]


def refusal_of(request: HttpRequest | Request) -> Refusal:
    problem = _problem_of_scope_or_reason(request.user)
    refusal: Refusal = {
        "refusal": problem.code if problem else "permission_denied",
        "path": request.path[:200],
    }
    if problem and "scope" in problem.extra:
        refusal["scope"] = problem.extra["scope"]
    return refusal


class IsLoggedIn(BasePermission):
    """Requires only a login, for views without data of the hub: the API description."""

    def has_permission(self, request: Request, view: "APIView") -> bool:
        return request.user.is_authenticated
