"""
Read the timeline of a message, live or archived, by index.

If there are many rows, only the first and the last ones are read, so the timeline of a message with 10 000
events is as fast as any other.

Source: docs/contributing/spec/interfaces.md, "Messages" (`timeline/`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import transaction

from messages_app.audit.models import AuditEntry
from messages_app.core.clock import database_clock
from messages_app.core.lists.views import Bounded, fetch_ends
from messages_app.core.parameters import MIN_ID, following_id
from messages_app.core.statements import Statements
from messages_app.messages.actions.outcome import causes_of
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.models import ArchiveMessage, MessageEvent
from messages_app.messages.parquet_archive.reader import cold_rows
from messages_app.messages.requests.exchanges import Exchange, exchanges_of, list_exchanges
from messages_app.messages.tables import ARCHIVE, LIVE
from messages_app.messages.timeline import timeline
from messages_app.messages.timeline.entries import Entry, Span, find_spans, span_entries
from messages_app.shared.message_states import MessageState

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

statements = Statements("messages_app.messages.timeline")


# Entries from each end of a timeline, and rows from each end of each table.
EACH_END = 200
_AUDIT_ROWS = 1000
# The audit log records readings of payloads; the history of the message leaves them out.
_READING_PREFIX = "view_"


@dataclass(frozen=True, kw_only=True)
class Timeline:
    """
    The events of one message, oldest first.

    Args:
        entries: all entries, or the first and the last EACH_END.
        cut_at: the number of entries before the omitted ones; None if the list is complete.
        spans: the known states of the message; in a cut timeline, only at both ends.
        at: the time of the database when the timeline was read.
        actions: the operators' actions in the audit log, newest first.
    """

    entries: list[Entry]
    cut_at: int | None
    spans: list[Span]
    at: datetime
    actions: list[AuditEntry] = field(default_factory=list)

    @property
    def truncated(self) -> bool:
        return self.cut_at is not None


@dataclass(frozen=True, kw_only=True)
class Traffic:
    """The external calls and the exchanges of a message, up to EACH_END from each end."""

    calls: Bounded[Any]
    exchanges: Bounded[Exchange]


def timeline_of(
    message: MessageColumns, *, at: datetime | None = None, traffic: Traffic | None = None
) -> Timeline:
    """
    Return the timeline of a live or archived message.

    Args:
        at: the time of the timeline; None: the database's current time.
        traffic: that of the message, if it was read already.
    """
    at = at or database_clock()
    events = fetch_ends(MessageEvent.objects.filter(msg_id=message.pk), "event_id", each_end=EACH_END)
    traffic = traffic or read_traffic(message)
    calls, pairs = traffic.calls, traffic.exchanges
    actions, actions_are_cut = _read_actions(message.pk)
    blocks = _span_blocks(message, events)
    is_cut = events.is_cut or calls.is_cut or pairs.is_cut or actions_are_cut
    entries = timeline.sort_entries(
        [
            *timeline.own_entries(message),
            *_span_entries(message, events, blocks, at),
            *timeline.event_entries(events, causes_of(message.pk)),
            *timeline.call_entries(calls),
            *timeline.exchange_entries(pairs),
            *timeline.action_entries(actions),
        ]
    )
    every_span = [span for block in blocks for span in block]
    whole = Timeline(entries=entries, cut_at=None, spans=every_span, at=at, actions=actions)
    return _cut_entries(whole, is_cut)


def read_traffic(message: MessageColumns) -> Traffic:
    """Return the external calls and the exchanges of a live or archived message."""
    cold = cold_rows(message)
    if cold is not None:
        requests: list[Any] = cold.rows_for_page("requests")
        pairs = exchanges_of(cold, requests, with_lone=True)
        return Traffic(calls=Bounded(first=cold.rows_for_page("calls")), exchanges=Bounded(first=pairs))
    tables = ARCHIVE if isinstance(message, ArchiveMessage) else LIVE
    calls = fetch_ends(tables["call"].objects.filter(msg_id=message.pk), "call_id", each_end=EACH_END)
    return Traffic(calls=calls, exchanges=list_exchanges(tables, message.pk, each_end=EACH_END))


def _cut_entries(whole: Timeline, is_cut: bool) -> Timeline:
    """Keep the first and the last entries; between them, rows of some tables are missing."""
    if len(whole.entries) <= 2 * EACH_END and not is_cut:
        return whole
    before = min(EACH_END, len(whole.entries) // 2)
    kept = whole.entries[:before] + whole.entries[-min(EACH_END, len(whole.entries) - before) :]
    return replace(whole, entries=kept, cut_at=before)


def _span_blocks(message: MessageColumns, events: Bounded) -> list[list[Span]]:
    """Return the spans from the start and, in a second list, those before the end if the events are cut."""
    if not len(events):
        return [timeline.spans_without_history(message)]
    first, started_again = events.first[0], _has_started_again(events)
    start = timeline.find_start(message, first, started_again=started_again)
    blocks = [find_spans(events.first, start=start, is_latest=not events.is_cut)]
    if events.is_cut:
        blocks.append(find_spans(events.last, start=None, is_latest=True))
    return blocks


def _has_started_again(events: Bounded) -> bool:
    return any(event.to_state == MessageState.PROCESSING for event in events)


def _span_entries(
    message: MessageColumns, events: Bounded, blocks: list[list[Span]], at: datetime
) -> Iterator[Entry]:
    if not len(events):
        yield from timeline.entries_without_history(blocks[0], at=at)
        return
    for number, block in enumerate(blocks):
        yield from span_entries(block, at=at, counted=number == 0)


def _read_actions(msg_id: int) -> tuple[list[AuditEntry], bool]:
    """Return the operators' actions among the newest audit entries, and whether there are older entries."""
    newest = list(AuditEntry.objects.filter(msg_id=msg_id).order_by("-entry_id")[:_AUDIT_ROWS])
    actions = [entry for entry in newest if not entry.action.startswith(_READING_PREFIX)]
    return actions, len(newest) == _AUDIT_ROWS


# Close gaps in the history of states: a message whose state differs from its last entry gets another entry.
#
# The states in between are unknown, which the actor MessageEvent.UNKNOWN shows.
# Source: docs/contributing/decisions/0023-triggers-never-fail-the-hub.md.


_MESSAGES_PER_SCAN = 10_000
# How many messages are locked at a time. The hub may wait a few milliseconds for their locks.
_MAX_LOCKED = 200


def rebuild_history(*, spark: "SparkSession", dsn: str) -> str:
    """Add the missing entries of the history and the missing failures, and return their numbers."""
    from spark_tasks.failure_groups import group_history  # here: web processes do not load PySpark

    entries, failures = mend_history(), group_history(spark, dsn=dsn)
    return f"{entries} history entries and {failures} failures were missing."


def mend_history() -> int:
    """Add the missing last entries of all live messages and return their number."""
    added = 0
    first: int | None = MIN_ID
    while first is not None:
        last, stale = statements.only_row("find_stale", {"first": first, "most": _MESSAGES_PER_SCAN})
        if last is None:
            break
        first = following_id(last)
        added += sum(
            _mend_history(stale[first : first + _MAX_LOCKED])
            for first in range(0, len(stale or ()), _MAX_LOCKED)
        )
    return added


def _mend_history(msg_ids: Sequence[int]) -> int:
    """Lock the messages and add entries. Skip a message that is locked, because its change adds the entry."""
    with transaction.atomic():
        locked = [msg_id for (msg_id,) in statements.rows("lock_messages", {"msg_ids": list(msg_ids)})]
        return statements.count("add_unknown", {"msg_ids": locked, "actor": MessageEvent.UNKNOWN})
