"""The page of the user's own sessions, and the notice before the end of a session."""

from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.contrib import messages as notices
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from messages_app.access.actors import actor_of, user_of
from messages_app.access.decorators import requires_login
from messages_app.access.models import UserSession
from messages_app.access.sessions import services
from messages_app.access.sessions.services import is_of_key, sessions_of, time_left
from messages_app.core.formatting import count_of

# Most browsers name several browsers; the first match in this order is the right one.
_BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS", "Firefox"),
    ("Chrome/", "Chrome"),
    ("CriOS", "Chrome"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
    ("python-", "Python"),
)
_SYSTEMS = (
    ("Windows", "Windows"),
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("CrOS", "ChromeOS"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


def browser_name(agent: str) -> str:
    """Return "Firefox on Linux" for a User-Agent, or the part that is recognised."""
    names = [_first_name_in(agent, _BROWSERS), _first_name_in(agent, _SYSTEMS)]
    return " on ".join(name for name in names if name) or "Unknown"


def _first_name_in(agent: str, names: tuple[tuple[str, str], ...]) -> str:
    return next((name for part, name in names if part in agent), "")


# The notice appears this long before the end of the session.
_NOTICE_SECONDS = 120


@dataclass(frozen=True, kw_only=True)
class Line:
    """One session of the list; `is_this` marks the session of the request."""

    session: UserSession
    browser: str
    is_this: bool


@require_safe
@requires_login
def session_list(request: HttpRequest) -> HttpResponse:
    lines = [
        _line_of_session(session, request.session.session_key) for session in sessions_of(user_of(request))
    ]
    context = {
        "lines": lines,
        "has_others": any(not line.is_this for line in lines),
        "idle_minutes": settings.IDLE_MINUTES,
        "has_second_factor": settings.SECOND_FACTOR != "off",
        "longest_hours": settings.SESSION_COOKIE_AGE // 3600,
    }
    return render(request, "messages_app/access/sessions.html", context)


@require_POST
@requires_login
def end_one(request: HttpRequest, session_id: int) -> HttpResponse:
    try:
        services.end_session(user=user_of(request), session_id=session_id, actor=actor_of(request))
    except services.SessionNotFound:
        raise Http404 from None
    notices.success(request, "Session ended.")
    return redirect("sessions")


@require_POST
@requires_login
def end_others(request: HttpRequest) -> HttpResponse:
    ended = services.end_other_sessions(
        user=user_of(request), kept_key=request.session.session_key, actor=actor_of(request)
    )
    notices.success(request, f"{count_of(ended, 'other session')} ended.")
    return redirect("sessions")


@require_http_methods(["GET", "HEAD", "POST"])
@requires_login
def remaining_time(request: HttpRequest) -> HttpResponse:
    """
    Return the notice that the session ends soon; empty before that.

    A page sends GET to ask, and POST to report activity.
    """
    left = time_left(request.session.session_key)
    if left.seconds > _NOTICE_SECONDS:
        return HttpResponse()
    context = {"left": left, "ends_at": timezone.now() + timedelta(seconds=left.seconds)}
    return render(request, "messages_app/access/_session_notice.html", context)


def _line_of_session(session: UserSession, session_key: str | None) -> Line:
    return Line(
        session=session,
        browser=browser_name(session.browser),
        is_this=is_of_key(session, session_key),
    )
