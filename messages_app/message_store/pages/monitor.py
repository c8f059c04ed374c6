"""
The monitor: its last scan, its queue, its workers, what they hold, and the waits that its settings come to.

Settings are the environment's, or those that administrators set here: tried out first, then set with a
reason.
"""

from dataclasses import dataclass
from datetime import timedelta

from django.contrib import messages as notices
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.gate import refuse, requires
from messages_app.drawing.badges import Badge
from messages_app.drawing.bars import bars
from messages_app.message_store import queries, services
from messages_app.message_store.limits import limits, of_environment, set_here
from messages_app.message_store.models import MessageLine
from messages_app.message_store.pages import frame
from messages_app.message_store.pages.trying import LimitsForm, described
from messages_app.message_store.pages.words import badge_of
from messages_app.message_store.timing import Timing, wait_after
from messages_app.web.clock import database_clock
from messages_app.web.reasons import ReasonForm

# A scan that comes so much later than it should means that nobody scans; a change of the interval takes a
# moment until the scheduler knows of it.
_LATE, _LATE_AT_LEAST = 3, timedelta(minutes=1)
# Ages at which a wait is drawn: from an attempt at once to one of a month; the timeout ends the list.
_AGES = (5, 60, 300, 1_800, 7_200, 43_200, 604_800)


@require_safe
@requires(roles.CAN_VIEW_STORE)
def monitor(request: HttpRequest) -> HttpResponse:
    return _page(request, LimitsForm(request.GET or None, now=limits()), ReasonForm())


@require_POST
@requires(roles.CAN_VIEW_STORE)
def change_settings(request: HttpRequest) -> HttpResponse:
    """Set what was tried out, or with `back` let all be the environment's again."""
    if not request.user.has_perm(roles.CAN_CHANGE_DEFINITIONS):
        refuse(request, action="set_store_monitor")
    form, why = LimitsForm(request.POST, now=limits()), ReasonForm(request.POST, auto_id="set_%s")
    is_back = "back" in request.POST
    if not (why.is_valid() and (is_back or form.changed)):
        return _page(request, form, why, status=400)
    asked = {"actor": actor_of(request), "reason": why.cleaned_data["reason"]}
    if is_back:
        services.unset_limits(**asked)
    else:
        services.set_limits(values=form.changed, **asked)
    notices.success(request, "Set: it holds from the next attempt and scan on.")
    return redirect("store-monitor")


def _page(request: HttpRequest, form: LimitsForm, why: ReasonForm, status: int = 200) -> HttpResponse:
    found, ages, now = queries.monitor(), queries.ages(), limits()
    context = {
        "monitor": found,
        "is_late": _is_late(found),
        "ages": ages,
        "queue_share": min(100, round(100 * ages.queued / found.queue)) if found.queue else 0,
        "worker_share": min(100, round(100 * ages.processing / found.threads)) if found.threads else 0,
        "held": _held(found.process_timeout),
        "timeout_days": queries.TIMEOUT_HOURS // 24,
        "timing": now.timing,
        "form": form,
        "why": why,
        "set_here": described(of_environment().values(), set_here()),
        "waits": _waits(now.timing, form.tried.timing if form.tried else None),
        "may_set": request.user.has_perm(roles.CAN_CHANGE_DEFINITIONS),
        "may_reprocess": request.user.has_perm(roles.CAN_REPROCESS),
        "may_archive": request.user.has_perm(roles.CAN_ARCHIVE),
    }
    return frame.page(request, "monitor", context, section="store-monitor", status=status)


def _is_late(found: queries.Monitor) -> bool:
    if found.last_scan_at is None or not found.interval:
        return True
    return database_clock() - found.last_scan_at > max(
        _LATE * timedelta(seconds=found.interval), _LATE_AT_LEAST
    )


def _held(timeout: float) -> list[tuple[MessageLine, Badge, bool]]:
    """Return what has been in work for longest, and whether for longer than the timeout."""
    since = database_clock() - timedelta(seconds=timeout)
    return [(line, badge_of(line.status), line.claimed_at < since) for line in queries.held()]


@dataclass(frozen=True, kw_only=True)
class _Wait:
    """A wait at an age, seconds; `tried`: as other settings would have it; None: it gives up."""

    age: int
    seconds: int | None
    tried: int | None
    width: float


def _waits(timing: Timing, tried: Timing | None) -> list[_Wait]:
    """Return the waits after attempts that took no time."""
    found = [(age, _seconds(age, timing), _seconds(age, tried or timing)) for age in _AGES]
    drawn = bars(("", (other if tried else now) or 0, "") for _, now, other in found)
    return [
        _Wait(age=age, seconds=now, tried=other, width=bar.width)
        for (age, now, other), bar in zip(found, drawn, strict=True)
    ]


def _seconds(age: int, timing: Timing) -> int | None:
    seconds = wait_after(age=age, duration=0, timing=timing).seconds
    return None if seconds is None else round(seconds)
