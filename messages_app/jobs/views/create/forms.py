"""The form of a new job: the options of its kind, and why. What an option may be is checked by services."""

from collections.abc import Iterable, Mapping
from typing import Any, cast

from django import forms

from messages_app.access.actors import Caller
from messages_app.core.pages import reason_field
from messages_app.core.problems import FieldError
from messages_app.jobs.kinds.registry import spec_of
from messages_app.shared.job_records import JobOptions

_REASON = "reason"


class NewJobForm(forms.Form):
    """Turns text into the options of a kind of job; a user has no field for what they may not ask for."""

    def __init__(self, kind: str, *args: Any, user: Caller, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.known = spec_of(kind).options
        for name, option in self.known.items():
            if not option.permission or user.has_perm(option.permission):
                self.fields[name] = option.field()
        self.fields[_REASON] = reason_field()

    def clean(self) -> dict[str, Any] | None:
        # The field was there when the page was drawn: a job without what was ticked would be another one.
        for name, option in self.known.items():
            if name not in self.fields and self.data.get(name):
                raise forms.ValidationError(option.refusal)
        return super().clean()

    @property
    def option_fields(self) -> list[forms.BoundField]:
        """Return the fields that are shown beside the reason."""
        return [field for field in self.visible_fields() if field.name != _REASON]

    def options(self) -> JobOptions:
        """Return the options that were given. The services check their values."""
        given = {name: value for name, value in self.cleaned_data.items() if name in self.known}
        values = {name: self.known[name].from_form(value) for name, value in given.items()}
        return cast(
            JobOptions, {name: value for name, value in values.items() if value not in (None, "", [])}
        )

    def about(self) -> dict[str, object]:
        """Return those that decide what the job is about."""
        return {name: value for name, value in self.options().items() if self.known[name].is_about}

    @property
    def is_about_something(self) -> bool:
        """Whether the options that decide what the job is about are right, so that a preview can be shown."""
        return not any(option.is_about and name in self.errors for name, option in self.known.items())

    def take_errors(self, errors: Iterable[FieldError]) -> None:
        """Put the errors of services beside their fields."""
        for error in errors:
            name = error.field.removeprefix("options.")
            self.add_error(name if name in self.fields else None, error.message)


def default_values(kind: str) -> dict[str, object]:
    """Return the values of a form that nobody has filled in yet."""
    initial = {name: option.field().initial for name, option in spec_of(kind).options.items()}
    return {name: value for name, value in initial.items() if value is not None}


def as_form_values(kind: str, values: Mapping[str, object]) -> dict[str, object]:
    """Return stored options, and what else stands with them, as the form shows them."""
    known = spec_of(kind).options
    return {name: known[name].to_form(value) if name in known else value for name, value in values.items()}
