"""The forms that steer a job. What may be done is decided by services; these only turn text into values."""

from django import forms
from django.http import HttpRequest, QueryDict

from messages_app.access.passwords import PasswordForm
from messages_app.core.pages import reason_field
from messages_app.jobs.labels import BETWEEN_DIGITS
from messages_app.jobs.selectors import JobProgress
from messages_app.jobs.services.limits import follower_wants_password
from messages_app.shared.job_states import Follower


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
            raise forms.ValidationError("Enter a whole number of messages.")
        return int(digits)


class ReasonForm(forms.Form):
    reason = reason_field()


class RateForm(forms.Form):
    rate = forms.FloatField(
        required=False,
        widget=forms.NumberInput(attrs={"min": "0.01", "step": "any", "inputmode": "decimal"}),
        error_messages={"invalid": "Enter a number of messages per second, or leave it empty."},
    )
    reason = reason_field(rows=1, required=False)


# The passwords that a job's page asks for, before it makes another large job.


def asked_passwords(request: HttpRequest, progress: JobProgress) -> dict[str, PasswordForm]:
    """Return the empty forms that stand beside what makes a large job, by what it is called."""
    return {name: form for name in Follower if (form := password_for(request, progress, name))}


def password_for(
    request: HttpRequest, progress: JobProgress, name: str, data: QueryDict | None = None
) -> PasswordForm | None:
    """Return the form that goes with what is asked of a job, filled in with `data`; None where none does."""
    if name not in frozenset(Follower) or not follower_wants_password(progress, Follower(name)):
        return None
    return PasswordForm(data, request=request, auto_id=f"{name}_%s")
