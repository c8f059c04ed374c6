"""The services that pull: when they polled last, what they hold and since when, and who is probably dead."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.gate import requires
from messages_app.cp_queue import queries
from messages_app.cp_queue.pages import frame
from messages_app.cp_queue.pages.words import standing
from messages_app.cp_queue.queries import ServiceState
from messages_app.drawing.ages import age_share
from messages_app.drawing.badges import Badge
from messages_app.drawing.bars import Bar, bars
from messages_app.web.clock import database_clock

# As the query has them.
MOST_SERVICES, MOST_HELD = 200, 250


@dataclass(frozen=True, kw_only=True)
class Line:
    """
    One service as the page draws it.

    Args:
        held: the bar of what it holds.
        age: how long the bar of its longest reservation is, in percent.
        queues: as it asked for them last.
    """

    service: ServiceState
    standing: Badge
    held: Bar
    age: int
    queues: list[str]


@require_safe
@requires(roles.CAN_VIEW_CP_QUEUE)
def service_list(request: HttpRequest) -> HttpResponse:
    states = queries.service_states()
    context = {
        "lines": _lines(states, database_clock()),
        "dead": [each for each in states if each.is_probably_dead],
        "is_cut": len(states) >= MOST_SERVICES,
        "most_held": MOST_HELD - 1,
        "silent_seconds": int(settings.CP_SILENT_SECONDS),
    }
    return frame.page(request, "services", context, section="cp-services")


def _lines(states: Sequence[ServiceState], now: datetime) -> list[Line]:
    drawn = bars([(each.service, each.reserved, "") for each in states])
    return [_line(each, bar, now) for each, bar in zip(states, drawn, strict=True)]


def _line(service: ServiceState, bar: Bar, now: datetime) -> Line:
    silence = now - service.last_poll if service.last_poll else timedelta.max
    return Line(
        service=service,
        standing=standing(service, is_silent=silence.total_seconds() > settings.CP_SILENT_SECONDS),
        held=bar,
        age=age_share(timedelta(seconds=service.longest_seconds or 0)),
        queues=[name for name in service.queues.split(",") if name],
    )
