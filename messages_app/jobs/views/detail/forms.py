"""The forms that steer a job. They only convert text to values; services decide what is allowed."""

from django import forms
from django.http import HttpRequest, QueryDict

from messages_app.access.passwords import PasswordForm
from messages_app.core.reason_form import reason_field
from messages_app.jobs.labels import BETWEEN_DIGITS
from messages_app.jobs.selectors import JobProgress
from messages_app.jobs.services.bulk_guard import is_password_required_for_follower
from messages_app.shared.job_states import Follower


class BriefForm(forms.Form):
    """A form for actions of one click, with a default reason."""

    reason = reason_field(required=False)


class ResumeForm(BriefForm):
    """Also takes the confirmed number of messages, with or without separators between digits."""

    confirmed = forms.CharField(
        required=False,
        max_length=30,
        label="Number of messages",
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off", "required": True}),
    )

    def clean_confirmed(self) -> int | None:
        digits = BETWEEN_DIGITS.sub("", self.cleaned_data["confirmed"])
        if not digits:
            return None
        if not digits.isascii() or not digits.isdigit():
            raise forms.ValidationError("Enter a whole number of messages.")
        return int(digits)


class RateForm(forms.Form):
    rate = forms.FloatField(
        required=False,
        label="Max rate (messages/s)",
        help_text="Leave empty for no limit.",
        widget=forms.NumberInput(attrs={"min": "0.01", "step": "any", "inputmode": "decimal"}),
        error_messages={"invalid": "Enter a number of messages per second, or leave it empty."},
    )
    reason = reason_field(required=False)


def make_password_forms(request: HttpRequest, progress: JobProgress) -> dict[str, PasswordForm]:
    """Return an empty password form for each action that creates a large job, by action."""
    return {name: form for name in Follower if (form := password_for(request, progress, name))}


def password_for(
    request: HttpRequest, progress: JobProgress, name: str, data: QueryDict | None = None
) -> PasswordForm | None:
    """Return the password form of an action, filled in with `data`; None if it needs no password."""
    if name not in frozenset(Follower) or not is_password_required_for_follower(progress, Follower(name)):
        return None
    return PasswordForm(data, request=request, auto_id=f"{name}_%s")
