"""
Messages of the message store as items of jobs. An item's id is its number in message_line, its name the
identifier.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Case, CharField, OuterRef, Subquery, Value, When
from django.db.models.expressions import Combinable
from django.http import QueryDict
from django.utils import timezone

from messages_app.access.actors import Caller
from messages_app.core.clock import TooSlow, time_limit
from messages_app.core.filters import address
from messages_app.core.filters.address import as_query
from messages_app.core.filters.table import name_values, read_filters, write_values
from messages_app.core.problems import FieldError
from messages_app.jobs.kinds.registry import spec_of
from messages_app.jobs.stores.store import Present, Store
from messages_app.message_store.models import MessageLine
from messages_app.message_store.selectors import stored_identifier
from messages_app.message_store.selectors.explanation import VOCABULARY
from messages_app.message_store.selectors.messages import MESSAGES, matching_lines
from messages_app.shared.job_records import Given, JobFilter
from messages_app.shared.job_states import StoreName
from messages_app.shared.message_states import MessageState
from messages_app.shared.store_states import FIRST_ERROR, NAMES, Status


@dataclass(frozen=True)
class StoreFilter:
    """The filter of the store's list: values by the names of its filters."""

    values: Mapping[str, Any]

    @property
    def is_empty(self) -> bool:
        return not self.values

    def as_pairs(self) -> list[tuple[str, str]]:
        return write_values(MESSAGES, self.values)


def store_filter(stored: Given) -> StoreFilter:
    """
    Read the stored filter of a job. It was checked when the job was accepted.

    Raises:
        Problem: the stored filter is invalid, for example because someone edited it in the database.
    """
    return ITEMS.parse(as_query(stored), user=None)


def _name_of_status(status: int | None) -> str:
    return NAMES[Status(status)] if status in NAMES else str(status)


class StoredMessages(Store[StoreFilter]):
    name = StoreName.MESSAGE_STORE
    preview_module = "messages_app.jobs.preview.stored"
    status_statement = "current_status_of_store"
    vocabulary = VOCABULARY
    list_route, item_route = "store-messages", "store-message"
    filter_help = "the query string of the message store's list, such as 'status=26&missing_entity=customer'"
    groups = (
        ("by_state", "Status", "status"),
        ("by_system", "System", "source_system"),
        ("by_entity", "Entity", "source_entity"),
    )

    def parse(self, params: QueryDict, *, user: Caller | None) -> StoreFilter:
        return StoreFilter(read_filters(MESSAGES, params))

    def read(self, params: QueryDict, *, user: Caller | None, now: datetime) -> StoreFilter:
        tidy = address.tidy_params(params, MESSAGES, now=timezone.now())
        return StoreFilter(address.read_values(tidy, MESSAGES, now=now))

    def find_faults(self, kind: str, parsed: StoreFilter) -> Iterator[FieldError]:
        yield from ()

    def job_filter(self, kind: str, parsed: StoreFilter) -> JobFilter:
        """Return the filter as a job stores it, with the defaults of the kind of job."""
        return {**spec_of(kind).default_filter, **name_values(parsed.as_pairs())}

    def last_id(self) -> int:
        return MessageLine.objects.order_by("-pk").values_list("pk", flat=True).first() or 0

    def names_of(self, item_ids: Collection[int]) -> Mapping[int, str]:
        rows = MessageLine.objects.filter(pk__in=item_ids).values_list("pk", "message_identifier")
        identifiers = dict(rows)
        return {item_id: identifiers.get(item_id, str(item_id)) for item_id in item_ids}

    def read_present(self, item_ids: Collection[int]) -> Mapping[int, Present]:
        rows = MessageLine.objects.filter(pk__in=item_ids, status__isnull=False)
        columns = rows.values_list("pk", "status", "source_system", "source_entity")
        return {
            pk: Present(state=_name_of_status(status), about=" · ".join(filter(None, about)))
            for pk, status, *about in columns
        }

    def find(self, name: str) -> int | None:
        key = stored_identifier(name)
        rows = MessageLine.objects.filter(message_identifier=key).values_list("pk", flat=True)
        return None if key is None else rows.first()

    def state_expressions(self) -> tuple[Combinable, Combinable]:
        lines = MessageLine.objects.filter(pk=OuterRef("msg_id")).exclude(status=None)
        state = Case(
            When(status=Status.PROCESSED, then=Value(MessageState.OK.value)),
            When(status__gte=FIRST_ERROR, then=Value(MessageState.FAILED.value)),
            default=Value(MessageState.PROCESSING.value),
        )
        return Subquery(lines.values_list(state)[:1]), Value(None, output_field=CharField())

    def has_more_than(self, most: int, parsed: StoreFilter, *, timeout_ms: int) -> bool:
        rows = matching_lines(parsed.values).values("pk")[: most + 1]
        try:
            with time_limit(timeout_ms):
                return rows.count() > most
        except TooSlow:
            return True


ITEMS = StoredMessages()
