"""
Reads the timeline of a message, live or archived, by indexes.

Where rows can be many, only the first and the last ones are read, so the timeline of a message with 10 000
events is as fast as any other.

Source: docs/spec/interfaces.md, "Messages" (`timeline/`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import transaction

from messages_app.audit.models import AuditEntry
from messages_app.core.clock import database_clock
from messages_app.core.lists.views import Bounded, ends
from messages_app.core.statements import Statements
from messages_app.messages.actions.outcome import causes_of
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.models import ArchiveMessage, MessageEvent
from messages_app.messages.parquet_archive.reader import cold_rows
from messages_app.messages.requests.exchanges import exchanges, exchanges_of
from messages_app.messages.tables import ARCHIVE, LIVE
from messages_app.messages.timeline import timeline
from messages_app.messages.timeline.entries import Entry, Span, span_entries, spans
from messages_app.shared.message_states import MessageState

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

statements = Statements("messages_app.messages.timeline")


# Entries from each end of a timeline, and rows from each end of each table.
EACH_END = 200
_AUDIT_ROWS = 1000
# Readings of payloads are only in the audit log, not in the history of the message.
_LOOKS = "view_"


@dataclass(frozen=True, kw_only=True)
class Timeline:
    """
    The events of one message, oldest first.

    Args:
        entries: all entries, or the first and the last EACH_END.
        cut_at: the number of entries before the ones that are left out; None if the list is complete.
        spans: the known states of the message; in a cut timeline, only at both ends.
        at: the time of the database when the timeline was read.
    """

    entries: list[Entry]
    cut_at: int | None
    spans: list[Span]
    at: datetime

    @property
    def truncated(self) -> bool:
        return self.cut_at is not None


def timeline_of(message: MessageColumns, *, at: datetime | None = None) -> Timeline:
    """Return the timeline of a message, live or archived, at `at`, by default now by the database's clock."""
    at = at or database_clock()
    events = ends(MessageEvent.objects.filter(msg_id=message.pk), "event_id", each_end=EACH_END)
    calls, pairs = _traffic(message)
    actions, actions_are_cut = _actions(message.pk)
    blocks = _spans(message, events)
    is_cut = events.is_cut or calls.is_cut or pairs.is_cut or actions_are_cut
    entries = timeline.in_order(
        [
            *timeline.own_entries(message),
            *_span_entries(message, events, blocks, at),
            *timeline.event_entries(events, causes_of(message.pk)),
            *timeline.call_entries(calls),
            *timeline.exchange_entries(pairs),
            *timeline.action_entries(actions),
        ]
    )
    every_span = [one for block in blocks for one in block]
    return _cut(Timeline(entries=entries, cut_at=None, spans=every_span, at=at), is_cut)


def _traffic(message: MessageColumns) -> tuple[Bounded, Bounded]:
    """Return the external calls and the exchanges."""
    cold = cold_rows(message)
    if cold is not None:
        requests: list[Any] = cold.shown("requests")
        pairs = exchanges_of(cold, requests, with_lone=True)
        return Bounded(first=cold.shown("calls")), Bounded(first=pairs)
    tables = ARCHIVE if isinstance(message, ArchiveMessage) else LIVE
    calls = ends(tables["call"].objects.filter(msg_id=message.pk), "call_id", each_end=EACH_END)
    return calls, exchanges(tables, message.pk, each_end=EACH_END)


def _cut(whole: Timeline, is_cut: bool) -> Timeline:
    """Keep the first and the last entries; between them, rows of some tables are missing."""
    if len(whole.entries) <= 2 * EACH_END and not is_cut:
        return whole
    before = min(EACH_END, len(whole.entries) // 2)
    kept = whole.entries[:before] + whole.entries[-min(EACH_END, len(whole.entries) - before) :]
    return replace(whole, entries=kept, cut_at=before)


def _spans(message: MessageColumns, events: Bounded) -> list[list[Span]]:
    """Return the spans from the start, and if the events are cut, those before the end in a second list."""
    if not len(events):
        return [timeline.spans_without_history(message)]
    first, started_again = events.first[0], _started_again(events)
    begun = timeline.begun(message, first, started_again=started_again)
    blocks = [spans(events.first, begun=begun, is_latest=not events.is_cut)]
    if events.is_cut:
        blocks.append(spans(events.last, begun=None, is_latest=True))
    return blocks


def _started_again(events: Bounded) -> bool:
    return any(event.to_state == MessageState.PROCESSING for event in events)


def _span_entries(
    message: MessageColumns, events: Bounded, blocks: list[list[Span]], at: datetime
) -> Iterator[Entry]:
    if not len(events):
        yield from timeline.attempt_without_history(blocks[0], at=at)
        return
    for number, block in enumerate(blocks):
        yield from span_entries(block, at=at, counted=number == 0)


def _actions(msg_id: int) -> tuple[list[AuditEntry], bool]:
    """Return the operators' actions among the newest audit entries, and whether there are older entries."""
    newest = list(AuditEntry.objects.filter(msg_id=msg_id).order_by("-entry_id")[:_AUDIT_ROWS])
    actions = [entry for entry in newest if not entry.action.startswith(_LOOKS)]
    return actions, len(newest) == _AUDIT_ROWS


# Closes gaps in the history of states: a message whose state differs from its last entry gets another entry.
#
# The states in between are unknown, which the actor MessageEvent.UNKNOWN shows.
# Source: docs/decisions/0023-triggers-never-fail-the-hub.md.


_AT_ONCE = 10_000
# How many messages are locked at a time; the hub waits for them for some milliseconds.
_MOST_HELD = 200


def rebuild_history(*, spark: "SparkSession", dsn: str) -> str:
    """Add the missing entries of the history and the missing failures, and return their numbers."""
    from spark_tasks.failure_groups import group_history  # here: web processes do not load PySpark

    entries, failures = mend_history(), group_history(spark, dsn=dsn)
    return f"{entries} entries of the history and {failures} failures were missing."


def mend_history() -> int:
    """Add the missing last entries of all live messages, and return their number."""
    added, after = 0, 0
    while True:
        last, stale = statements.only_row("find_stale", {"after": after, "most": _AT_ONCE})
        if last is None:
            return added
        after = last
        added += sum(
            _mend(stale[first : first + _MOST_HELD]) for first in range(0, len(stale or ()), _MOST_HELD)
        )


def _mend(msg_ids: Sequence[int]) -> int:
    """Add entries with the messages locked. A message that is locked by a change gets its entry from that."""
    with transaction.atomic():
        held = [msg_id for (msg_id,) in statements.rows("hold_messages", {"msg_ids": list(msg_ids)})]
        return statements.count("add_unknown", {"msg_ids": held, "actor": MessageEvent.UNKNOWN})
