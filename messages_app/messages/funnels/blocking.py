"""
The hub's rules for funnels and guaranteed orders, applied to its rows: the messages that block a message.

Every list is bounded: it has at most MAX_LINE members, oldest first, from scans of at most FENCE rows each.

The states that count depend on the hub: RuleSet in shared/message_states.py.

Source: docs/contributing/spec/cleverbus.md, "Table funnel", "Funnels", "Guaranteed order".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from messages_app.core.statements import Statements
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.models import ArchiveFunnel
from messages_app.messages.parquet_archive.reader import cold_rows
from messages_app.messages.services import hub_rules
from messages_app.messages.tables import tables_of
from messages_app.shared.hub_defaults import FUNNEL_IDLE_AFTER
from messages_app.shared.message_states import BYGONE_STATES, MessageState

statements = Statements("messages_app.messages.funnels")


MAX_LINE = 1000
FENCE = 1000
# Up to this many open messages are compared with the rows of a value, instead of looking up each row.
MAX_OPEN = 10_000
MAX_VALUES = 50


@dataclass(frozen=True, kw_only=True)
class Member:
    """A message in a funnel, in its queue or in an order: the columns that the rules read, and its values."""

    msg_id: int
    state: str
    msg_timestamp: datetime
    receive_timestamp: datetime
    start_process_timestamp: datetime | None
    last_process_timestamp: datetime | None
    funnel_component_id: str | None
    guaranteed_order: bool
    exclude_failed_state: bool
    values: tuple[str, ...]


def funnel_values(message: MessageColumns) -> tuple[str, ...]:
    """
    Return the values of a message, live or archived, at most MAX_VALUES, duplicates included.

    They are its rows of the table; without rows, the value in the message itself.

    Source: docs/contributing/spec/cleverbus.md, "Table funnel".
    """
    values = _rows_of_values(message)
    return values or ((message.funnel_value,) if message.funnel_value else ())


def _rows_of_values(message: MessageColumns) -> tuple[str, ...]:
    cold = cold_rows(message)
    if cold is not None:
        rows_in_file = cold.rows_for_page("funnels")[:MAX_VALUES]
        return tuple(row.funnel_value for row in rows_in_file if isinstance(row, ArchiveFunnel))
    rows = tables_of(message)["funnel"].objects.filter(msg_id=message.pk).order_by("funnel_id")
    return tuple(rows.values_list("funnel_value", flat=True)[:MAX_VALUES])


def is_blocked_by_itself(values: Sequence[str]) -> bool:
    """
    Return whether a funnel counts a message with these values more than once, so that it can never enter.

    This does not apply to funnels with a guaranteed order. Source: docs/contributing/spec/cleverbus.md,
    "Funnels" (Edges).
    """
    return hub_rules().counts_each_value and len(values) > 1


def find_holders(
    *,
    values: Sequence[str],
    component_id: str | None,
    at: datetime,
    excluding: int | None = None,
    limit: int = MAX_LINE,
) -> list[Member]:
    """
    Return the messages that hold a funnel at `at`, except the message `excluding`.

    They have any of the values, are in a state that counts, started within the idle window, and have the same
    component if the hub compares components.
    """
    return _find_members(
        values=values,
        component_id=component_id,
        states=hub_rules().holds_funnel,
        started_from=at - FUNNEL_IDLE_AFTER,
        excluding=excluding,
        limit=limit,
    )


def find_overstayers(
    *,
    values: Sequence[str],
    component_id: str | None,
    at: datetime,
    excluding: int | None = None,
    limit: int = MAX_LINE,
) -> list[Member]:
    """Return the messages that started before the idle window: they run but no longer hold the funnel."""
    return _find_members(
        values=values,
        component_id=component_id,
        states=hub_rules().holds_funnel,
        started_before=at - FUNNEL_IDLE_AFTER,
        excluding=excluding,
        limit=limit,
    )


def waiting_line(*, values: Sequence[str], component_id: str | None, limit: int = MAX_LINE) -> list[Member]:
    """Return the messages that wait for a funnel, in the order of the hub's poll."""
    return _find_members(
        values=values, component_id=component_id, states={MessageState.POSTPONED}, limit=limit
    )


def funnel_order(
    *, values: Sequence[str], component_id: str | None, at: datetime, limit: int = MAX_LINE
) -> list[Member]:
    """
    Return the order that a funnel with guaranteedOrder checks; only its first message may enter.

    FAILED messages are included, because the route decides whether they count. No table shows whether a
    funnel has guaranteedOrder.
    """
    return _find_members(
        values=values,
        component_id=component_id,
        states=hub_rules().holds_order | {MessageState.FAILED},
        started_from=at - FUNNEL_IDLE_AFTER,
        limit=limit,
        same_component=True,
    )


def messages_with_values(*, values: Sequence[str]) -> list[Member]:
    """Return the messages that wait or run with any of these values, at any component and time."""
    return _find_members(
        values=values,
        component_id=None,
        states=hub_rules().holds_funnel | {MessageState.POSTPONED},
        limit=MAX_LINE,
        same_component=False,
    )


def poll_order(member: Member | MessageColumns) -> tuple[datetime, int]:
    """Return the sort key of polls and orders, smallest first; ties are resolved as in `_find_members`."""
    return member.msg_timestamp, ~member.msg_id if hub_rules().newest_id_first else member.msg_id


def order_queue(
    *, values: Sequence[str], exclude_failed: bool = False, limit: int = MAX_LINE
) -> list[Member]:
    """
    Return the guaranteed order of these values in routes: only the first message may continue.

    It ignores times and components. FAILED messages count, unless the checked message has
    `exclude_failed_state`.

    Source: docs/contributing/spec/cleverbus.md, "Guaranteed order".
    """
    failed = frozenset() if exclude_failed else {MessageState.FAILED}
    return _find_members(
        values=values,
        component_id=None,
        states=hub_rules().holds_order | failed,
        only_ordered=True,
        limit=limit,
        same_component=False,
    )


def _find_members(
    *,
    values: Sequence[str],
    component_id: str | None,
    states: frozenset[MessageState] | set[MessageState],
    started_from: datetime | None = None,
    started_before: datetime | None = None,
    only_ordered: bool = False,
    excluding: int | None = None,
    limit: int = MAX_LINE,
    same_component: bool | None = None,
) -> list[Member]:
    if not values:
        return []
    compares = hub_rules().compares_component if same_component is None else same_component
    arguments = {
        "values": list(values),
        "component_id": component_id,
        "any_component": not compares,
        "states": sorted(states),
        "bygone": sorted(BYGONE_STATES),  # the partial indexes exclude these
        "started_from": started_from,
        "started_before": started_before,
        "only_ordered": only_ordered,
        "excluding": excluding,
        "newest_first": hub_rules().newest_id_first,
        "limit": limit,
        "fence": FENCE,
        "most_open": MAX_OPEN,
        "most_values": MAX_VALUES,
    }
    with connection.cursor() as cursor:
        cursor.execute(statements.read_text("members"), arguments)
        names = [column.name for column in cursor.description]
        rows = [dict(zip(names, row, strict=True)) for row in cursor]
    return [Member(values=tuple(row.pop("stored")), **row) for row in rows]
