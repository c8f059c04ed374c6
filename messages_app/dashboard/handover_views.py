"""
The handover of events after the user's last visit, or after a given time.

Source: docs/contributing/spec/design.md, "First page".
"""

from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

from django.contrib import messages as notices
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_POST, require_safe

from messages_app.access import roles
from messages_app.access.actors import actor_of, user_of
from messages_app.access.decorators import check_right, requires_permission
from messages_app.core.clock import database_clock
from messages_app.core.filters import moments
from messages_app.core.page_parameters import takes_parameters
from messages_app.core.problems import Problem
from messages_app.dashboard.handover import Handover, read_handover
from messages_app.dashboard.handover_parts import WATCH, describe_shift
from messages_app.dashboard.handover_sending import (
    NO_CHANNEL,
    list_receivers,
    newest_sends,
    send_handover,
)
from messages_app.dashboard.handover_text import write_handover
from messages_app.dashboard.models import note_visit
from messages_app.messages.first_steps import FirstSteps, first_steps_or_none

# The first time that every zone can show.
_FIRST_TIME = datetime(1, 1, 3, tzinfo=UTC)
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
@takes_parameters("since", "channel")
def handover_page(request: HttpRequest) -> HttpResponse:
    now, text = database_clock(), request.GET.get("since", "").strip()
    last_here = note_visit(user_of(request)).before_at
    since = _read_time(text, now) if text else (last_here or now - SHIFT)
    shift = read_handover(since) if since else None
    steps = first_steps_or_none()
    may_send = request.user.has_perm(roles.CAN_HANDLE_INCIDENTS)
    context = {
        "asked": text,
        "fault": since is None,
        "last_here": last_here,
        "shifts": _SHIFTS,
        "found": shift,
        "first_steps": steps,
        "is_incomplete": shift is not None and steps is not None and _is_incomplete(shift, steps),
        **(_describe_parts(shift) if shift else {}),
        "receivers": list_receivers(),
        "chosen_channel": request.GET.get("channel", ""),
        "sends": newest_sends() if may_send else [],
        "no_channel": NO_CHANNEL,
        "may_send": may_send,
    }
    status = 400 if since is None else 200
    return render(request, "messages_app/dashboard/handover.html", context, status=status)


def _is_incomplete(shift: Handover, steps: FirstSteps) -> bool:
    """Whether incidents may still come: the demo is being loaded, or none is counted yet."""
    return steps.loading is not None or (steps.is_filling and not shift.open_incidents)


def _describe_parts(shift: Handover) -> dict[str, object]:
    """Return the parts of the page: `watch` is at its side."""
    parts = describe_shift(shift)
    return {
        "summary": [part for part in parts if part.summary],
        "parts": [part for part in parts if part.key != WATCH],
        "watch": next(part for part in parts if part.key == WATCH),
        "text": write_handover(shift),
    }


@require_safe
@requires_permission(roles.CAN_VIEW_JOBS)
@takes_parameters("since")
def handover_text(request: HttpRequest) -> HttpResponse:
    """Show the handover as plain text, to copy. It is not a visit."""
    now = database_clock()
    since = _read_time(request.GET.get("since", "").strip() or _SHIFTS[0][0], now)
    if since is None:
        words = "Enter a time in the past, such as -8h, today or 2026-11-21T10:00.\n"
        return HttpResponse(words, status=400, content_type="text/plain; charset=utf-8")
    text = write_handover(read_handover(since))
    return HttpResponse(text, content_type="text/plain; charset=utf-8")


@require_POST
@requires_permission(roles.CAN_VIEW_JOBS)
def send_text(request: HttpRequest) -> HttpResponse:
    """Send the handover to a channel of a watch rule, and lead back to it."""
    check_right(request, roles.CAN_HANDLE_INCIDENTS, action="send_handover")
    now, since_text = database_clock(), request.POST.get("since", "").strip()
    since = _read_time(since_text, now) if since_text else None
    if since is None:
        notices.error(request, "It was not sent: its start is not a time in the past.")
        return redirect("handover")
    key, query = request.POST.get("channel", ""), {"since": since_text}
    try:
        sent = send_handover(key=key, shift=read_handover(since), actor=actor_of(request))
    except Problem as problem:
        notices.error(request, f"It was not sent: {problem.detail}")
    else:
        if sent.error:
            notices.error(request, f"It was not sent to {sent.channel}: {sent.error}")
            # The receiver stays chosen, so that another attempt takes one click.
            query["channel"] = key
        else:
            notices.success(request, f"Handover sent to {sent.channel}.")
    return redirect(f"{reverse('handover')}?{urlencode(query)}")


def _read_time(text: str, now: datetime) -> datetime | None:
    """Parse a time; None if it is not a time in the past."""
    address = moments.as_address(text, is_end=False, now=now)
    try:
        moment = parse_datetime(moments.as_exact_time(address, is_end=False, now=now))
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None or moment > now:
        return None
    return max(moment, _FIRST_TIME)
