"""
Decorators that require a log-in, or a permission, to open a page.

Source: docs/spec/interfaces.md, "Pages and roles".
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
from rest_framework.request import Request

from messages_app.access.actors import actor_of
from messages_app.access.permissions import refusal_of
from messages_app.access.rate_limits import is_first_of_minute
from messages_app.audit import services as audit
from messages_app.audit.models import AuditEntry
from messages_app.core.pages import page_before

View = Callable[..., HttpResponseBase]


def requires(permission: str) -> Callable[[View], View]:
    """
    Let a page answer only who has `permission`; others log in and come back, or get a 403.

    Nothing of it is kept by the browser, so that the back button shows nothing after a log-out.
    """

    def guard(view: View) -> View:
        @wraps(view)
        def permitted(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
            if not request.user.has_perm(permission):
                refuse(request, action="open_page")
            return view(request, *args, **kwargs)

        return requires_login(permitted)

    return guard


def requires_login(view: View) -> View:
    """Require a log-in and no permission; otherwise like `requires`."""

    @never_cache
    @wraps(view)
    def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return to_login(request)
        return view(request, *args, **kwargs)

    return guarded


def to_login(request: HttpRequest) -> HttpResponse:
    """Lead who is not logged in to where one is, and back to the page afterwards."""
    if "HX-Request" not in request.headers:
        # A sent form's address may show nothing on its own: back to the page that has the form.
        form_page = page_before(request) if request.method == "POST" else ""
        return redirect_to_login(form_page or request.get_full_path(), resolve_url("login"))
    # A part of a page asked, which must not be replaced by a log-in form: the whole page goes there.
    answer = redirect_to_login(asking_page(request), resolve_url("login"))
    return HttpResponse(status=401, headers={"HX-Redirect": answer.url})


def asking_page(request: HttpRequest) -> str:
    """Return where the page is that asks; whether that is here, who leads back there checks."""
    try:
        page = urlsplit(request.headers.get("Referer", ""))
    except ValueError:
        return "/"
    return page._replace(scheme="", netloc="", fragment="").geturl() or "/"


class Target(TypedDict, total=False):
    """What an action is about, by the audit's columns."""

    msg_id: int | None
    job_id: int | None
    subject_kind: str
    subject: int | str


def check_right(request: HttpRequest, permission: str, *, action: str, **target: Unpack[Target]) -> None:
    """Answer 403 to a user without the permission, and record it as `refuse` does."""
    if not request.user.has_perm(permission):
        refuse(request, action=action, **target)


def refuse(
    request: HttpRequest | Request, *, action: str, is_reading: bool = False, **target: Unpack[Target]
) -> NoReturn:
    """
    Answer 403 to who may not do what was asked, and remember that it was asked (docs/spec/promises.md, I-54,
    S-50).

    Of pages that were only asked for, one a minute is kept for each user: some pages ask on their own.

    Args:
        is_reading: each is kept though it changes nothing, as downloads are (docs/spec/promises.md, I-58).
        target: what it is about, by the audit's columns: msg_id, job_id, subject_kind and subject.
    """
    if is_reading or request.method == "POST" or is_first_of_minute(f"refused-page:{request.user.pk}"):
        audit.record(
            actor=actor_of(request),
            action=action,
            outcome=AuditEntry.Outcome.REFUSED,
            details=refusal_of(request),
            **target,
        )
    raise PermissionDenied
