"""The field for the reason, which is in every form that changes something. The audit log records it."""

from django import forms

from messages_app.shared.visible_text import is_blank

MAX_REASON = 1000


_WHY = {
    "required": "Enter a reason. It is recorded in the audit log.",
    "max_length": f"At most {MAX_REASON} characters.",
}


class VisibleField(forms.CharField):
    """A text field for which a text without a visible character is empty."""

    def to_python(self, value: object) -> str | None:
        text = super().to_python(value)
        return self.empty_value if text and is_blank(text) else text


def reason_field(*, required: bool = True) -> forms.CharField:
    """Return the field, of one line: Enter sends the form."""
    return VisibleField(
        label="Reason (recorded in the audit log)",
        max_length=MAX_REASON,
        required=required,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        error_messages=_WHY,
    )


class ReasonForm(forms.Form):
    """A form with only a reason."""

    reason = reason_field()
