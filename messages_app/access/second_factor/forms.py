"""The forms of the second factor: a code or a passkey, and the name of a new passkey."""

from typing import Any

from django import forms

from messages_app.access.second_factor.models import MAX_NAME
from messages_app.access.second_factor.passkeys import MAX_ANSWER
from messages_app.core.reason_form import VisibleField


class ProofForm(forms.Form):
    """
    A code, or the answer of a passkey, which a script fills in (static/js/passkeys.js).

    Attributes:
        refusal: why the proof was not accepted, as a word for the audit log.
    """

    refusal = "wrong_code"

    code = forms.CharField(
        label="Code from the app, or a recovery code",
        required=False,
        max_length=40,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "autofocus": True, "required": True}),
    )
    passkey = forms.CharField(required=False, max_length=MAX_ANSWER, widget=forms.HiddenInput)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors and not cleaned["code"] and not cleaned["passkey"]:
            self.add_error("code", "Enter a code, or use a passkey.")
        return cleaned


class CodeForm(forms.Form):
    """A code of an app that is being set up."""

    code = forms.CharField(
        max_length=40,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "autofocus": True}),
    )


class NameForm(forms.Form):
    name = VisibleField(
        label="Name of the passkey",
        max_length=MAX_NAME,
        error_messages={"required": "Enter a name, such as that of the device."},
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
