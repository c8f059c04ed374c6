"""The form of a code, at the login and where the second factor is set up or changed."""

from django import forms


class CodeForm(forms.Form):
    code = forms.CharField(
        label="Code from the app, or a recovery code",
        max_length=40,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "autofocus": True}),
    )
