"""The handover: what happened since somebody was last here, or since a time. Source: consoles.md (c) 15."""

from datetime import datetime, timedelta

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.gate import requires
from messages_app.first_page.handover import BY_HAND, handover
from messages_app.first_page.visits import note_visit
from messages_app.messages.failing.tones import TONES
from messages_app.messages.watching.frame import way
from messages_app.web.clock import database_clock
from messages_app.web.filters import moments

# Who was never here before begins with a shift.
SHIFT = timedelta(hours=8)
_SHIFTS = ("-8h", "-12h", "-24h", "-3d", "-7d")


@require_safe
@requires(roles.CAN_VIEW_JOBS)
def handover_page(request: HttpRequest) -> HttpResponse:
    now, asked = database_clock(), request.GET.get("since", "").strip()
    last_here = note_visit(request.user).before_at
    since = _time(asked, now) if asked else (last_here or now - SHIFT)
    context = {
        "sections": way("handover"),
        "asked": asked,
        "fault": since is None,
        "last_here": last_here,
        "shifts": [(shift, moments.in_words(shift, "")) for shift in _SHIFTS],
        "found": since and handover(since),
        "now": now,
        "tones": TONES,
        "by_hand_words": BY_HAND,
    }
    status = 400 if since is None else 200
    return render(request, "messages_app/first_page/handover.html", context, status=status)


def _time(text: str, now: datetime) -> datetime | None:
    """Return the time that a text means; None where it means none that is past."""
    address = moments.as_address(text, is_end=False, now=now)
    try:
        found = parse_datetime(moments.exact(address, is_end=False, now=now))
    except ValueError:
        found = None
    return found if found is not None and found.tzinfo is not None and found <= now else None
