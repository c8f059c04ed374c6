"""The form of a schedule: its filter, its times, and whether it is enabled. Services check the values."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import time
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.http import QueryDict

from messages_app.core.clock import database_clock
from messages_app.core.edit_versions import VersionedForm
from messages_app.core.filters.address import as_query, pairs_of
from messages_app.core.filters.table import name_values
from messages_app.core.problems import FieldError
from messages_app.core.query_language.parser import address_of, line_values, parse_line, render_line
from messages_app.jobs.kinds.registry import spec_of
from messages_app.jobs.models import JobSchedule
from messages_app.jobs.schedules.presets import WEEKDAYS, Every, cron_of, read_preset
from messages_app.jobs.schedules.services import read_version
from messages_app.jobs.schedules.times import MAX_CRON
from messages_app.jobs.stores import store_of
from messages_app.messages.attachment import time_zone
from messages_app.messages.listing.saved_views.services import BUILT_IN, filters_of_params, views_of
from messages_app.shared.job_records import Given
from messages_app.shared.job_states import StoreName

_CODE = {"class": "u-code", "spellcheck": "false", "autocomplete": "off"}
_NOTHING, _OWN = "", "own"
_MAX_LINE = 4000
_REPEATS = (
    (Every.HOUR, "Every hour"),
    (Every.DAY, "Every day"),
    (Every.WEEK, "Every week"),
    (Every.MONTH, "Every month"),
    (Every.OWN, "Cron expression"),
)
# The fields of each choice of `every`.
_FIELDS: Mapping[str, tuple[str, ...]] = {
    Every.HOUR: ("minute",),
    Every.DAY: ("at",),
    Every.WEEK: ("weekday", "at"),
    Every.MONTH: ("day", "at"),
    Every.OWN: ("cron",),
}
_MISSING = {
    "minute": "Enter a minute from 0 to 59.",
    "at": "Enter a time, such as 02:30.",
    "weekday": "Choose a day.",
    "day": "Enter a day from 1 to 31.",
    "cron": "Enter the times.",
}


class ScheduleForm(VersionedForm):
    """The fields of a schedule except the options and the reason of its jobs."""

    view = forms.ChoiceField(required=False, label="Messages")
    line = forms.CharField(
        required=False,
        max_length=_MAX_LINE,
        label="Query line",
        widget=forms.Textarea(attrs={"rows": 2, "placeholder": "state:FAILED received:>-7d", **_CODE}),
        help_text="As in the list. Times such as -7d or today are relative to each run.",
    )
    every = forms.ChoiceField(label="Repeat", choices=_REPEATS, initial=Every.DAY)
    weekday = forms.ChoiceField(required=False, label="On", choices=[*WEEKDAYS.items()], initial="1")
    day = forms.IntegerField(
        required=False,
        label="On day",
        min_value=1,
        max_value=31,
        initial=1,
        help_text="Months without this day are left out.",
    )
    at = forms.TimeField(
        required=False,
        label="At",
        initial=time(2, 30),
        widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M"),
    )
    minute = forms.IntegerField(required=False, label="At minute", min_value=0, max_value=59, initial=0)
    cron = forms.CharField(
        required=False,
        label="Cron expression",
        max_length=MAX_CRON,
        initial="0 6 * * mon-fri",
        widget=forms.TextInput(attrs=_CODE),
        help_text="Minute, hour, day of month, month, day of week. If both days are given, both must match.",
    )
    zone = forms.CharField(label="Time zone", max_length=64, widget=forms.TextInput(attrs=_CODE))
    enabled = forms.BooleanField(required=False, initial=True, label="Enabled")

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        kind: str,
        user: User,
        schedule: JobSchedule | None = None,
    ) -> None:
        super().__init__(data, initial=_initial_values(kind, schedule))
        self.kind, self.vocabulary, self._user = kind, store_of(kind).vocabulary, user
        self._queries = dict(_view_queries(user)) if spec_of(kind).store == StoreName.MESSAGES else {}
        self.fields["zone"].initial = time_zone()
        needs_filter = spec_of(kind).needs_filter
        self.fields["view"].choices = [  # type: ignore[attr-defined]
            (_NOTHING, "Choose…" if needs_filter else "All messages of this kind of job"),
            *((name, name.partition(":")[2]) for name in self._queries),
            (_OWN, "Your own filter…"),
        ]

    def clean(self) -> dict[str, Any]:
        """Add the filter and the cron expression that the values mean."""
        values = self.cleaned_data
        every = values.get("every")
        for name in _FIELDS.get(every or "", ()):
            if name not in self.errors and values.get(name) in (None, ""):
                self.add_error(name, _MISSING[name])
        if every and not self.errors.keys() & {*_FIELDS[every]}:
            parts = {name: values[name] for name in _FIELDS[every]}
            values["line_of_times"] = cron_of(Every(every), **parts)
        if not {"view", "line"} & self.errors.keys():
            values["filter"] = self._read_filter(values)
        return values

    def read_times(self) -> tuple[str, str]:
        """Return the cron expression and the zone of the form, or of its initial values; "": not complete."""
        form = self
        if not self.is_bound:
            values = {field.name: field.value() for field in self}
            form = ScheduleForm(values, kind=self.kind, user=self._user)
        form.is_valid()
        return form.cleaned_data.get("line_of_times", ""), form.cleaned_data.get("zone", "")

    def read_values(self) -> dict[str, Any]:
        """Return the columns of a schedule that this form has."""
        values = self.cleaned_data
        return {
            "filter": values["filter"],
            "cron": values["line_of_times"],
            "zone": values["zone"],
            "enabled": values["enabled"],
        }

    def take_errors(self, errors: Iterable[FieldError]) -> list[FieldError]:
        """Show the errors of services next to their fields. Return the other errors."""
        others = []
        for error in errors:
            if name := self._field_of(error.field.split(".")[0]):
                self.add_error(name, error.message)
            else:
                others.append(error)
        return others

    def _field_of(self, name: str) -> str:
        if name == "filter":
            return "line" if self.data.get("view") == _OWN else "view"
        if name == "cron":
            return "cron" if self.data.get("every") == Every.OWN else "every"
        return name if name in self.fields else ""

    def _read_filter(self, values: Mapping[str, str]) -> Given:
        if values["view"] == _NOTHING:
            return {}
        if values["view"] != _OWN:
            return filters_of_params(QueryDict(self._queries[values["view"]]))
        return self._read_line(values["line"])

    def _read_line(self, line: str) -> Given:
        # Services check which filters the user may use.
        allowed = self.vocabulary.filters.keys()
        reading = parse_line(line, self.vocabulary, now=database_clock(), allowed=allowed)
        if reading.find:
            self.add_error("line", "Write a filter, such as state:FAILED.")
        for error in reading.errors:
            self.add_error("line", error.message)
        return name_values(pairs_of(address_of(reading.params, self.vocabulary)))


def _view_queries(user: User) -> Iterator[tuple[str, str]]:
    """Yield the views of a user by the values of their choices, each with its query."""
    yield from ((f"tab:{view.name}", view.query) for view in BUILT_IN if view.query)
    yield from ((f"{view.pk}:{view.name}", view.query) for view in views_of(user))


def _initial_values(kind: str, schedule: JobSchedule | None) -> dict[str, object]:
    if schedule is None:
        return {"view": _OWN if spec_of(kind).needs_filter else _NOTHING}
    vocabulary = store_of(kind).vocabulary
    params = line_values(as_query(schedule.filter), vocabulary)
    return {
        "view": _OWN if schedule.filter else _NOTHING,
        "line": render_line(params, vocabulary)[0],
        "zone": schedule.zone,
        "enabled": schedule.enabled,
        "version": read_version(schedule),
        **read_preset(schedule.cron),
    }
