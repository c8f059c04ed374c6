"""
Decorators for pages that require a login or a permission.

Source: docs/contributing/spec/interfaces.md, "Pages and roles".
"""

from collections.abc import Callable
from functools import wraps
from typing import NoReturn, TypedDict, Unpack
from urllib.parse import urlsplit

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import resolve_url
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from rest_framework.request import Request

from messages_app.access.actors import actor_of
from messages_app.access.choices import in_zone_of
from messages_app.access.permissions import refusal_of
from messages_app.access.rate_limits import is_first_of_minute
from messages_app.audit import services as audit
from messages_app.audit.models import AuditEntry
from messages_app.core.referrer import page_before

View = Callable[..., HttpResponseBase]


def requires_permission(permission: str) -> Callable[[View], View]:
    """
    Require `permission` for a page. Anonymous users are sent to the login page and back; others get a 403.

    Browsers do not cache the page, so that the back button shows nothing after a logout.
    """

    def guard_view(view: View) -> View:
        @wraps(view)
        def answer_permitted(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
            if not request.user.has_perm(permission):
                refuse_request(request, action="open_page")
            return view(request, *args, **kwargs)

        return requires_login(answer_permitted)

    return guard_view


class PageViews:
    """Decorators for the views of pages that require the same permission, by their methods."""

    def __init__(self, permission: str) -> None:
        self._guard_view = requires_permission(permission)

    def shows_page(self, view: View) -> View:
        return require_safe(self._guard_view(view))

    def takes_form(self, view: View) -> View:
        return require_POST(self._guard_view(view))

    def shows_and_takes_form(self, view: View) -> View:
        return require_http_methods(["GET", "HEAD", "POST"])(self._guard_view(view))


def requires_login(view: View) -> View:
    """Require a login but no permission. Otherwise the same as `requires`."""

    @never_cache
    @wraps(view)
    def answer_logged_in(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return to_login(request)
        with in_zone_of(request.user):
            return view(request, *args, **kwargs)

    return answer_logged_in


def to_login(request: HttpRequest) -> HttpResponse:
    """Redirect to the login page, and back afterwards."""
    if "HX-Request" not in request.headers:
        # The address of a form may have no page of its own, so go back to the page with the form.
        form_page = page_before(request) if request.method == "POST" else ""
        return redirect_to_login(form_page or request.get_full_path(), resolve_url("login"))
    # A part of a page must not be replaced by a login form, so the whole page is redirected.
    answer = redirect_to_login(asking_page(request), resolve_url("login"))
    return HttpResponse(status=401, headers={"HX-Redirect": answer.url})


def asking_page(request: HttpRequest) -> str:
    """Return the address of the page that sent the request. The login view checks that it is local."""
    try:
        page = urlsplit(request.headers.get("Referer", ""))
    except ValueError:
        return "/"
    return page._replace(scheme="", netloc="", fragment="").geturl() or "/"


class Target(TypedDict, total=False):
    """The object of an action, by the columns of the audit log."""

    msg_id: int | None
    job_id: int | None
    subject_kind: str
    subject: int | str


def check_right(request: HttpRequest, permission: str, *, action: str, **target: Unpack[Target]) -> None:
    """Raise a 403 for a user without the permission, and record it like `refuse`."""
    if not request.user.has_perm(permission):
        refuse_request(request, action=action, **target)


def refuse_request(
    request: HttpRequest | Request,
    *,
    action: str,
    why: str = "",
    is_reading: bool = False,
    **target: Unpack[Target],
) -> NoReturn:
    """
    Raise a 403, and record the refusal in the audit log (docs/contributing/spec/promises.md, I-54, S-50).

    Refused GETs of pages are recorded once a minute for each user, because some pages send them
    automatically.

    Args:
        why: the reason, if it is not a missing permission.
        is_reading: record every refusal although the request changes nothing, as for downloads
            (docs/contributing/spec/promises.md, I-58).
        target: the object of the action, by the columns of the audit log: msg_id, job_id, subject_kind,
            subject.
    """
    if is_reading or request.method == "POST" or is_first_of_minute(f"refused-page:{request.user.pk}"):
        audit.record_entry(
            actor=actor_of(request),
            action=action,
            outcome=AuditEntry.Outcome.REFUSED,
            details=refusal_of(request),
            **target,
        )
    raise PermissionDenied(why) if why else PermissionDenied
