"""
Read-only reports on the message store, each by an index or with a fence.

Source: docs/contributing/spec/message_store.md, "Console".
"""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict

from django.db.models.functions import Left
from django_celery_beat.models import PeriodicTask

from messages_app.core.clock import time_limit
from messages_app.core.filters.address import is_storable
from messages_app.core.filters.table import Values
from messages_app.core.lists.counts import EXACT_COUNT_MS, Counted, count_or_estimate
from messages_app.core.pagination.keyset import Order
from messages_app.core.pagination.paginator import DEFAULT_PAGE_SIZE, Page, fetch_page
from messages_app.core.statements import Statements
from messages_app.message_store.identifiers import LENGTH, read_identifier
from messages_app.message_store.models import (
    ArchivedHistory,
    MessageHistory,
    MessageLine,
    MessageStore,
    SourceDefinition,
    TargetRecord,
)
from messages_app.message_store.monitor_models import StoreScan
from messages_app.message_store.selectors.messages import (
    COUNTED,
    ListedMessage,
    listed_messages,
    matching_lines,
)
from messages_app.message_store.selectors.summary import ages_of_waiting, count_by_system, counts_by_status
from messages_app.message_store.settings import current_limits
from messages_app.message_store.tasks import monitor_message_store
from messages_app.payloads.loader import Beginning, ContentNotFound, StoredText, read_beginning, size_of
from messages_app.shared.store_states import IN_WORK, class_of

statements = Statements("messages_app.message_store")


TIMEOUT_HOURS = 7 * 24
_HELD = 10
_OPTIONS_CHARS = 2_000
_NEWEST_ATTEMPT = Order(column="processed_timestamp", key="processed_timestamp", descending=True)
_BY_DEFINITION = Order(column="definition_id", key="definition_id")


def message_of(identifier: str) -> ListedMessage | None:
    """Return a message, even if parts are missing; None if it does not exist at all."""
    line = MessageLine.objects.filter(message_identifier=identifier).first()
    return listed_messages([line])[0] if line else None


def data_of(identifier: str) -> tuple[Beginning, StoredText] | None:
    """
    Return the beginning and the source of a message's data; None if it is not in the store
    (docs/contributing/spec/message_store.md, "Hard cases" case 22).
    """
    rows = MessageStore.objects.filter(pk=identifier)
    try:
        beginning = read_beginning(rows, "data")
    except ContentNotFound:
        return None
    size = beginning.stored_bytes or 0
    return Beginning(beginning.text or "", size), StoredText(rows, "data", size)


def data_bytes(identifier: str) -> int | None:
    """Return the size of a message's data; None if it has no data, or is not in the store."""
    rows = MessageStore.objects.filter(pk=identifier)
    return rows.values_list(size_of("data"), flat=True).first()


def options_of(identifier: str) -> str:
    """Return the beginning of a message's options, as they are stored."""
    rows = MessageStore.objects.filter(pk=identifier).exclude(options=None)
    return rows.values_list(Left("options", _OPTIONS_CHARS), flat=True).first() or ""


def attempt_page(identifier: str, *, cursor: str | None = None, page_size: int = DEFAULT_PAGE_SIZE) -> Page:
    """
    Return one page of a message's history, the newest first. Raises Problem: 400, the cursor is not one of
    this list.
    """
    attempts = MessageHistory.objects.filter(message_identifier=identifier)
    return fetch_page(attempts, order=_NEWEST_ATTEMPT, cursor=cursor, page_size=page_size, scope=identifier)


def archived_page(identifier: str, *, cursor: str | None = None, page_size: int = DEFAULT_PAGE_SIZE) -> Page:
    """Return one page of a message's archived attempts, the newest first; raises as `attempt_page`."""
    attempts = ArchivedHistory.objects.filter(message_identifier=identifier)
    scope = f"archived {identifier}"
    return fetch_page(attempts, order=_NEWEST_ATTEMPT, cursor=cursor, page_size=page_size, scope=scope)


def has_archived(identifier: str) -> bool:
    """Whether attempts at a message were archived."""
    return ArchivedHistory.objects.filter(message_identifier=identifier).exists()


def records_written(identifier: str) -> tuple[list[TargetRecord], bool]:
    """Return the first hundred versions that a message wrote, and whether there are more."""
    records = list(TargetRecord.objects.filter(source_message=identifier)[:101])
    return records[:100], len(records) > 100


def definition_page(*, cursor: str | None = None, page_size: int = DEFAULT_PAGE_SIZE) -> Page:
    """Return one page of source definitions. Raises Problem: 400, the cursor is not a page's."""
    rows = SourceDefinition.objects.all()
    return fetch_page(rows, order=_BY_DEFINITION, cursor=cursor, page_size=page_size)


def count_messages(values: Values) -> Counted:
    """
    Count the messages that pass the filters.

    Filters that the stored counts cover are exact immediately. Others are counted, for two seconds at most;
    after that the stored counts give an upper bound.
    """
    if values.keys() <= COUNTED:
        return Counted(number=_count_from_kept(values), is_exact=True)

    def count_exactly() -> int:
        with time_limit(EXACT_COUNT_MS):
            return matching_lines(values).count()

    return count_or_estimate(count_exactly, lambda: _count_from_kept(values))


def _count_from_kept(values: Values) -> int:
    statuses = {int(text) for text in values.get("status", ())}
    return sum(
        count.messages
        for count in count_by_system()
        if (not statuses or count.status in statuses)
        and values.get("source_system") in (None, count.source_system)
        and values.get("source_entity") in (None, count.source_entity)
    )


@dataclass(frozen=True, kw_only=True)
class Monitor:
    """
    The monitor's settings, and its last scan.

    Args:
        last_scan_at: None where none was done yet.
        interval: seconds, as the scheduler has it now.
        attempts_timed_out, places_timed_out: how often within TIMEOUT_HOURS it took a message from an
        attempt, or from the queue, as that was older than process_timeout.
        last_timeout_hour: the hour in which it did so at last; None: never.
    """

    last_scan_at: datetime | None
    interval: float | None
    queue: int
    threads: int
    process_timeout: float
    attempts_timed_out: int
    places_timed_out: int
    last_timeout_hour: datetime | None


def longest_held_messages() -> list[MessageLine]:
    """Return the messages that have been in work for longest, the longest first."""
    rows = MessageLine.objects.filter(status__in=sorted(map(int, IN_WORK)), claimed_at__isnull=False)
    return list(rows.order_by("claimed_at")[:_HELD])


def monitor_state() -> Monitor:
    """Return the state of the monitor."""
    now = current_limits()
    attempts, places, last = statements.only_row("timeouts", {"hours": TIMEOUT_HOURS})
    task = PeriodicTask.objects.filter(task=monitor_message_store.name, enabled=True).first()
    return Monitor(
        last_scan_at=StoreScan.objects.values_list("done_at", flat=True).first(),
        interval=task.schedule.run_every.total_seconds() if task and task.interval else None,
        queue=now.queue,
        threads=now.threads,
        process_timeout=now.process_timeout,
        attempts_timed_out=attempts,
        places_timed_out=places,
        last_timeout_hour=last,
    )


class StoreTile(TypedDict):
    """The number of store messages by progress, and the time since which the oldest has been due."""

    by_class: dict[str, int]
    due: int
    oldest_due: datetime | None


def make_tile(snapshot: object) -> StoreTile:
    """Return the counts by class, and the messages that are due now, which do not depend on the snapshot."""
    classes: Counter[str] = Counter()
    for status, messages in counts_by_status().items():
        classes[class_of(status)] += messages
    waiting = ages_of_waiting()
    return {"by_class": dict(classes), "due": waiting.due, "oldest_due": waiting.oldest_due}


def stored_identifier(text: str) -> str | None:
    """
    Return an identifier as the tables have it; where they have none, as the console would store it.

    The console stores lower case. Another writer may store upper case, or an identifier that is not a UUID;
    two that differ only in case are two messages. The given spelling wins, then lower case.

    None: it is not an identifier, and no message has it.
    """
    if len(text) > LENGTH or "\0" in text or not is_storable(text):
        return None
    canonical = read_identifier(text)
    possible = [text, canonical, canonical.upper()] if canonical else [text]
    rows = MessageLine.objects.filter(message_identifier__in=possible)
    stored = set(rows.values_list("message_identifier", flat=True))
    return next((one for one in possible if one in stored), canonical)
