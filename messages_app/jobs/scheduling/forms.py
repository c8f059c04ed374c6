"""The form of a schedule: the options of its kind of job, and when it runs."""

from collections.abc import Iterable

from django import forms
from django.conf import settings

from messages_app.jobs.scheduling.cron import MAX_CRON
from messages_app.web.problems import FieldError

_CODE = {"class": "code", "spellcheck": "false", "autocomplete": "off"}


class TimesForm(forms.Form):
    """What a schedule has besides its job's options and reason; services check what the texts mean."""

    filter = forms.CharField(
        required=False,
        label="Filter",
        widget=forms.Textarea(attrs={"rows": 2, **_CODE}),
        help_text=(
            "As the address of the list has it: state=FAILED&service_name=billing. Times may be counted back"
            " from each run: receive_timestamp_from=-7d, -24h, today."
        ),
    )
    cron = forms.CharField(
        label="When, as five columns",
        max_length=MAX_CRON,
        initial="30 2 * * *",
        widget=forms.TextInput(attrs=_CODE),
        help_text=(
            "Minute, hour, day of month, month, day of week. 30 2 * * * is every night at 02:30;"
            " 0 6 * * mon-fri every working day at 06:00. Where both days are given, both must fit."
        ),
        error_messages={"required": "Say when."},
    )
    zone = forms.CharField(
        label="Time zone",
        max_length=64,
        widget=forms.TextInput(attrs=_CODE),
        help_text="Such as Europe/Prague or UTC.",
    )
    enabled = forms.BooleanField(required=False, initial=True, label="Runs; without this it rests")

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.fields["zone"].initial = settings.HUB_TIME_ZONE

    def take_errors(self, errors: Iterable[FieldError]) -> list[FieldError]:
        """Put errors of services beside their fields, and return those of others."""
        mine = [error for error in errors if error.field.split(".")[0] in self.fields]
        for error in mine:
            self.add_error(error.field.split(".")[0], error.message)
        return [error for error in errors if error not in mine]
