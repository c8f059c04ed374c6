"""The forms that steer a job. What may be done is decided by services; these only turn text into values."""

from django import forms

from messages_app.jobs.showing.words import BETWEEN_DIGITS
from messages_app.web.reasons import reason_field


class BriefForm(forms.Form):
    """For what is done by one click."""

    reason = reason_field(required=False)


class ResumeForm(BriefForm):
    """A job that waits for a confirmation takes the number of its messages, as people write it."""

    confirmed = forms.CharField(required=False, max_length=30)

    def clean_confirmed(self) -> int | None:
        digits = BETWEEN_DIGITS.sub("", self.cleaned_data["confirmed"])
        if not digits:
            return None
        if not digits.isascii() or not digits.isdigit():
            raise forms.ValidationError("A whole number of messages.")
        return int(digits)


class ReasonForm(forms.Form):
    reason = reason_field()


class RateForm(forms.Form):
    rate = forms.FloatField(
        required=False,
        widget=forms.NumberInput(attrs={"min": "0.01", "step": "any", "inputmode": "decimal"}),
        error_messages={"invalid": "A number of messages a second, or nothing."},
    )
    reason = reason_field(rows=1, required=False)
