"""
Who waits before funnels and who holds them, over all values: bounded looks at the messages that do either.

Whoever waits longest is read first, so that of a million only the newest are left out, and that is said.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import datetime

from django.db.models import QuerySet

from messages_app.messages.funnels import blocking
from messages_app.messages.funnels.blocking import LINE_LIMIT, MOST_VALUES, Member
from messages_app.messages.funnels.filters import FunnelFilter
from messages_app.messages.hub_defaults import FUNNEL_IDLE_AFTER
from messages_app.messages.models import Funnel, Message
from messages_app.messages.services import rules
from messages_app.messages.states import MessageState

MOST_WAITING = 2000
# Of each state that holds a funnel, the newest: the others started before the idle window, as a rule.
_MOST_RUNNING = 300

_COLUMNS = [field.name for field in fields(Member) if field.name != "values"]


@dataclass(frozen=True)
class Reading:
    """Members, and whether there are more than were read."""

    members: list[Member]
    is_cut: bool


def waiting(filters: FunnelFilter, *, most: int = MOST_WAITING) -> Reading:
    """Return who waits: the `most` POSTPONED messages received first, of those that have a funnel value."""
    if filters.value is not None:
        return _waiting_for(filters)
    rows = Message.objects.filter(state=MessageState.POSTPONED)
    order = ("receive_timestamp", "msg_id")
    if filters.component is not None:
        rows, order = rows.filter(funnel_component_id=filters.component), ("msg_timestamp", "msg_id")
    found = list(rows.order_by(*order).values(*_COLUMNS, "funnel_value")[: most + 1])
    return Reading(_with_values(found[:most]), len(found) > most)


def _waiting_for(filters: FunnelFilter) -> Reading:
    values = [filters.value]
    if filters.component is not None:
        found = blocking.line(values=values, component_id=filters.component)
        return Reading(found, len(found) >= LINE_LIMIT)
    present = blocking.present(values=values)
    found = {member.msg_id: member for member in present if member.state == MessageState.POSTPONED}
    for component in sorted({member.funnel_component_id for member in present} - {None}):
        line = blocking.line(values=values, component_id=component)
        found.update((member.msg_id, member) for member in line)
    return Reading(list(found.values()), len(present) >= LINE_LIMIT)


def running(filters: FunnelFilter, *, at: datetime) -> list[Member]:
    """Return who holds a funnel at `at`: for all values, the newest of each state that does."""
    since = at - FUNNEL_IDLE_AFTER
    if filters.value is not None:
        found = blocking.present(values=[filters.value])
        found = [member for member in found if member.state != MessageState.POSTPONED]
    else:
        found = _with_values([row for state in sorted(rules().holds_funnel) for row in _newest(state)])
    return [
        member
        for member in found
        if member.start_process_timestamp is not None and member.start_process_timestamp >= since
    ]


def _newest(state: str) -> QuerySet:
    rows = Message.objects.filter(state=state).order_by("-receive_timestamp", "-msg_id")
    return rows.values(*_COLUMNS, "funnel_value")[:_MOST_RUNNING]


def _with_values(rows: Iterable[dict]) -> list[Member]:
    """Return those of the messages that have a funnel value, with them. Source: spec/cleverbus.md 1.5."""
    rows = list(rows)
    stored: dict[int, list[str]] = {}
    own = Funnel.objects.filter(msg_id__in=[row["msg_id"] for row in rows]).order_by("funnel_id")
    for msg_id, value in own.values_list("msg_id", "funnel_value")[: len(rows) * MOST_VALUES]:
        stored.setdefault(msg_id, []).append(value)
    members = []
    for row in rows:
        old_value = row.pop("funnel_value")
        values = stored.get(row["msg_id"]) or ([old_value] if old_value else [])
        members.append(Member(values=tuple(values[:MOST_VALUES]), **row))
    return [member for member in members if member.values]
