"""
The password again before users, roles and tokens are changed, or another log-in at the identity provider of
the session. It counts for ten minutes of a session.

A stolen or unattended session can therefore not make itself permanent. Log-ins do not count, because a
session may be taken over right after one. Source: docs/contributing/spec/promises.md, S-64.
"""

from collections.abc import Collection
from typing import cast

from django.contrib.sessions.backends.base import SessionBase
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render

from messages_app.access.passwords import PasswordForm
from messages_app.access.provider_settings import provider_with
from messages_app.access.sessions.store import PROVIDER, SessionStore
from messages_app.core.clock import database_clock

SECONDS = 600
_KEY = "password_confirmed_at"
_PREFIX = "confirm"
_NOT_KEPT = {"csrfmiddlewaretoken"}


def has_confirmed(session: SessionBase) -> bool:
    """Whether the user of a session has entered the password again within the last ten minutes."""
    confirmed_at = session.get(_KEY)
    if not isinstance(confirmed_at, float):
        return False
    return 0 <= database_clock().timestamp() - confirmed_at < SECONDS


def ask_password(request: HttpRequest) -> HttpResponse | None:
    """Return a page that asks for the password and keeps the submitted form; None: continue with the form."""
    if has_confirmed(request.session):
        return None
    is_answer = f"{_PREFIX}-password" in request.POST
    form = PasswordForm(request.POST if is_answer else None, request=request, prefix=_PREFIX)
    if not form.is_valid():
        return _render_password_question(request, form)
    note_confirmation(request)
    return None


def note_confirmation(request: HttpRequest) -> None:
    """
    Let the session make changes for ten minutes: its user has just proved who they are.

    It gets a new key. A thief who has the former one does not get these ten minutes.
    """
    cast(SessionStore, request.session).renew_key()  # Guaranteed by the setting SESSION_ENGINE.
    request.session[_KEY] = database_clock().timestamp()


def _render_password_question(request: HttpRequest, form: PasswordForm) -> HttpResponse:
    seconds = form.seconds_to_wait
    provider = provider_with(request.session.get(PROVIDER))
    context = {
        "form": form,
        "kept": list_kept_fields(request.POST),
        "minutes": SECONDS // 60,
        "provider": provider,
    }
    status = 429 if seconds else 400 if form.is_bound else 403
    response = render(request, "messages_app/access/confirm_password.html", context, status=status)
    if seconds:
        response.headers["Retry-After"] = str(seconds)
    return response


def list_kept_fields(fields: QueryDict, *, without: Collection[str] = ()) -> list[tuple[str, str]]:
    """Return the fields of a submitted form that a question sends again: not those of its own answers."""
    return [
        (name, value)
        for name, values in fields.lists()
        for value in values
        if name not in _NOT_KEPT and name not in without and not name.startswith(f"{_PREFIX}-")
    ]
