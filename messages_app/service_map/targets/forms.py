"""The form of the owner, the runbook and the targets of a service or system."""

from typing import Any

from django import forms

from messages_app.core.edit_versions import VersionedForm
from messages_app.core.reason_form import reason_field
from messages_app.service_map.targets.models import MAX_OWNER, MAX_RUNBOOK, Profile
from messages_app.service_map.targets.services import ProfileColumns

_MAX_SECONDS = 7 * 24 * 3600
# Floats are written with this many digits behind the point: 99.95 %.
_DIGITS = 3


class ProfileForm(VersionedForm):
    """Shares are entered in percent."""

    owner = forms.CharField(required=False, max_length=MAX_OWNER, label="Owner")
    runbook = forms.URLField(
        required=False,
        max_length=MAX_RUNBOOK,
        label="Runbook",
        assume_scheme="https",
        help_text="The address of a page.",
    )
    within_share = forms.FloatField(
        required=False, min_value=1, max_value=100, label="Ended in time, at least (%)"
    )
    within_seconds = forms.IntegerField(required=False, min_value=1, max_value=_MAX_SECONDS, label="Time (s)")
    failed_share = forms.FloatField(required=False, min_value=0, max_value=100, label="Failed, at most (%)")
    reason = reason_field()

    def clean_runbook(self) -> str:
        address: str = self.cleaned_data["runbook"]
        if address and not address.startswith(("http://", "https://")):
            raise forms.ValidationError("Enter an address that begins with http:// or https://.")
        return address

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        pair = ("within_share", "within_seconds")
        if not self.errors.keys() & set(pair):
            for name, other in (pair, pair[::-1]):
                if values.get(name) is None and values.get(other) is not None:
                    self.add_error(name, "Enter both the share and the time, or neither.")
        return values

    def read_columns(self) -> ProfileColumns:
        """Return the columns; only for a valid form."""
        values = self.cleaned_data
        return {
            "owner": values["owner"],
            "runbook": values["runbook"],
            "within_seconds": values["within_seconds"],
            "within_share": _as_share(values["within_share"]),
            "failed_share": _as_share(values["failed_share"]),
        }


def form_values(profile: Profile) -> dict[str, object]:
    """Return the initial values of the form."""
    return {
        "owner": profile.owner,
        "runbook": profile.runbook,
        "within_seconds": profile.within_seconds,
        "within_share": _as_percent(profile.within_share),
        "failed_share": _as_percent(profile.failed_share),
        "version": str(profile.version),
    }


def _as_share(percent: float | None) -> float | None:
    return None if percent is None else round(percent / 100, _DIGITS + 2)


def _as_percent(share: float | None) -> float | None:
    return None if share is None else round(share * 100, _DIGITS)
