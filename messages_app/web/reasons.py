"""The field for why somebody acts, which every form that changes something has. The audit keeps it."""

from django import forms

MAX_REASON = 1000

_WHY = {
    "required": "Say why, for those who ask later.",
    "max_length": f"At most {MAX_REASON} characters.",
}


def reason_field(*, rows: int = 2, required: bool = True) -> forms.CharField:
    """Return the field for the reason."""
    return forms.CharField(
        max_length=MAX_REASON,
        required=required,
        widget=forms.Textarea(attrs={"rows": rows}),
        error_messages=_WHY,
    )


class ReasonForm(forms.Form):
    """Why somebody acts."""

    reason = reason_field(rows=3)
