"""The monitor's settings as somebody would have them: tried out first, then set."""

from collections.abc import Mapping

from django import forms

from messages_app.message_store.limits import RANGES, WHOLE, Limits

_LABELS = {
    "interval": "Scans every, seconds",
    "threads": "Messages processed at once, at most",
    "queue": "Messages queued at most",
    "process_timeout": "Taken from its worker after, seconds",
    "minimum_delay": "Waits at least, seconds",
    "maximum_delay": "Waits at most, seconds",
    "minimum_delay_multiplier": "At least so many times the attempt",
    "age_multiplier": "Times the age",
    "age_exponent": "To the power of",
    "message_timeout": "Gives up at the age of, seconds",
}


class LimitsForm(forms.Form):
    """The settings; a field that is left empty stays as it is."""

    def __init__(self, values: Mapping[str, str] | None, *, now: Limits) -> None:
        super().__init__(values, auto_id="try_%s")
        self._now = now
        for name, value in now.values().items():
            kind = forms.IntegerField if name in WHOLE else forms.FloatField
            least, most = RANGES[name]
            self.fields[name] = kind(
                label=_LABELS[name],
                required=False,
                min_value=least,
                max_value=most,
                widget=forms.NumberInput(attrs={"step": "any", "placeholder": f"{value:.15g}"}),
            )

    @property
    def changed(self) -> dict[str, float]:
        """What would be another than it is; nothing where a value is wrong."""
        if not (self.is_bound and self.is_valid()):
            return {}
        now = self._now.values()
        given = {name: self.cleaned_data[name] for name in now}
        return {name: value for name, value in given.items() if value is not None and value != now[name]}

    @property
    def tried(self) -> Limits | None:
        """The settings as they would be; None where none would change."""
        return self._now.changed(self.changed) if self.changed else None

    @property
    def described(self) -> list[tuple[str, str, str, str]]:
        """(name, what it is, value now, value then) of each that would change."""
        return described(self._now.values(), self.changed)


def described(now: Mapping[str, float], then: Mapping[str, float]) -> list[tuple[str, str, str, str]]:
    """Return (name, what it is, value now, value then) of each setting of `then`."""
    return [(name, _LABELS[name], f"{now[name]:.15g}", f"{value:.15g}") for name, value in then.items()]
