"""
The password again before users, roles and tokens are changed. It counts for ten minutes of a session.

A stolen or unattended session can therefore not make itself permanent. Log-ins do not count, because a
session may be taken over right after one. Source: docs/contributing/spec/promises.md, S-64.
"""

from django.contrib.admin import ModelAdmin
from django.contrib.admin.utils import unquote
from django.contrib.sessions.backends.base import SessionBase
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render

from messages_app.access.passwords import PasswordForm
from messages_app.core.clock import database_clock

SECONDS = 600
_KEY = "password_confirmed_at"
_PREFIX = "confirm"
# Passwords are not repeated in a page, so they are asked again.
_NOT_KEPT = {"csrfmiddlewaretoken", "password1", "password2"}


def has_confirmed(session: SessionBase) -> bool:
    """Whether the user of a session has entered the password again within the last ten minutes."""
    confirmed_at = session.get(_KEY)
    if not isinstance(confirmed_at, float):
        return False
    return 0 <= database_clock().timestamp() - confirmed_at < SECONDS


def ask_password(request: HttpRequest, *, before_form: bool = False) -> HttpResponse | None:
    """
    Return a page that asks for the password and keeps the submitted form; None: continue with the form.

    Args:
        before_form: also ask before an empty form is shown, because it has passwords that are not kept.
    """
    is_submitted = request.method == "POST"
    if has_confirmed(request.session) or not (is_submitted or before_form):
        return None
    is_answer = is_submitted and f"{_PREFIX}-password" in request.POST
    form = PasswordForm(request.POST if is_answer else None, request=request, prefix=_PREFIX)
    if not form.is_valid():
        return _render_password_question(request, form)
    request.session[_KEY] = database_clock().timestamp()
    return None if _kept_fields(request.POST) else redirect(request.get_full_path())


def _render_password_question(request: HttpRequest, form: PasswordForm) -> HttpResponse:
    seconds = form.seconds_to_wait
    context = {"form": form, "kept": _kept_fields(request.POST), "minutes": SECONDS // 60}
    status = 429 if seconds else 400 if form.is_bound else 403 if request.method == "POST" else 200
    response = render(request, "admin/confirm_password.html", context, status=status)
    if seconds:
        response.headers["Retry-After"] = str(seconds)
    return response


def _kept_fields(fields: QueryDict) -> list[tuple[str, str]]:
    return [
        (name, value)
        for name, values in fields.lists()
        for value in values
        if name not in _NOT_KEPT and not name.startswith(f"{_PREFIX}-")
    ]


class ConfirmedAdmin(ModelAdmin):  # type: ignore[type-arg]  # it takes no parameter when it runs
    """
    The admin of a table whose changes require the password again. It comes before Django's class.

    Users without permission are refused as before, without being asked.
    """

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, bool] | None = None,
    ) -> HttpResponse:
        question = None
        if self._may_submit(request, object_id):
            question = ask_password(request, before_form=object_id is None)
        return question or super().changeform_view(request, object_id, form_url, extra_context)

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, bool] | None = None
    ) -> HttpResponse:
        row = self.get_object(request, unquote(object_id))
        may = row is not None and self.has_delete_permission(request, row)
        return (ask_password(request) if may else None) or super().delete_view(
            request, object_id, extra_context
        )

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, bool] | None = None
    ) -> HttpResponse:
        may = self.has_view_or_change_permission(request)
        return (ask_password(request) if may else None) or super().changelist_view(request, extra_context)

    def _may_submit(self, request: HttpRequest, object_id: str | None) -> bool:
        if object_id is None:
            return self.has_add_permission(request)
        row = self.get_object(request, unquote(object_id))
        return row is not None and self.has_change_permission(request, row)
