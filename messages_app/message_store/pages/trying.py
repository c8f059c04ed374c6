"""Settings of the waits between attempts as somebody would have them, before the environment has them."""

from collections.abc import Iterator

from django import forms
from django.conf import settings

from messages_app.message_store.timing import Timing

_LONGEST = 10 * 366 * 86_400
# The properties, by what their fields are called, and the greatest value that still means something.
_FIELDS = {
    "minimum_delay": ("At least, seconds", _LONGEST),
    "maximum_delay": ("At most, seconds", _LONGEST),
    "minimum_delay_multiplier": ("At least so many times the attempt", 10_000),
    "age_multiplier": ("Times the age", 10_000),
    "age_exponent": ("To the power of", 5),
    "message_timeout": ("Gives up at the age of, seconds", _LONGEST),
}


class TimingForm(forms.Form):
    """The monitor's properties; a field that is left empty is as it is."""

    def __init__(self, *args: object, **options: object) -> None:
        super().__init__(*args, auto_id="try_%s", **options)
        for name, (label, most) in _FIELDS.items():
            self.fields[name] = forms.FloatField(
                label=label,
                required=False,
                min_value=0,
                max_value=most,
                widget=forms.NumberInput(
                    attrs={
                        "step": "any",
                        "placeholder": f"{getattr(settings.MESSAGE_STORE_TIMING, name):.15g}",
                    }
                ),
            )

    @property
    def tried(self) -> Timing | None:
        """The properties as they would be; None where nothing valid was asked for."""
        changed = dict(self._changed()) if self.is_bound and self.is_valid() else {}
        return Timing(**(vars(settings.MESSAGE_STORE_TIMING) | changed)) if changed else None

    @property
    def environment(self) -> list[str]:
        """The lines of the environment that would make it so."""
        changed = self._changed() if self.tried else ()
        return [f"HUBCONSOLE_STORE_{name.upper()}={value:.15g}" for name, value in changed]

    def _changed(self) -> Iterator[tuple[str, float]]:
        for name, value in self.cleaned_data.items():
            if value is not None and value != getattr(settings.MESSAGE_STORE_TIMING, name):
                yield name, value
