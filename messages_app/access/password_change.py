"""
The change of a user's own password, with its page.

Source: docs/contributing/spec/promises.md, S-53, S-55.
"""

from django.contrib import messages as notices
from django.contrib.auth import get_user_model, update_session_auth_hash
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import password_validators_help_text_html
from django.contrib.sessions.exceptions import SessionInterrupted
from django.db import transaction
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from messages_app.access.actors import actor_of
from messages_app.access.decorators import requires_login, to_login
from messages_app.access.passwords import confirm_password, password_field, record_refusal, seconds_to_wait
from messages_app.access.sessions.services import end_other_sessions
from messages_app.audit import services as audit
from messages_app.core.formatting import count_of

ACTION = "change_password"  # the action in the audit log


class PasswordNoLongerHolds(Exception):
    """The entered password is no longer the password of the user, or the account was disabled."""


def change_password(*, request: HttpRequest, user: User, new_password: str) -> int:
    """
    Change the password of `user`. The request's session continues under a new key, masked; all others end.

    Args:
        user: the logged-in user, as read when the old password was checked.
        new_password: the password, which the form has checked.

    Returns:
        The number of other sessions that were ended.

    Raises:
        PasswordNoLongerHolds: another request was faster, or the account was disabled.
        SessionInterrupted: the session of the request has been ended.
    """
    hashed = make_password(new_password)  # Hashing is slow on purpose, so it is done before the transaction.
    actor = actor_of(request)
    with transaction.atomic():
        rows = get_user_model().objects.filter(pk=user.pk, password=user.password, is_active=True)
        if not rows.update(password=hashed):
            raise PasswordNoLongerHolds
        user.password = hashed
        audit.record_entry(actor=actor, action=ACTION)
        ended = end_other_sessions(user=user, kept_key=request.session.session_key, actor=actor)
        update_session_auth_hash(request, user)
    return ended


class OwnPasswordForm(PasswordChangeForm):
    """
    Django's form, with a maximum length of passwords (docs/contributing/spec/bad_input.md, D49) and a limit
    of attempts.

    Attributes:
        shown_by: the user, after the old password was correct; None before.
    """

    error_messages = PasswordChangeForm.error_messages | {
        "password_mismatch": "The two new passwords do not match."
    }
    old_password = password_field(
        "Old password", autocomplete="current-password", missing="Enter your old password."
    )
    new_password1 = password_field(
        "New password",
        autocomplete="new-password",
        help_text=password_validators_help_text_html(),
        missing="Enter a new password.",
    )
    new_password2 = password_field(
        "New password again", autocomplete="new-password", missing="Enter the new password again."
    )

    def __init__(self, request: HttpRequest, data: QueryDict | None = None) -> None:
        super().__init__(request.user, data)
        self._request = request
        self.shown_by: User | None = None

    def clean_old_password(self) -> str:
        password: str = self.cleaned_data["old_password"]
        self.shown_by = confirm_password(self._request, password, action=ACTION)
        return password

    @property
    def seconds_to_wait(self) -> int:
        """Seconds until the next attempt is accepted; 0: it is accepted now."""
        return seconds_to_wait(self, "old_password")


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
@requires_login
def own_password(request: HttpRequest) -> HttpResponse:
    form = OwnPasswordForm(request, request.POST if request.method == "POST" else None)
    if form.is_valid() and form.shown_by:
        return _save_password(request, form, form.shown_by)
    if form.shown_by:  # A failed change after a correct old password is recorded too.
        record_refusal(request, ACTION, "new_password")
    return _render_password_page(request, form)


def _save_password(request: HttpRequest, form: OwnPasswordForm, user: User) -> HttpResponse:
    new_password = form.cleaned_data["new_password1"]
    try:
        ended = change_password(request=request, user=user, new_password=new_password)
    except (PasswordNoLongerHolds, SessionInterrupted):
        record_refusal(request, ACTION, "changed_meanwhile")
        return to_login(request)
    others = f" {count_of(ended, 'other session')} ended." if ended else ""
    notices.success(request, f"Password changed.{others}")
    return redirect("sessions")


def _render_password_page(request: HttpRequest, form: OwnPasswordForm) -> HttpResponse:
    seconds = form.seconds_to_wait
    status = 429 if seconds else 400 if form.is_bound else 200
    response = render(request, "messages_app/access/password_change.html", {"form": form}, status=status)
    if seconds:
        response.headers["Retry-After"] = str(seconds)
    return response
