"""The form for a new password of one's own. Source: reliability S-52, S-53."""

from django import forms
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.models import AbstractBaseUser
from django.contrib.auth.password_validation import password_validators_help_text_html
from django.http import HttpRequest, QueryDict

from messages_app.access import passwords, throttling
from messages_app.access.own_password.services import ACTION


def _field(label: str, *, autocomplete: str, help_text: str = "", missing: str) -> forms.CharField:
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
    Django's, with a bound on what is hashed (reliability D49), and tries at the old password counted.

    Attributes:
        shown_by: the user, once the old password was right; None before.
    """

    error_messages = PasswordChangeForm.error_messages | {
        "password_mismatch": "The two new passwords are not the same."
    }
    old_password = _field("Old password", autocomplete="current-password", missing="Type your old password.")
    new_password1 = _field(
        "New password",
        autocomplete="new-password",
        help_text=password_validators_help_text_html(),
        missing="Type a new password.",
    )
    new_password2 = _field(
        "New password again", autocomplete="new-password", missing="Type the new password again."
    )

    def __init__(self, request: HttpRequest, data: QueryDict | None = None) -> None:
        super().__init__(request.user, data)
        self._request = request
        self.shown_by: AbstractBaseUser | None = None

    def clean_old_password(self) -> str:
        password = self.cleaned_data["old_password"]
        self.shown_by = passwords.confirm(self._request, password, action=ACTION)
        return password

    @property
    def seconds_to_wait(self) -> int:
        """How long no try is looked at; 0 where one is."""
        errors = self.errors.as_data().get("old_password", [])
        return next((error.params["seconds"] for error in errors if error.code == "too_many_tries"), 0)
