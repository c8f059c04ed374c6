"""The page that asks for a reason before it shows values, and the action that masks them again."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import cast

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_POST

from messages_app.access.actors import actor_of, user_of
from messages_app.access.decorators import asking_page, refuse_request, requires_login, to_login
from messages_app.access.permissions import problem_of_refusal
from messages_app.access.sessions.services import SessionNotFound
from messages_app.access.token_services import digest_key
from messages_app.access.unmasking import Reading, SessionReader, reading_of
from messages_app.audit import services as audit
from messages_app.core.page_parameters import takes_parameters
from messages_app.core.problems import problem_response
from messages_app.core.reason_form import ReasonForm
from messages_app.core.statements import Statements

statements = Statements("messages_app.access.sessions")


# The services that show values in a session for a while, and mask them again. Source:
# docs/contributing/spec/promises.md, S-59.
def start_unmasking(*, user: User, session_key: str | None, reason: str, actor: audit.Actor) -> datetime:
    """
    Show values in a session from now on. A second call extends the time.

    Args:
        user: the user of the session, who has the permission to view payloads.
        reason: 1 to MAX_REASON characters, which the form has checked.

    Returns:
        The time until which values are shown, by the database's clock.

    Raises:
        SessionNotFound: the session has ended, or belongs to another user.
    """
    values = {
        "key": digest_key(session_key),
        "user_id": user.pk,
        "length": timedelta(minutes=settings.REVEAL_MINUTES),
    }
    with transaction.atomic():
        row = statements.fetch_row("reveal", values)
        if row is None:
            raise SessionNotFound
        until: datetime
        session_id, until = row
        details = {"session_id": session_id, "until": until.isoformat()}
        audit.record_entry(actor=actor, action="reveal_values", reason=reason, details=details)
    return until


def mask_again(*, session_key: str | None, actor: audit.Actor) -> bool:
    """Mask values in a session immediately. Return whether they were shown."""
    with transaction.atomic():
        row = statements.fetch_row("mask_again", {"key": digest_key(session_key)})
        if row:
            audit.record_entry(actor=actor, action="mask_values", details={"session_id": row[0]})
    return row is not None


_READS = {"GET", "HEAD"}
_HOME = "/"


def page_of(request: HttpRequest) -> str:
    """Return the address of the page that the user sees, also for requests of its parts and forms."""
    is_page = request.method in _READS and "HX-Request" not in request.headers
    return request.get_full_path() if is_page else asking_page(request)


def way_back(request: HttpRequest) -> str:
    """Return the address that a form or link sent along; the first page if it leads to another site."""
    address = (request.POST if request.method == "POST" else request.GET).get("next", "")
    is_ours = url_has_allowed_host_and_scheme(address, allowed_hosts=None)
    return address if is_ours and address.startswith("/") else _HOME


@require_http_methods(["GET", "HEAD", "POST"])
@requires_login
@takes_parameters("next")
def reveal_values(request: HttpRequest) -> HttpResponse:
    """Ask for a reason. After one is given, show values and go back."""
    if not reading_of(request).has_right:
        refuse_request(request, action="reveal_values")
    address = way_back(request)
    if not reading_of(request).may_reveal:  # Values are already shown, or the user cannot see them anyway.
        return redirect(address)
    form = ReasonForm(request.POST or None)
    if not form.is_valid():
        context = {"form": form, "address": address, "minutes": settings.REVEAL_MINUTES}
        status = 400 if form.is_bound else 200
        return render(request, "messages_app/access/reveal.html", context, status=status)
    return _start_revealing(request, form.cleaned_data["reason"], address)


def _start_revealing(request: HttpRequest, reason: str, address: str) -> HttpResponse:
    try:
        start_unmasking(
            user=user_of(request),
            session_key=request.session.session_key,
            reason=reason,
            actor=actor_of(request),
        )
    except SessionNotFound:
        return to_login(request)
    return redirect(address)


@require_POST
@requires_login
def end_revealing(request: HttpRequest) -> HttpResponse:
    """Mask values again. Any logged-in user may do so; if they are already masked, nothing changes."""
    mask_again(session_key=request.session.session_key, actor=actor_of(request))
    return redirect(way_back(request))


class ReadingMiddleware:
    """
    Runs after Django's AuthenticationMiddleware. A call with a token replaces the user by the token's user.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.reading = Reading(request)  # type: ignore[attr-defined]  # what middleware adds has no type
        request.user = cast(User, SessionReader(request))  # It behaves like the user that it wraps.
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Show the missing permission on a page that was refused because of the last permission check."""
        if not isinstance(exception, PermissionDenied) or exception.args:
            return None
        problem = problem_of_refusal(request.user)
        return problem_response(problem, request) if problem else None
