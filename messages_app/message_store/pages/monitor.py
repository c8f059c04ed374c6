"""
The monitor: its last scan, its queue, its workers, what they hold, and the waits that its settings come to.

Settings are the environment's: the page shows what others would come to, and the lines to set.
"""

from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.gate import requires
from messages_app.drawing.badges import Badge
from messages_app.drawing.bars import bars
from messages_app.message_store import queries
from messages_app.message_store.models import MessageLine
from messages_app.message_store.pages import frame
from messages_app.message_store.pages.trying import TimingForm
from messages_app.message_store.pages.words import badge_of
from messages_app.message_store.timing import Timing, wait_after
from messages_app.web.clock import database_clock

# A scan that comes so much later than it should means that nobody scans.
_LATE = 3
# Ages at which a wait is drawn: from an attempt at once to one of a month; the timeout ends the list.
_AGES = (5, 60, 300, 1_800, 7_200, 43_200, 604_800)


@require_safe
@requires(roles.CAN_VIEW_STORE)
def monitor(request: HttpRequest) -> HttpResponse:
    found, ages = queries.monitor(), queries.ages()
    form = TimingForm(request.GET or None)
    context = {
        "monitor": found,
        "is_late": _is_late(found),
        "ages": ages,
        "queue_share": min(100, round(100 * ages.queued / found.queue)) if found.queue else 0,
        "worker_share": min(100, round(100 * ages.processing / found.threads)) if found.threads else 0,
        "held": _held(found.process_timeout),
        "timeout_days": queries.TIMEOUT_HOURS // 24,
        "timing": settings.MESSAGE_STORE_TIMING,
        "form": form,
        "waits": _waits(form.tried),
        "may_reprocess": request.user.has_perm(roles.CAN_REPROCESS),
        "may_archive": request.user.has_perm(roles.CAN_ARCHIVE),
    }
    return frame.page(request, "monitor", context, section="store-monitor")


def _is_late(found: queries.Monitor) -> bool:
    if found.last_scan_at is None or not found.interval:
        return True
    return database_clock() - found.last_scan_at > timedelta(seconds=_LATE * found.interval)


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


def _waits(tried: Timing | None) -> list[_Wait]:
    """Return the waits after attempts that took no time."""
    timing = settings.MESSAGE_STORE_TIMING
    found = [(age, _seconds(age, timing), _seconds(age, tried or timing)) for age in _AGES]
    drawn = bars(("", (other if tried else now) or 0, "") for _, now, other in found)
    return [
        _Wait(age=age, seconds=now, tried=other, width=bar.width)
        for (age, now, other), bar in zip(found, drawn, strict=True)
    ]


def _seconds(age: int, timing: Timing) -> int | None:
    seconds = wait_after(age=age, duration=0, timing=timing).seconds
    return None if seconds is None else round(seconds)
