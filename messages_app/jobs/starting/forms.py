"""The form of a new job, one a kind: turns text into values. What an option may be is checked by services."""

from collections.abc import Iterable, Mapping

from django import forms
from django.contrib.auth.base_user import AbstractBaseUser

from messages_app.access import roles
from messages_app.jobs.asking.option_values import MAX_CANARY, MAX_MONTHS
from messages_app.jobs.asking.options import DEFAULT_MONTHS
from messages_app.jobs.states import JobKind
from messages_app.web.problems import FieldError
from messages_app.web.reasons import reason_field

_WHOLE = {"invalid": "A whole number."}
# Options that decide what a job is about: a number confirmed for others says nothing.
ABOUT = ("total", "older_than_months", "refresh_entities")
_EXCEL = "CSV, for a spreadsheet"


class NewJobForm(forms.Form):
    """What goes with every job; the fields before the reason are options of its kind."""

    reason = reason_field()

    def __init__(self, *args: object, user: AbstractBaseUser, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.order_fields([name for name in self.fields if name != "reason"])

    @property
    def option_fields(self) -> list[forms.BoundField]:
        """Return the fields that are shown beside the reason."""
        return [field for field in self.visible_fields() if field.name != "reason"]

    def options(self) -> dict[str, object]:
        """Return the options that were given, and are right so far."""
        given = {name: value for name, value in self.cleaned_data.items() if name != "reason"}
        return {name: value for name, value in given.items() if value not in (None, "")}

    def about(self) -> dict[str, object]:
        """Return those that decide what the job is about."""
        return {name: value for name, value in self.options().items() if name in ABOUT}

    @property
    def is_about_something(self) -> bool:
        """Whether the options that decide what the job is about are right, so that a preview can be shown."""
        return not any(name in self.errors for name in ABOUT)

    def take_errors(self, errors: Iterable[FieldError]) -> None:
        """Put the errors of services beside their fields."""
        for error in errors:
            name = error.field.removeprefix("options.")
            self.add_error(name if name in self.fields else None, error.message)


class _GuardedForm(NewJobForm):
    rate = forms.FloatField(
        label="Messages a second, at most",
        required=False,
        help_text="Empty: as fast as it goes. It can be changed while the job runs.",
        widget=forms.NumberInput(
            attrs={"min": "0.01", "step": "any", "inputmode": "decimal", "data-rate": ""}
        ),
        error_messages={"invalid": "A number of messages a second."},
    )
    canary = forms.IntegerField(
        label="First messages, as a canary",
        required=False,
        help_text="The job waits until these have come to an end, then goes on by itself, or stops.",
        widget=forms.NumberInput(attrs={"min": 1, "max": MAX_CANARY, "inputmode": "numeric"}),
        error_messages=_WHOLE,
    )
    stop_at_failure_rate = forms.FloatField(
        label="Stop when so many percent fail",
        required=False,
        widget=forms.NumberInput(attrs={"min": 0, "max": 100, "step": "any", "inputmode": "decimal"}),
        error_messages={"invalid": "A number from 0 to 100."},
    )

    def options(self) -> dict[str, object]:
        options = super().options()
        if "stop_at_failure_rate" in options:
            options["stop_at_failure_rate"] = round(options["stop_at_failure_rate"] / 100, 6)
        return options


class RestartForm(_GuardedForm):
    total = forms.BooleanField(required=False, widget=forms.HiddenInput)


class CancelForm(_GuardedForm):
    pass


class ReprocessForm(_GuardedForm):
    refresh_entities = forms.CharField(
        label="Entities whose refresh messages it may have too",
        required=False,
        help_text="With commas. Such a message ends the records that it does not contain; else it is left.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def options(self) -> dict[str, object]:
        options = super().options()
        names = [name.strip() for name in options.pop("refresh_entities", "").split(",")]
        return options | ({"refresh_entities": found} if (found := list(filter(None, names))) else {})


def _months() -> forms.IntegerField:
    out_of_range = f"From 1 to {MAX_MONTHS} months."
    return forms.IntegerField(
        label="Older than (months)",
        min_value=1,
        max_value=MAX_MONTHS,
        initial=DEFAULT_MONTHS,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
        error_messages={
            "required": "Enter a number of months, at least 1.",
            "invalid": "A whole number of months.",
            "min_value": out_of_range,
            "max_value": out_of_range,
        },
    )


class ArchiveHistoryForm(NewJobForm):
    older_than_months = _months()


class ArchiveForm(NewJobForm):
    older_than_months = _months()
    to = forms.ChoiceField(
        label="Goes to",
        choices=[("tables", "The archive tables"), ("parquet", "Parquet files")],
        initial="tables",
    )


class RestoreForm(NewJobForm):
    pass


class GroupFailuresForm(NewJobForm):
    pass


class ExportForm(NewJobForm):
    format = forms.ChoiceField(
        label="Format",
        choices=[("csv", _EXCEL), ("jsonl", "JSON lines"), ("parquet", "Parquet")],
        initial="csv",
    )
    payload = forms.BooleanField(label="With payloads and envelopes", required=False)

    def __init__(self, *args: object, user: AbstractBaseUser, **kwargs: object) -> None:
        super().__init__(*args, user=user, **kwargs)
        if not user.has_perm(roles.CAN_VIEW_PAYLOAD):
            del self.fields["payload"]

    def clean(self) -> dict[str, object]:
        # The box was there when the page was drawn: an export without what was ticked would be another one.
        if "payload" not in self.fields and self.data.get("payload"):
            raise forms.ValidationError(
                "Payloads are not shown to you now: leave them out, or show values again."
            )
        return super().clean()


FORMS: Mapping[str, type[NewJobForm]] = {
    JobKind.RESTART: RestartForm,
    JobKind.CANCEL: CancelForm,
    JobKind.ARCHIVE: ArchiveForm,
    JobKind.RESTORE: RestoreForm,
    JobKind.EXPORT: ExportForm,
    JobKind.GROUP_FAILURES: GroupFailuresForm,
    JobKind.ARCHIVE_HISTORY: ArchiveHistoryForm,
    JobKind.REPROCESS: ReprocessForm,
}


def as_form_values(values: Mapping[str, object]) -> dict[str, object]:
    """Return stored options as the form shows them: a share as percent, names with commas."""
    if isinstance(names := values.get("refresh_entities"), list):
        values = {**values, "refresh_entities": ", ".join(names)}
    share = values.get("stop_at_failure_rate")
    if isinstance(share, int | float) and not isinstance(share, bool):
        return {**values, "stop_at_failure_rate": f"{100 * share:g}"}
    return dict(values)
