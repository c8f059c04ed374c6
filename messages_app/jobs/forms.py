"""The forms of the job pages. What a job may be is checked by services; these only turn text into values."""

from collections.abc import Iterable

from django import forms

from messages_app.jobs.options import MAX_REASON
from messages_app.web.problems import FieldError

_WHY = {
    "required": "Say why, for those who ask later.",
    "max_length": f"At most {MAX_REASON} characters.",
}


def _reason(rows: int) -> forms.CharField:
    return forms.CharField(
        max_length=MAX_REASON, widget=forms.Textarea(attrs={"rows": rows}), error_messages=_WHY
    )


class StopForm(forms.Form):
    reason = _reason(2)


class ArchiveForm(forms.Form):
    older_than_months = forms.IntegerField(
        label="Months",
        initial=2,
        widget=forms.NumberInput(attrs={"min": 1, "max": 1200, "inputmode": "numeric"}),
        error_messages={"required": "Say how many months.", "invalid": "A whole number of months."},
    )
    reason = _reason(2)
    dry_run = forms.BooleanField(required=False)

    def take_errors(self, errors: Iterable[FieldError]) -> None:
        """Put the errors of services beside their fields."""
        for error in errors:
            name = error.field.removeprefix("options.")
            self.add_error(name if name in self.fields else None, error.message)
