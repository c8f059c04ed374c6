"""
Read the timeline of a message, live or archived, by index.

If there are many rows, only the first and the last ones are read, so the timeline of a message with 10 000
events is as fast as any other.

Source: docs/contributing/spec/interfaces.md, "Messages" (`timeline/`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from messages_app.audit.models import AuditEntry
from messages_app.core.clock import database_clock
from messages_app.core.lists.row_ends import Bounded, fetch_ends
from messages_app.core.statements import Statements
from messages_app.messages.actions.causes import causes_of
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.models import MessageEvent
from messages_app.messages.parquet_archive.reader import cold_rows
from messages_app.messages.tables import tables_of
from messages_app.messages.timeline import row_entries
from messages_app.messages.timeline.acted_jobs import enter_jobs, list_acted_jobs
from messages_app.messages.timeline.entries import Entry
from messages_app.messages.timeline.spans import Span, find_spans, span_entries
from messages_app.messages.traffic.exchanges import Exchange, exchanges_of, list_exchanges
from messages_app.shared.message_states import MessageState

if TYPE_CHECKING:
    pass


statements = Statements("messages_app.messages.timeline")


# Entries from each end of a timeline, and rows from each end of each table.
EACH_END = 200


_AUDIT_ROWS = 1000


# The audit log records readings of payloads, and notes; the history of the message leaves them out.
_LEFT_OUT = ("view_", "add_note", "delete_note")


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
    def is_truncated(self) -> bool:
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
    changes = list(row_entries.event_entries(events, causes_of(message.pk)))
    is_cut = events.is_cut or calls.is_cut or pairs.is_cut or actions_are_cut
    entries = row_entries.sort_entries(
        [
            *row_entries.own_entries(message),
            *_span_entries(message, events, blocks, at),
            *changes,
            *row_entries.call_entries(calls),
            *row_entries.exchange_entries(pairs),
            *row_entries.action_entries(actions),
            *enter_jobs(list_acted_jobs(message.pk), changes),
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
    tables = tables_of(message)
    calls = fetch_ends(tables["call"].objects.filter(msg_id=message.pk), "call_id", each_end=EACH_END)
    return Traffic(calls=calls, exchanges=list_exchanges(tables, message.pk, each_end=EACH_END))


def _cut_entries(whole: Timeline, is_cut: bool) -> Timeline:
    """Keep the first and the last entries; between them, rows of some tables are missing."""
    if len(whole.entries) <= 2 * EACH_END and not is_cut:
        return whole
    before = min(EACH_END, len(whole.entries) // 2)
    entries = whole.entries[:before] + whole.entries[-min(EACH_END, len(whole.entries) - before) :]
    return replace(whole, entries=entries, cut_at=before)


def _span_blocks(message: MessageColumns, events: Bounded) -> list[list[Span]]:
    """Return the spans from the start and, in a second list, those before the end if the events are cut."""
    if not len(events):
        return [row_entries.spans_without_history(message)]
    first, started_again = events.first[0], _has_started_again(events)
    start = row_entries.find_start(message, first, started_again=started_again)
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
        yield from row_entries.entries_without_history(blocks[0], at=at)
        return
    for number, block in enumerate(blocks):
        yield from span_entries(block, at=at, counted=number == 0)


def _read_actions(msg_id: int) -> tuple[list[AuditEntry], bool]:
    """Return the operators' actions among the newest audit entries, and whether there are older entries."""
    newest = list(AuditEntry.objects.filter(msg_id=msg_id).order_by("-entry_id")[:_AUDIT_ROWS])
    actions = [entry for entry in newest if not entry.action.startswith(_LEFT_OUT)]
    return actions, len(newest) == _AUDIT_ROWS
