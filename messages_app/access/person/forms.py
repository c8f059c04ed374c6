"""The form of a person's settings."""

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.http import QueryDict

from messages_app.access.choices import (
    COMFORTABLE,
    COMPACT,
    Choices,
    choices_of,
    find_zone,
    zone_of_hub,
)
from messages_app.access.navigation import menu_entries
from messages_app.core.problems import quote_value

HUB, UTC, OWN = "hub", "utc", "own"
MAX_ZONE = 64
_UTC = "UTC"


class ChoicesForm(forms.Form):
    """Time zone, height of rows and start page."""

    times = forms.ChoiceField(
        label="Times",
        widget=forms.RadioSelect,
        error_messages={"required": "Choose a time zone."},
    )
    time_zone = forms.CharField(
        label="Time zone",
        required=False,
        max_length=MAX_ZONE,
        widget=forms.TextInput(
            attrs={"placeholder": "Europe/Prague", "autocomplete": "off", "spellcheck": "false"}
        ),
    )
    density = forms.ChoiceField(
        label="Rows",
        choices=[(COMFORTABLE, "Comfortable"), (COMPACT, "Compact")],
        widget=forms.RadioSelect,
    )
    start_page = forms.ChoiceField(label="Page after login")

    def __init__(self, user: User, data: QueryDict | None = None) -> None:
        choices = choices_of(user)
        super().__init__(data, initial=_initial_values(choices))
        hub = zone_of_hub()
        self.fields["times"].choices = [  # type: ignore[attr-defined]  # a field of choices
            (HUB, f"As the hub ({hub})"),
            *([] if hub == _UTC else [(UTC, _UTC)]),
            (OWN, "Another time zone"),
        ]
        self.fields["start_page"].choices = [  # type: ignore[attr-defined]
            (entry.url, entry.title) for entry in menu_entries(user)
        ]

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or {}
        if values.get("times") == OWN and "time_zone" in values:
            zone = values["time_zone"]
            if not zone:
                self.add_error("time_zone", "Enter a time zone, such as Europe/Prague.")
            elif find_zone(zone) is None:
                text = f"{quote_value(zone)} is not a time zone. Write it as Europe/Prague or UTC."
                self.add_error("time_zone", text)
        return values

    @property
    def choices(self) -> Choices:
        values = self.cleaned_data
        zones = {HUB: "", UTC: _UTC, OWN: values["time_zone"]}
        return Choices(
            time_zone=zones[values["times"]], density=values["density"], start_page=values["start_page"]
        )


def _initial_values(choices: Choices) -> dict[str, str]:
    is_utc = choices.time_zone == _UTC and zone_of_hub() != _UTC
    return {
        "times": UTC if is_utc else OWN if choices.time_zone else HUB,
        "time_zone": "" if is_utc else choices.time_zone,
        "density": choices.density,
        "start_page": choices.start_page,
    }
