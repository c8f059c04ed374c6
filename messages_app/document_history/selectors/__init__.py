"""
Read-only reports on the history. Every count has a fence.

Source: docs/contributing/spec/document_history.md, "Statistics", "Console".
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from django.db.models import Func, IntegerField, TextField
from django.db.models.functions import Cast
from django_celery_beat.models import PeriodicTask

from messages_app.core.filters.table import Values, make_lookups, write_values
from messages_app.core.pagination.keyset import Order
from messages_app.core.pagination.paginator import DEFAULT_PAGE_SIZE, Page, fetch_page
from messages_app.core.statements import Statements
from messages_app.document_history.models import DocumentInDoubt, DocumentSweep, DocumentTrigger, HistoryLine
from messages_app.document_history.selectors.entries import IN_DOUBT, EntryLine, entry_lines, trigger_ids
from messages_app.document_history.states import InDoubtState
from messages_app.document_history.tasks import sweep_document_history

statements = Statements("messages_app.document_history")


# Counts stop here, and larger ones are shown as "more than" this. It is small enough to read an index in its
# order.
COUNTED = 1_000
_HOURS = 24
_MAX_TRIGGERS, _MAX_CHOICES = 500, 200

_BY_ID = Order(column="trigger_id", key="trigger_id")
_NEWEST_DOUBT = Order(column="in_doubt_id", key="in_doubt_id", descending=True)
_SWEEPS_A_PAGE = 20
_NEWEST_SWEEP = Order(column="sweep_id", key="sweep_id", descending=True)


@dataclass(frozen=True, kw_only=True)
class TriggerCounts:
    """
    Figures of one trigger, each up to COUNTED + 1.

    Args:
        stored, expired: number of entries, and of entries that wait for the sweeper.
        undetermined: documents with only a processing entry; oldest_undetermined: the start of the oldest.
        started, duplicates, in_doubt: in the last 24 hours.
        open_doubts: documents in doubt without a decision.
    """

    trigger_id: str
    stored: int
    expired: int
    undetermined: int
    oldest_undetermined: datetime | None
    started: int
    duplicates: int
    in_doubt: int
    open_doubts: int


@dataclass(frozen=True, kw_only=True)
class Overview:
    """
    The whole history in four figures.

    Args:
        open_doubts: documents in doubt without a decision, up to COUNTED + 1.
        suspended: triggers that are suspended.
        duplicates: of the last 24 hours, at most COUNTED + 1.
        oldest_undetermined: the start of the oldest; None if no document is undetermined.
    """

    open_doubts: int
    suspended: int
    duplicates: int
    oldest_undetermined: datetime | None


def summarize_history() -> Overview:
    """Return the figures of the first page."""
    values = {"fence": COUNTED + 1, "most": _MAX_TRIGGERS}
    return statements.fetch_records("overview", values, Overview)[0]


def trigger_page(*, cursor: str | None = None, page_size: int = DEFAULT_PAGE_SIZE) -> Page:
    """Return one page of triggers, by id. Raises Problem: 400, the cursor belongs to another list."""
    triggers = DocumentTrigger.objects.filter(deleted_at=None)
    return fetch_page(triggers, order=_BY_ID, cursor=cursor, page_size=page_size)


def trigger_counts(trigger_ids: Sequence[str]) -> Mapping[str, TriggerCounts]:
    """Return the figures of triggers by their ids."""
    values = {"trigger_ids": list(trigger_ids), "fence": COUNTED + 1, "hours": _HOURS}
    figures = statements.fetch_records("trigger_counts", values, TriggerCounts)
    return {counts.trigger_id: counts for counts in figures}


def count_expiring(*, trigger_id: str, ttl_seconds: int) -> int:
    """Return how many entries a time to live would expire immediately, up to COUNTED + 1."""
    values = {"trigger_id": trigger_id, "ttl_seconds": ttl_seconds, "fence": COUNTED + 1}
    (count,) = statements.only_row("expiring", values)
    return int(count)


def trigger_names() -> list[tuple[str, str]]:
    """Return (id, name) of the first triggers by name."""
    triggers = DocumentTrigger.objects.filter(deleted_at=None).order_by("name", "trigger_id")
    return list(triggers.values_list("trigger_id", "name")[:_MAX_CHOICES])


def trigger_of(trigger_id: str) -> DocumentTrigger | None:
    """Return a trigger, including a deleted one."""
    return DocumentTrigger.objects.filter(pk=trigger_id).first()


def entry_of(trigger_id: str, document_uuid: str) -> EntryLine | None:
    """Return the history's line of a document; None if it has no entry."""
    rows = HistoryLine.objects.filter(trigger_id=trigger_id, document_uuid=document_uuid)
    return next(iter(entry_lines(rows[:1])), None)


def names_of(trigger_ids: Sequence[str]) -> Mapping[str, str]:
    """Return the names of triggers by their ids, including deleted triggers."""
    return dict(DocumentTrigger.objects.filter(pk__in=set(trigger_ids)).values_list("trigger_id", "name"))


def in_doubt_page(*, values: Values, cursor: str | None = None, page_size: int = DEFAULT_PAGE_SIZE) -> Page:
    """
    Return one page of documents in doubt without their contents, newest first.

    Args:
        values: of selectors/entries.py IN_DOUBT.

    Raises:
        Problem: 400, the cursor belongs to another list.
    """
    rows = DocumentInDoubt.objects.defer("document").filter(**make_lookups(IN_DOUBT, values))
    if "trigger_id" in values:
        rows = rows.filter(trigger_id=values["trigger_id"])
    scope = str(write_values(IN_DOUBT, values))
    return fetch_page(rows, order=_NEWEST_DOUBT, cursor=cursor, page_size=page_size, scope=scope)


def open_doubts(documents: Sequence[tuple[str, str]]) -> Mapping[tuple[str, str], int]:
    """Return the ids of the open lines of the inbox by document, (trigger id, UUID)."""
    uuids = {uuid for _, uuid in documents}
    lines = DocumentInDoubt.objects.filter(
        state=InDoubtState.OPEN,
        trigger_id__in={trigger_id for trigger_id, _ in documents},
        document_uuid__in=uuids,
    ).exclude(document_uuid="")
    rows = lines.values_list("trigger_id", "document_uuid", "in_doubt_id")
    return {(trigger_id, uuid): key for trigger_id, uuid, key in rows}


def in_doubt_of(in_doubt_id: int, *, with_document: bool = False) -> DocumentInDoubt | None:
    """Return a document in doubt, with its content only if asked for."""
    rows = DocumentInDoubt.objects.all() if with_document else DocumentInDoubt.objects.defer("document")
    return rows.filter(pk=in_doubt_id).first()


def document_bytes(in_doubt_id: int) -> int | None:
    """Return the size of the document in doubt in bytes; None if its content was not sent."""
    size = Func(Cast("document", TextField()), function="octet_length", output_field=IntegerField())
    return DocumentInDoubt.objects.filter(pk=in_doubt_id).values_list(size, flat=True).first()


def text_of(document: object) -> str | None:
    """Return a content for a page: a text as it is, any other value as JSON."""
    if document is None or isinstance(document, str):
        return document
    return json.dumps(document, ensure_ascii=False)


def sweep_page(*, cursor: str | None = None) -> Page:
    """Return one page of the sweeper's runs, newest first. Raises Problem: 400, the cursor is invalid."""
    return fetch_page(
        DocumentSweep.objects.all(), order=_NEWEST_SWEEP, cursor=cursor, page_size=_SWEEPS_A_PAGE
    )


def waiting_for_sweep() -> list[tuple[str, int]]:
    """
    Return (name, entries that wait for the sweeper) of triggers with such entries, up to COUNTED + 1 each.
    """
    return statements.fetch_rows("waiting", {"most": _MAX_TRIGGERS, "fence": COUNTED + 1})


@dataclass(frozen=True, kw_only=True)
class Sweeper:
    """
    The runs of the sweeper.

    Args:
        last: the last run; None if it never ran.
        next_at: start of the next run; None if the scheduler has none.
        interval_seconds: between two of them.
        orphaned: ids of unknown triggers that have entries; these are not swept.
    """

    last: DocumentSweep | None
    next_at: datetime | None
    interval_seconds: float | None
    orphaned: list[str]


def sweeper_state() -> Sweeper:
    """Return the sweeper's last and next run."""
    task = PeriodicTask.objects.filter(task=sweep_document_history.name, enabled=True).first()
    interval = task.schedule.run_every if task and task.interval else None
    last_run = task and task.last_run_at
    ids = trigger_ids(_MAX_TRIGGERS)
    existing_ids = set(DocumentTrigger.objects.filter(pk__in=ids).values_list("pk", flat=True))
    return Sweeper(
        last=DocumentSweep.objects.order_by("-sweep_id").first(),
        next_at=last_run + interval if last_run and interval else None,
        interval_seconds=interval.total_seconds() if interval else None,
        orphaned=[trigger_id for trigger_id in ids if trigger_id not in existing_ids],
    )


def count_in_doubt() -> int:
    """Return the number of documents in doubt without a decision, up to COUNTED."""
    return DocumentInDoubt.objects.filter(state=InDoubtState.OPEN)[:COUNTED].count()


def make_tile(snapshot: object) -> Mapping[str, object]:
    """Return the work of operators, for the first page."""
    return asdict(summarize_history()) | {"most_counted": COUNTED}
