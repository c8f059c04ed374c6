"""
The authentication of API calls: `Authorization: Bearer hubc_...` or `Token hubc_...`, or the session of a
page with its CSRF token.

Source: docs/contributing/spec/interfaces.md, "Rules of the API"; docs/contributing/spec/promises.md, S-16,
S-28, S-50, S-56; docs/contributing/spec/bad_input.md, A52 to A60; RFC 6750.
"""

from collections.abc import Mapping
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Q
from django.db.models.functions import Now
from django.http import HttpRequest, HttpResponse
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework import authentication
from rest_framework.request import Request

from messages_app.access.actors import actor_of_name
from messages_app.access.backends import token_with_user
from messages_app.access.models import ApiToken, ScopedUser
from messages_app.access.rate_limits import count_request, is_first_of_minute
from messages_app.access.roles import SERVICE_RIGHTS
from messages_app.access.scopes import SCOPES, confined_rights_of, rights_of
from messages_app.access.token_services import digest_key
from messages_app.audit import services as audit
from messages_app.audit.models import AuditEntry
from messages_app.core.error_handlers import CHALLENGE
from messages_app.core.problems import Problem
from messages_app.core.stores import Scope

_SCHEMES = frozenset({"token", "bearer"})
_ONE_MINUTE = timedelta(minutes=1)


def _describe_scope(name: str, scope: Scope) -> str:
    confined = f" For a single {scope.confined_to}: `{name}:NAME`." if scope.confined_to else ""
    return f"- `{name}`: {scope.meaning}{confined}"


_DESCRIPTION = "\n".join(
    [
        "`Bearer` or `Token`, a space and a key from the command `create_token`. A token with scopes has only"
        " those permissions of its user that its scopes allow:",
        "",
        *(_describe_scope(name, scope) for name, scope in SCOPES.items()),
    ]
)


class TokenAuthentication(authentication.BaseAuthentication):
    """Finds the user of an API token, counts its requests, and records when it was last used."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        header = request.META.get("HTTP_AUTHORIZATION")
        if header is None:
            return None
        token, is_use_due = _find_token(_key_of_header(header), request)
        request._request.has_token = True  # type: ignore[attr-defined]  # core/compression.py reads it
        _check_limit(request, f"token:{token.pk}", own=token.requests_per_minute)
        if is_use_due:
            _note_use(token)
        return _user_of(token), token

    def authenticate_header(self, request: Request) -> str:
        return CHALLENGE


def _check_limit(request: Request, caller: str, *, own: int | None = None) -> None:
    """
    Count the request, and store the remaining budget in it for the headers of the answer.

    Args:
        own: the caller's own limit for all its requests together; None: the limits of the settings.

    Raises:
        Problem: 429, the limit is exceeded.
    """
    if own is not None:
        budget = count_request(caller, name="token", per_minute=own)
    elif _is_of_service(request):
        limit = settings.SERVICE_REQUESTS_PER_MINUTE
        budget = count_request(f"{caller}:services", name="services", per_minute=limit)
    else:
        budget = count_request(caller, name="api", per_minute=settings.API_REQUESTS_PER_MINUTE)
    request._request.budget = budget  # type: ignore[attr-defined]  # middleware reads it
    budget.check()


def _is_of_service(request: Request) -> bool:
    """Whether services make this call for each piece of their work."""
    rights = getattr(request.parser_context.get("view"), "rights", {})
    return rights.get(request.method) in SERVICE_RIGHTS


def _user_of(token: ApiToken) -> User:
    """Return the user of the token, limited to the token's scopes if it has any."""
    if token.scopes is None:
        return ScopedUser.limit_user(token.user, rights=None)
    return ScopedUser.limit_user(
        token.user, rights=rights_of(token.scopes), confined=confined_rights_of(token.scopes)
    )


def _refuse_token(code: str, detail: str) -> Problem:
    return Problem(401, code, detail)


def _key_of_header(header: str) -> str:
    if "," in header:
        raise Problem(400, "ambiguous_parameter", "Send one Authorization header.")
    parts = header.split()
    if len(parts) != 2 or parts[0].lower() not in _SCHEMES:
        raise _refuse_token("not_authenticated", "Send 'Authorization: Bearer' followed by a single key.")
    return parts[1]


def _find_token(key: str, request: Request) -> tuple[ApiToken, bool]:
    """
    Return the valid token of this key with its user, and whether its use must be recorded.

    It is found by digest, so that comparison times reveal nothing.
    """
    token = token_with_user(digest_key(key))
    if token is None:
        raise _refuse_token("not_authenticated", "Unknown token.")
    if why := _why_not(token.token, is_expired=token.is_expired):
        record_refused_use(token.token, request, {"refusal": why.code, "path": request.path[:200]})
        raise why
    return token.token, token.is_use_due


def _why_not(token: ApiToken, *, is_expired: bool) -> Problem | None:
    """Return why a stored token is no longer accepted, or None."""
    if not token.user.is_active:
        return _refuse_token("not_authenticated", "Unknown token.")
    if token.revoked_at is not None:
        return _refuse_token("token_revoked", "This token was revoked.")
    if is_expired:
        return _refuse_token("token_expired", "This token has expired.")
    return None


def record_refused_use(token: ApiToken, request: Request, details: Mapping[str, object]) -> None:
    """
    Record the refused use, at most once a minute, so that a looping program does not fill the audit log.
    """
    if not is_first_of_minute(f"refused:{token.pk}"):
        return
    user = token.user
    audit.record_entry(
        actor=actor_of_name(request, user.get_username(), user_id=user.pk, token_name=token.name),
        action="use_token",
        outcome=AuditEntry.Outcome.REFUSED,
        details=details,
    )


def _note_use(token: ApiToken) -> None:
    """Record the time of use to the minute, so that a busy client does not write the row on each call."""
    ApiToken.objects.filter(
        Q(last_used_at__isnull=True) | Q(last_used_at__lt=Now() - _ONE_MINUTE), pk=token.pk
    ).update(last_used_at=Now())


class SessionAuthentication(authentication.SessionAuthentication):
    """The session of the pages, with the same masking (unmasking.py). Changes also require the CSRF token."""

    def authenticate(self, request: Request) -> tuple[User, None] | None:
        credentials = super().authenticate(request)
        if credentials is not None:
            _check_limit(request, f"user:{credentials[0].pk}")
        return credentials

    def enforce_csrf(self, request: Request) -> None:
        check = authentication.CSRFCheck(lambda _request: HttpResponse())
        # Django's own request, because DRF's request would first reject a body that is not JSON.
        check.process_request(request._request)
        if check.process_view(request._request, _answer_nothing, (), {}):
            raise Problem(403, "csrf_failed", "The X-CSRFToken header is missing or wrong.")


def _answer_nothing(request: HttpRequest) -> HttpResponse:
    """A placeholder for the view, so that the CSRF check does not ask whether the view is exempt."""
    return HttpResponse()


class TokenScheme(OpenApiAuthenticationExtension):
    """
    How the schema describes TokenAuthentication: as the standard scheme, and as the header with `Token`.
    """

    target_class = TokenAuthentication
    name = ["bearer", "token"]

    def get_security_requirement(self, auto_schema: object) -> list[dict[str, list[str]]]:
        """Return one requirement for each scheme, because either is enough."""
        return [{name: []} for name in self.name]

    def get_security_definition(self, auto_schema: object) -> list[dict[str, str]]:
        header = {"type": "apiKey", "in": "header", "name": "Authorization"}
        return [
            {"type": "http", "scheme": "bearer", "description": _DESCRIPTION},
            header | {"description": "The same key after `Token` and a space."},
        ]


class SessionScheme(OpenApiAuthenticationExtension):
    """How the schema describes SessionAuthentication."""

    target_class = SessionAuthentication
    name = "session"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {
            "type": "apiKey",
            "in": "cookie",
            "name": settings.SESSION_COOKIE_NAME,
            "description": "A browser session, masked like the pages. Changes also need `X-CSRFToken`.",
        }
