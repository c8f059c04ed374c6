"""
A rule for new passwords, and the form that asks for a password again.

Source: docs/contributing/spec/promises.md, S-29, S-52, S-53, S-55.
"""

from django import forms
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import HttpRequest, QueryDict

from messages_app.access import throttling
from messages_app.access.actors import actor_of
from messages_app.audit import services as audit
from messages_app.audit.models import AuditEntry

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


def password_field(label: str, *, autocomplete: str, help_text: str = "", missing: str) -> forms.CharField:
    """Return a field for a password, which is neither kept nor longer than one may be."""
    return forms.CharField(
        label=label,
        strip=False,
        max_length=throttling.MAX_PASSWORD,
        widget=forms.PasswordInput(attrs={"autocomplete": autocomplete}),
        help_text=help_text,
        error_messages={"required": missing},
    )


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
