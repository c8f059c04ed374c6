"""
A rule for new passwords, the form that asks for a password again, and the page on which users change their
own.

Source: docs/contributing/spec/promises.md, S-29, S-52, S-53, S-55.
"""

from django import forms
from django.contrib import messages as notices
from django.contrib.auth import authenticate, get_user_model, update_session_auth_hash
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import password_validators_help_text_html
from django.contrib.sessions.exceptions import SessionInterrupted
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from messages_app.access import throttling
from messages_app.access.actors import actor_of
from messages_app.access.decorators import requires_login, to_login
from messages_app.access.sessions.services import end_other_sessions
from messages_app.audit import services as audit
from messages_app.audit.models import AuditEntry
from messages_app.core.formatting import count_of

# Words that an attacker would guess first.
_OF_HERE = ("hubconsole", "cleverbus", "openhub")


class NoWordOfHere:
    """Rejects a password that includes a name of the product or of its hub, with any separators."""

    def validate(self, password: str, user: User | None = None) -> None:
        letters = "".join(filter(str.isalnum, password.casefold()))
        if any(word in letters for word in _OF_HERE):
            raise ValidationError(self.get_help_text(), code="password_of_here")

    def get_help_text(self) -> str:
        return "Your password must not contain the product name or the hub name."


class PasswordForm(forms.Form):
    """
    The password of the logged-in user. A wrong one counts as a failed login, and is recorded in the audit
    log.
    """

    password = forms.CharField(
        label="Your password",
        strip=False,
        max_length=throttling.MAX_PASSWORD,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
        error_messages={"required": "Enter your password."},
    )

    def __init__(
        self,
        data: QueryDict | None = None,
        *,
        request: HttpRequest,
        auto_id: str = "id_%s",
        prefix: str | None = None,
    ) -> None:
        super().__init__(data, auto_id=auto_id, prefix=prefix)
        self._request = request

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        confirm_password(self._request, password, action="confirm_password")
        audit.record_entry(actor=actor_of(self._request), action="confirm_password")
        return password

    @property
    def seconds_to_wait(self) -> int:
        """Seconds until the next attempt is accepted; 0: it is accepted now."""
        return seconds_to_wait(self, "password")


def seconds_to_wait(form: forms.Form, field: str) -> int:
    """Return the seconds until the next attempt with the password in a field; 0: it is accepted now."""
    errors = form.errors.as_data().get(field, [])
    blocking = (error.params or {} for error in errors if error.code == "too_many_tries")
    return next((params["seconds"] for params in blocking), 0)


def confirm_password(request: HttpRequest, password: str, *, action: str) -> User:
    """
    Check the password of the logged-in user. It counts as an attempt to log in.

    Args:
        action: the action that requires the password; the audit log records a refusal under this name.

    Returns:
        The user, as read when the password was checked.

    Raises:
        ValidationError: with the code "wrong_password"; or, after too many wrong ones and without a check,
            with the code "too_many_tries" and the `seconds` to wait in its params.
    """
    attempt = throttling.attempt_at(request, request.user.get_username())
    if seconds := throttling.begin_attempt(attempt):
        record_refusal(request, action, "too_many_tries")
        text = "Too many attempts. Try again in %(seconds)s s."
        raise ValidationError(text, code="too_many_tries", params={"seconds": seconds})
    user = authenticate(request, username=request.user.get_username(), password=password)
    if user is None or user != request.user:
        record_refusal(request, action, "wrong_password")
        raise ValidationError("Incorrect password.", code="wrong_password")
    throttling.record_success(attempt)
    return user


def record_refusal(request: HttpRequest, action: str, why: str) -> None:
    """Record in the audit log that an action that requires the password was not done."""
    audit.record_entry(
        actor=actor_of(request),
        action=action,
        outcome=AuditEntry.Outcome.REFUSED,
        details={"refusal": why},
    )


# The change of a user's password. Source: docs/contributing/spec/promises.md, S-53, S-55.


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


def _password_field(label: str, *, autocomplete: str, help_text: str = "", missing: str) -> forms.CharField:
    return forms.CharField(
        label=label,
        strip=False,
        max_length=throttling.MAX_PASSWORD,
        widget=forms.PasswordInput(attrs={"autocomplete": autocomplete}),
        help_text=help_text,
        error_messages={"required": missing},
    )


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
    old_password = _password_field(
        "Old password", autocomplete="current-password", missing="Enter your old password."
    )
    new_password1 = _password_field(
        "New password",
        autocomplete="new-password",
        help_text=password_validators_help_text_html(),
        missing="Enter a new password.",
    )
    new_password2 = _password_field(
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


# The page for logged-in users.


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
