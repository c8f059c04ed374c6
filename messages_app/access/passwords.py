"""
What a password must not be, and asking who is logged in for it again, before something large.

Source: reliability S-29, S-52, S-53.
"""

from django import forms
from django.contrib.auth import authenticate
from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from messages_app.access import throttling
from messages_app.access.actors import actor_of
from messages_app.audit import services as audit
from messages_app.audit.models import AuditEntry

# What who guesses at this console tries first.
_OF_HERE = ("hubconsole", "cleverbus", "openhub")


class NoWordOfHere:
    """Refuses a password with a name of the product or of its hub in it, however it is spaced."""

    def validate(self, password: str, user: AbstractBaseUser | None = None) -> None:
        letters = "".join(filter(str.isalnum, password.casefold()))
        if any(word in letters for word in _OF_HERE):
            raise ValidationError(self.get_help_text(), code="password_of_here")

    def get_help_text(self) -> str:
        return "Your password must not hold the name of this product or of its hub."


class PasswordForm(forms.Form):
    """The password of who is logged in. A wrong one counts as a failed try to log in, and is in the audit."""

    password = forms.CharField(
        label="Your password",
        strip=False,
        max_length=throttling.MAX_PASSWORD,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
        error_messages={"required": "Type your password."},
    )

    def __init__(self, *args: object, request: HttpRequest, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self._request = request

    def clean_password(self) -> str:
        password = self.cleaned_data["password"]
        attempt = throttling.attempt_at(self._request, self._request.user.get_username())
        if seconds := throttling.begin(attempt):
            self._record(refusal="too_many_tries")
            raise forms.ValidationError(f"Too many tries. Wait {seconds} s, then try again.")
        if not self._is_right(password):
            self._record(refusal="wrong_password")
            raise forms.ValidationError("This is not your password.")
        throttling.succeeded(attempt)
        self._record()
        return password

    def _is_right(self, password: str) -> bool:
        user = self._request.user
        return authenticate(self._request, username=user.get_username(), password=password) == user

    def _record(self, **details: str) -> None:
        outcome = AuditEntry.Outcome.REFUSED if details else AuditEntry.Outcome.DONE
        actor = actor_of(self._request)
        audit.record(actor=actor, action="confirm_password", outcome=outcome, details=details)
