"""
The times and limits by which the hub retries, repairs and gives up.

They are the hub's own where the console can read them: an attached OpenHub has them in a table. Other hubs
have them in files, so the defaults apply, or the settings HUB_*_SECONDS, which override both.

Source: docs/contributing/spec/cleverbus.md, "Retries", "Repair", "Confirmations", "Settings of the hub".
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.utils import timezone

from messages_app.core.formatting import format_duration, format_list, quote_text
from messages_app.messages.attachment import SETTINGS_TABLE, has_settings, settings_of_hub
from messages_app.shared import hub_defaults
from messages_app.shared.far_times import FarTime, with_zone


class _Setting(NamedTuple):
    """A setting of OpenHub: its code, and the least value with which the hub works."""

    code: str
    least: int


# By the names of HubTimes. A period of 0 or less switches the hub's job off.
_SETTINGS: Mapping[str, _Setting] = {
    "poll_every": _Setting("ohf.asynch.partlyFailedRepeatTimeSec", 1),
    "partly_failed_rests": _Setting("ohf.asynch.partlyFailedIntervalSec", 0),
    "postponed_rests": _Setting("ohf.asynch.postponedIntervalSec", 0),
    "order_fails_after": _Setting("ohf.asynch.postponedIntervalWhenFailedSec", 0),
    "repair_after": _Setting("ohf.asynch.repairRepeatTimeSec", 1),
    "tries_before_failed": _Setting("ohf.asynch.countPartlyFailsBeforeFailed", 0),
    "confirmation_tries": _Setting("ohf.asynch.confirmation.failedLimit", 0),
    "confirmation_every": _Setting("ohf.asynch.confirmation.repeatTimeSec", 1),
    "confirmation_rests": _Setting("ohf.asynch.confirmation.intervalSec", 0),
}
CODES = tuple(setting.code for setting in _SETTINGS.values())
# The hub reads a Java int, without the white space in it.
_MAX_SECONDS = 2**31 - 1
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,10}")
_OVERRIDES = {
    "poll_every": "HUB_POLL_SECONDS",
    "partly_failed_rests": "HUB_FAILED_REST_SECONDS",
    "postponed_rests": "HUB_POSTPONED_REST_SECONDS",
}
_DEFAULT, _CONFIGURED = "the hub's default", "as the hub is configured"


@dataclass(frozen=True, kw_only=True)
class HubTimes:
    """
    The times and limits of the hub, named as in hub_defaults.

    Args:
        sources: where a value is from, by its name; the others are the hub's defaults.
        note: a sentence about values that cannot be read, or empty.
    """

    poll_every: timedelta = hub_defaults.POLL_EVERY
    partly_failed_rests: timedelta = hub_defaults.PARTLY_FAILED_RESTS
    postponed_rests: timedelta = hub_defaults.POSTPONED_RESTS
    order_fails_after: timedelta = hub_defaults.ORDER_FAILS_AFTER
    repair_after: timedelta = hub_defaults.REPAIR_AFTER
    tries_before_failed: int = hub_defaults.TRIES_BEFORE_FAILED
    confirmation_tries: int = hub_defaults.CONFIRMATION_TRIES
    confirmation_every: timedelta = hub_defaults.CONFIRMATION_EVERY
    confirmation_rests: timedelta = hub_defaults.CONFIRMATION_RESTS
    sources: Mapping[str, str] = field(default_factory=dict)
    note: str = ""

    @property
    def overdue_after(self) -> timedelta:
        """If two polls do not pick up a due message, the hub has a problem or is not running."""
        return 2 * self.poll_every

    @property
    def attempts(self) -> int:
        """The number of attempts until a message is FAILED."""
        return self.tries_before_failed + 1

    def source_of(self, name: str) -> str:
        """Return where the value is from: the hub's default."""
        return self.sources.get(name, _DEFAULT)


def hub_times() -> HubTimes:
    """Return the times of the hub now. Only for an attached OpenHub, and twice a minute, this is a query."""
    return with_overrides(times_from(settings_of_hub(CODES)) if has_settings() else HubTimes())


def times_from(values: Mapping[str, str | None] | None) -> HubTimes:
    """Return the times that OpenHub has in these values of its settings; None: they cannot be read."""
    if values is None:
        why = f"because the console cannot read {SETTINGS_TABLE}"
        return HubTimes(note=f"The times are the hub's defaults, {why}.")
    times = HubTimes()
    read: dict[str, Any] = {}
    for name, setting in _SETTINGS.items():
        number = _read_number(values.get(setting.code), least=setting.least)
        if number is not None:
            is_time = isinstance(getattr(times, name), timedelta)
            read[name] = timedelta(seconds=number) if is_time else number
    note = _write_unusable(values, [setting.code for name, setting in _SETTINGS.items() if name not in read])
    return replace(times, **read, sources=dict.fromkeys(read, _CONFIGURED), note=note)


def describe_times(times: HubTimes) -> list[str]:
    """Return a line for each time and limit: ohf.asynch.partlyFailedIntervalSec: 60 s, the hub's default."""
    values = (
        (setting.code, getattr(times, name), times.source_of(name)) for name, setting in _SETTINGS.items()
    )
    return [
        f"{code}: {format_duration(value) if isinstance(value, timedelta) else value}, {source}"
        for code, value, source in values
    ]


def _read_number(text: str | None, *, least: int) -> int | None:
    """Return the number that the hub reads in a value, or None if it is not one with which the hub works."""
    digits = "".join((text or "").split())
    if not _WHOLE_NUMBER.fullmatch(digits):
        return None
    return int(digits) if least <= int(digits) <= _MAX_SECONDS else None


def _write_unusable(values: Mapping[str, str | None], codes: list[str]) -> str:
    if not codes:
        return ""
    described = [_describe_setting(code, values.get(code)) for code in codes]
    return f"Defaults are used for settings of the hub without a usable value: {format_list(described)}."


def _describe_setting(code: str, value: str | None) -> str:
    return f"{code} is missing" if value is None else f"{code} is {quote_text(value, most=30)}"


def with_overrides(times: HubTimes) -> HubTimes:
    """Return the times, except those for which the console has a setting of its own."""
    overrides: dict[str, Any] = dict(_iterate_overrides())
    if not overrides:
        return times
    sources = {**times.sources, **{name: f"as {_OVERRIDES[name]} says" for name in overrides}}
    return replace(times, **overrides, sources=sources)


def _iterate_overrides() -> Iterator[tuple[str, timedelta]]:
    for name, setting in _OVERRIDES.items():
        seconds = getattr(settings, setting)
        if seconds is not None:
            yield name, timedelta(seconds=seconds)


def expect_pickup(restarted_at: datetime) -> tuple[datetime, datetime]:
    """Return the earliest and the latest time at which the hub picks up a message restarted at this time."""
    times = hub_times()
    earliest = restarted_at + times.partly_failed_rests
    return earliest, earliest + times.poll_every


def format_clock_time(moment: datetime) -> str:
    """Write a recent time without its date, in the console's time zone: 13:58:20 UTC."""
    local = timezone.localtime(moment)
    return with_zone(local) if isinstance(local, FarTime) else f"{local:%H:%M:%S} {local.tzname()}"


def format_day_and_time(moment: datetime) -> str:
    """Write a time with its date, in the console's time zone: 2026-11-21 13:58 UTC."""
    local = timezone.localtime(moment)
    return with_zone(local) if isinstance(local, FarTime) else f"{local:%Y-%m-%d %H:%M} {local.tzname()}"
