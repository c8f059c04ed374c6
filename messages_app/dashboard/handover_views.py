"""
The handover of events after the user's last visit, or after a given time.

Source: docs/contributing/spec/design.md, "First page".
"""

from datetime import datetime, timedelta

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.actors import user_of
from messages_app.access.decorators import requires_permission
from messages_app.core.clock import database_clock
from messages_app.core.filters import moments
from messages_app.dashboard.handover import BY_HAND, read_handover
from messages_app.dashboard.models import note_visit
from messages_app.messages.failures.models import TONES

# The window of a user's first visit is one shift.
SHIFT = timedelta(hours=8)
_SHIFTS = (
    ("-8h", "Last 8 h"),
    ("-12h", "Last 12 h"),
    ("-24h", "Last 24 h"),
    ("-3d", "Last 3 d"),
    ("-7d", "Last 7 d"),
)


@require_safe
@requires_permission(roles.CAN_VIEW_JOBS)
def handover_page(request: HttpRequest) -> HttpResponse:
    now, text = database_clock(), request.GET.get("since", "").strip()
    last_here = note_visit(user_of(request)).before_at
    since = _read_time(text, now) if text else (last_here or now - SHIFT)
    context = {
        "asked": text,
        "fault": since is None,
        "last_here": last_here,
        "shifts": _SHIFTS,
        "found": since and read_handover(since),
        "now": now,
        "tones": TONES,
        "by_hand_words": BY_HAND,
    }
    status = 400 if since is None else 200
    return render(request, "messages_app/dashboard/handover.html", context, status=status)


def _read_time(text: str, now: datetime) -> datetime | None:
    """Parse a time; None if it is not a time in the past."""
    address = moments.as_address(text, is_end=False, now=now)
    try:
        moment = parse_datetime(moments.as_exact_time(address, is_end=False, now=now))
    except ValueError:
        moment = None
    return moment if moment is not None and moment.tzinfo is not None and moment <= now else None
