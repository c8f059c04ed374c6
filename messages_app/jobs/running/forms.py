"""The forms that steer a job. What may be done is decided by services; these only turn text into values."""

from django import forms

from messages_app.jobs.asking.checking import MAX_REASON

_WHY = {
    "required": "Say why, for those who ask later.",
    "max_length": f"At most {MAX_REASON} characters.",
}


def reason_field(*, rows: int = 2, required: bool = True) -> forms.CharField:
    """Return the field for the reason that the audit keeps."""
    return forms.CharField(
        max_length=MAX_REASON,
        required=required,
        widget=forms.Textarea(attrs={"rows": rows}),
        error_messages=_WHY,
    )


class BriefForm(forms.Form):
    """For what is done by one click."""

    reason = reason_field(required=False)


class ReasonForm(forms.Form):
    reason = reason_field()


class RateForm(forms.Form):
    rate = forms.FloatField(
        required=False,
        widget=forms.NumberInput(attrs={"min": "0.01", "step": "any", "inputmode": "decimal"}),
        error_messages={"invalid": "A number of messages a second, or nothing."},
    )
    reason = reason_field(rows=1, required=False)
