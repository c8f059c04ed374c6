"""
The pages of errors: a title in words, the sentence, one next step, and the request id.

htmx gets only the sentence, which the script of the page shows where the part would be (part_faults.js).
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Protocol
from urllib.parse import urlencode

from django.db import DatabaseError, InterfaceError
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse

from messages_app.core.referrer import page_before

# The titles by the code of the problem. The API has the phrase of the status instead.
_TITLES: Mapping[str, str] = {
    "archive_unreadable": "The archive cannot be read",
    "body_too_large": "Too much was sent",
    "database_permission": "The console lacks a right",
    "database_unavailable": "The database cannot be reached",
    "internal_error": "The console has a defect",
    "not_authenticated": "You are logged out",
    "query_too_slow": "This takes too long",
    "rate_limited": "Too many requests",
    "row_busy": "Someone else is changing this",
    "second_factor_required": "A second factor is required",
    "suspended": "The console is suspended",
    "time_limit": "This takes too long",
    "too_many_jobs": "You have too many jobs",
}
_TITLES_BY_STATUS: Mapping[int, str] = {
    HTTPStatus.BAD_REQUEST: "The request is not valid",
    HTTPStatus.NOT_FOUND: "Not found",
    HTTPStatus.CONFLICT: "This is not possible now",
    HTTPStatus.GONE: "This is no longer available",
    HTTPStatus.PRECONDITION_FAILED: "This is not possible now",
}
# The title if no object is missing but the page itself, whose sentence begins with it.
_NO_PAGE = "Page not found"
HOME = "/"
_READS = {"GET", "HEAD"}
_LOGGED_OUT = {"csrf_failed", "not_authenticated"}
# After a while, the same request may succeed.
_PASSING = {HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE}
# The frame reads the database, and an answer that took too long must not take longer.
_WITHOUT_FRAME = {"database_unavailable", "internal_error", "time_limit"}


class Refusal(Protocol):
    """The part of a `Problem` that its page shows. The module of `Problem` calls this one."""

    status: int
    code: str
    detail: str

    @property
    def title(self) -> str: ...


@dataclass(frozen=True, kw_only=True)
class Step:
    """The next step of a user: the words of the button, and the address that it opens."""

    words: str
    address: str


def render_problem(problem: Refusal, request: HttpRequest) -> str:
    """Render the page of a problem, or the sentence for a part of a page."""
    if "HX-Request" in request.headers:
        return render_to_string("problem_part.html", {"problem": problem})
    has_frame = False
    context = {"problem": problem, "request": request, "request_id": getattr(request, "request_id", "")}
    if problem.code not in _WITHOUT_FRAME:
        with suppress(DatabaseError, InterfaceError):
            has_frame = _is_logged_in(request)
            context["withheld_at"] = _find_withheld(request)
            context |= _describe_problem(problem, request, is_logged_in=has_frame)
            if has_frame:
                return render_to_string("problem_in_frame.html", context, request)
    # Without the context processors, because a page about a database that is down must not query it.
    return render_to_string(
        "problem.html", context | _describe_problem(problem, request, is_logged_in=has_frame)
    )


def _describe_problem(problem: Refusal, request: HttpRequest, *, is_logged_in: bool) -> dict[str, object]:
    title = title_of(problem, request, is_logged_in=is_logged_in)
    return {
        "is_logged_in": is_logged_in,
        "title": title,
        # The sentence does not repeat the title.
        "detail": problem.detail.removeprefix(f"{title}.").strip(),
        "step": next_step_of(problem, request, is_logged_in=is_logged_in),
        "may_open_pages": not is_logged_in or has_rights(request),
    }


def title_of(problem: Refusal, request: HttpRequest, *, is_logged_in: bool) -> str:
    """Return the title of the page of a problem, in words."""
    if problem.code == "csrf_failed":
        return "This form is out of date" if is_logged_in else "You are logged out"
    if problem.status == HTTPStatus.FORBIDDEN and problem.code not in _TITLES:
        return "You may not open this page" if request.method in _READS else "You may not do this"
    if problem.status == HTTPStatus.METHOD_NOT_ALLOWED:
        return "There is no page here" if request.method in _READS else "This page does not take that"
    if problem.detail.startswith(f"{_NO_PAGE}."):
        return _NO_PAGE
    return _TITLES.get(problem.code) or _TITLES_BY_STATUS.get(problem.status) or problem.title


def _is_logged_in(request: HttpRequest) -> bool:
    """
    Whether a session's user sent the request. Requests that are refused before sessions are read have no
    user.
    """
    return hasattr(request, "user") and request.user.is_authenticated


def has_rights(request: HttpRequest) -> bool:
    """Whether the user of a page may do anything; a user without a role may not."""
    return bool(getattr(request.user, "get_all_permissions", set)())


def next_step_of(problem: Refusal, request: HttpRequest, *, is_logged_in: bool) -> Step:
    """Return the main button of the page of a problem."""
    is_form = request.method not in _READS
    page = page_before(request)
    if problem.code in _LOGGED_OUT and not is_logged_in:
        query = f"?{urlencode({'next': page})}" if page else ""
        return Step(words="Log in", address=reverse("login") + query)
    if problem.status == HTTPStatus.FORBIDDEN and is_logged_in and not has_rights(request):
        return Step(words="Ask for a role", address=reverse("no-role"))
    if problem.status in _PASSING and not is_form:
        return Step(words="Try again", address=request.get_full_path())
    if page and (is_form or page != request.get_full_path()):
        return Step(words="Back", address=page)
    return Step(words="Go to Overview", address=HOME)


def _find_withheld(request: HttpRequest) -> str:
    """
    Return the address of the page that asks for a reason, if a reason would show the values; otherwise empty.
    """
    is_withheld = request.method == "GET" and hasattr(request, "reading") and request.reading.is_withheld
    return request.get_full_path() if is_withheld else ""
