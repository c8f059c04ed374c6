"""The monitor: its last scan, its queue, its workers, and the waits that its settings come to."""

from datetime import timedelta

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.gate import requires
from messages_app.drawing.bars import bars
from messages_app.message_store import queries
from messages_app.message_store.pages import frame
from messages_app.message_store.timing import wait_after
from messages_app.web.clock import database_clock

# A scan that comes so much later than it should means that nobody scans.
_LATE = 3
# Ages at which a wait is drawn: from an attempt at once to one of a month; the timeout ends the list.
_AGES = (5, 60, 300, 1_800, 7_200, 43_200, 604_800)


@require_safe
@requires(roles.CAN_VIEW_STORE)
def monitor(request: HttpRequest) -> HttpResponse:
    found, ages = queries.monitor(), queries.ages()
    timing = settings.MESSAGE_STORE_TIMING
    context = {
        "monitor": found,
        "is_late": _is_late(found),
        "ages": ages,
        "queue_share": min(100, round(100 * ages.queued / found.queue)) if found.queue else 0,
        "worker_share": min(100, round(100 * ages.processing / found.threads)) if found.threads else 0,
        "timing": timing,
        "waits": _waits(),
        "may_archive": request.user.has_perm(roles.CAN_ARCHIVE),
    }
    return frame.page(request, "monitor", context, section="store-monitor")


def _is_late(found: queries.Monitor) -> bool:
    if found.last_scan_at is None or not found.interval:
        return True
    return database_clock() - found.last_scan_at > timedelta(seconds=_LATE * found.interval)


def _waits() -> list[tuple[int, int, float]]:
    """Return (age, wait, width of its bar), seconds, after attempts that took no time."""
    timing = settings.MESSAGE_STORE_TIMING
    found = [(age, wait_after(age=age, duration=0, timing=timing).seconds) for age in _AGES]
    known = [(age, round(seconds)) for age, seconds in found if seconds is not None]
    drawn = bars(("", seconds, "") for _, seconds in known)
    return [(age, seconds, bar.width) for (age, seconds), bar in zip(known, drawn, strict=True)]
