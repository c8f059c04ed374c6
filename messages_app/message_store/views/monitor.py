"""
The monitor: its last scan, its queue, its workers, what they hold, and the waits that its settings come to.

Settings are the environment's, or the ones that administrators set here: tried out first, then set with a
reason.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django import forms
from django.contrib import messages as notices
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.decorators import check_right
from messages_app.core.badges import Badge
from messages_app.core.charts.bars import make_bars
from messages_app.core.clock import database_clock
from messages_app.core.page_parameters import takes_parameters
from messages_app.core.reason_form import ReasonForm
from messages_app.message_store import registration, selectors
from messages_app.message_store.models import MessageLine
from messages_app.message_store.retry_times import Timing, wait_after
from messages_app.message_store.selectors.summary import ages_of_waiting
from messages_app.message_store.services.monitor_settings import set_limits, unset_limits
from messages_app.message_store.settings import (
    RANGES,
    WHOLE,
    Limits,
    changed_settings,
    current_limits,
    environment_limits,
)
from messages_app.message_store.states import badge_of
from messages_app.message_store.views import PAGES, VIEWS

_LABELS = {
    "interval": "Scan interval (s)",
    "threads": "Max parallel messages",
    "queue": "Max queued messages",
    "process_timeout": "Attempt timeout (s)",
    "minimum_delay": "Min wait (s)",
    "maximum_delay": "Max wait (s)",
    "minimum_delay_multiplier": "Min wait as a multiple of the attempt",
    "age_multiplier": "Age multiplier",
    "age_exponent": "Age exponent",
    "message_timeout": "Gives up at age (s)",
}


class LimitsForm(forms.Form):
    """The settings; a field that is left empty stays as it is."""

    def __init__(self, values: Mapping[str, str] | None, *, now: Limits) -> None:
        super().__init__(values, auto_id="try_%s")
        self._now = now
        for name, value in now.values().items():
            least, most = RANGES[name]
            kind: Any = forms.IntegerField if name in WHOLE else forms.FloatField
            self.fields[name] = kind(
                label=_LABELS[name],
                required=False,
                min_value=least,
                max_value=most,
                widget=forms.NumberInput(attrs={"step": "any", "placeholder": f"{value:.15g}"}),
            )

    @property
    def changed(self) -> dict[str, float]:
        """The settings that would change; empty if a value is invalid."""
        if not (self.is_bound and self.is_valid()):
            return {}
        now = self._now.values()
        values = {name: self.cleaned_data[name] for name in now}
        return {name: value for name, value in values.items() if value is not None and value != now[name]}

    @property
    def tried(self) -> Limits | None:
        """The settings after the change; None if nothing changes."""
        return self._now.with_changes(self.changed) if self.changed else None

    @property
    def described(self) -> list[tuple[str, str, str, str]]:
        """(name, what it is, value now, value then) of each that would change."""
        return describe_changes(self._now.values(), self.changed)


def describe_changes(now: Mapping[str, float], then: Mapping[str, float]) -> list[tuple[str, str, str, str]]:
    """Return (name, what it is, value now, value then) of each setting of `then`."""
    return [(name, _LABELS[name], f"{now[name]:.15g}", f"{value:.15g}") for name, value in then.items()]


# If a scan is this late, nothing scans. The scheduler notices a changed interval only after a moment.
_LATE, _LATE_AT_LEAST = 3, timedelta(minutes=1)
# Ages for which a wait is drawn: from an immediate attempt to a week.
_AGES = (5, 60, 300, 1_800, 7_200, 43_200, 604_800)


@VIEWS.shows_page
@takes_parameters(*_LABELS)
def show_monitor(request: HttpRequest) -> HttpResponse:
    return _render_monitor(request, LimitsForm(request.GET or None, now=current_limits()), ReasonForm())


@VIEWS.takes_form
def change_settings(request: HttpRequest) -> HttpResponse:
    """Save the settings that were tried out; with `back`, reset all to the environment's."""
    check_right(request, registration.CAN_CHANGE_DEFINITIONS, action="set_store_monitor")
    form, why = LimitsForm(request.POST, now=current_limits()), ReasonForm(request.POST, auto_id="set_%s")
    is_back = "back" in request.POST
    if not (why.is_valid() and (is_back or form.changed)):
        return _render_monitor(request, form, why, status=400)
    author = {"actor": actor_of(request), "reason": why.cleaned_data["reason"]}
    if is_back:
        unset_limits(**author)
    else:
        set_limits(values=form.changed, **author)
    notices.success(request, "Settings saved. They apply from the next attempt and scan.")
    return redirect("store-monitor")


def _render_monitor(
    request: HttpRequest, form: LimitsForm, why: ReasonForm, status: int = 200
) -> HttpResponse:
    monitor, ages, now = selectors.monitor_state(), ages_of_waiting(), current_limits()
    context = {
        "monitor": monitor,
        "is_late": _is_late(monitor),
        "ages": ages,
        "queue_share": min(100, round(100 * ages.queued / monitor.queue)) if monitor.queue else 0,
        "worker_share": min(100, round(100 * ages.processing / monitor.threads)) if monitor.threads else 0,
        "held": _claimed_longest(monitor.process_timeout),
        "timeout_days": selectors.TIMEOUT_HOURS // 24,
        "timing": now.timing,
        "form": form,
        "why": why,
        "set_here": describe_changes(environment_limits().values(), changed_settings()),
        "waits": _make_waits(now.timing, form.tried.timing if form.tried else None),
        "may_set": request.user.has_perm(registration.CAN_CHANGE_DEFINITIONS),
        "may_archive": request.user.has_perm(roles.CAN_ARCHIVE),
    }
    return PAGES.render_page(request, "monitor", context, section="store-monitor", status=status)


def _is_late(monitor: selectors.Monitor) -> bool:
    if monitor.last_scan_at is None or not monitor.interval:
        return True
    return database_clock() - monitor.last_scan_at > max(
        _LATE * timedelta(seconds=monitor.interval), _LATE_AT_LEAST
    )


def _claimed_longest(timeout: float) -> list[tuple[MessageLine, Badge, bool]]:
    """Return the messages in work for longest, and whether the timeout has passed."""
    since = database_clock() - timedelta(seconds=timeout)
    return [
        (line, badge_of(line.status), line.claimed_at is not None and line.claimed_at < since)
        for line in selectors.longest_held_messages()
    ]


@dataclass(frozen=True, kw_only=True)
class _Wait:
    """A wait at an age, seconds; `tried`: as other settings would have it; None: it gives up."""

    age: int
    seconds: int | None
    tried: int | None
    width: float


def _make_waits(timing: Timing, tried: Timing | None) -> list[_Wait]:
    """Return the waits after attempts that took no time."""
    waits = [(age, _seconds_after(age, timing), _seconds_after(age, tried or timing)) for age in _AGES]
    drawn = make_bars(("", (other if tried else now) or 0, "") for _, now, other in waits)
    return [
        _Wait(age=age, seconds=now, tried=other, width=bar.width)
        for (age, now, other), bar in zip(waits, drawn, strict=True)
    ]


def _seconds_after(age: int, timing: Timing) -> int | None:
    seconds = wait_after(age=age, duration=0, timing=timing).seconds
    return None if seconds is None else round(seconds)
