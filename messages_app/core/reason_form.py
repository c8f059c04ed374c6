"""The field for the reason, which is in every form that changes something. The audit log records it."""

from django import forms

MAX_REASON = 1000


_WHY = {
    "required": "Enter a reason. It is recorded in the audit log.",
    "max_length": f"At most {MAX_REASON} characters.",
}


def reason_field(*, rows: int = 2, required: bool = True) -> forms.CharField:
    return forms.CharField(
        label="Reason (recorded in the audit log)",
        max_length=MAX_REASON,
        required=required,
        widget=forms.Textarea(attrs={"rows": rows}),
        error_messages=_WHY,
    )


class ReasonForm(forms.Form):
    """A form with only a reason."""

    reason = reason_field(rows=3)
