"""The form of a new job, one a kind: turns text into values. What an option may be is checked by services."""

from collections.abc import Iterable, Mapping

from django import forms
from django.contrib.auth.base_user import AbstractBaseUser

from messages_app.access import roles
from messages_app.core.pages import reason_field
from messages_app.core.problems import FieldError
from messages_app.jobs.validation.options import DEFAULT_MONTHS, MAX_CANARY, MAX_MONTHS
from messages_app.shared.job_states import JobKind

_WHOLE = {"invalid": "Enter a whole number."}
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
        label="Max rate (messages/s)",
        required=False,
        help_text="Leave empty for no limit. You can change it while the job runs.",
        widget=forms.NumberInput(
            attrs={"min": "0.01", "step": "any", "inputmode": "decimal", "data-rate": ""}
        ),
        error_messages={"invalid": "Enter a number of messages per second."},
    )
    canary = forms.IntegerField(
        label="Test batch size",
        required=False,
        help_text="The job waits for these messages to finish, then continues or stops.",
        widget=forms.NumberInput(attrs={"min": 1, "max": MAX_CANARY, "inputmode": "numeric"}),
        error_messages=_WHOLE,
    )
    stop_at_failure_rate = forms.FloatField(
        label="Stop if failures exceed (%)",
        required=False,
        widget=forms.NumberInput(attrs={"min": 0, "max": 100, "step": "any", "inputmode": "decimal"}),
        error_messages={"invalid": "Enter a number from 0 to 100."},
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
        label="Include refresh messages of",
        required=False,
        help_text=(
            "Entities, separated by commas. A refresh ends records it does not contain. Others are skipped."
        ),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def options(self) -> dict[str, object]:
        options = super().options()
        names = [name.strip() for name in options.pop("refresh_entities", "").split(",")]
        return options | ({"refresh_entities": found} if (found := list(filter(None, names))) else {})


def _months() -> forms.IntegerField:
    out_of_range = f"Enter 1 to {MAX_MONTHS} months."
    return forms.IntegerField(
        label="Older than (months)",
        min_value=1,
        max_value=MAX_MONTHS,
        initial=DEFAULT_MONTHS,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
        error_messages={
            "required": "Enter a number of months, at least 1.",
            "invalid": "Enter a whole number of months.",
            "min_value": out_of_range,
            "max_value": out_of_range,
        },
    )


class ArchiveHistoryForm(NewJobForm):
    older_than_months = _months()


class ArchiveForm(NewJobForm):
    older_than_months = _months()
    to = forms.ChoiceField(
        label="Destination",
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
                "Payloads are masked for you. Export without payloads, or show values first."
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
