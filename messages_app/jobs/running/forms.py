"""The forms that steer a job. What may be done is decided by services; these only turn text into values."""

from django import forms

from messages_app.web.reasons import reason_field


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
