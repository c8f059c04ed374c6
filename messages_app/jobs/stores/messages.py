"""The hub's messages as items of jobs."""

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime

from django.db.models import OuterRef, Subquery
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce
from django.http import QueryDict

from messages_app.access.actors import Caller
from messages_app.core.filters.address import as_query
from messages_app.core.filters.table import name_values
from messages_app.core.parameters import read_id
from messages_app.core.problems import FieldError
from messages_app.jobs.kinds.registry import spec_of
from messages_app.jobs.kinds.spec import Rows, Selects
from messages_app.jobs.stores.store import Present, Store
from messages_app.messages.filters.message_filter import (
    ANYWHERE,
    ARCHIVED,
    STATE,
    MessageFilter,
    parse_message_filter,
    read_list_filter,
)
from messages_app.messages.filters.vocabulary import VOCABULARY
from messages_app.messages.models import Message
from messages_app.messages.selectors import has_more_than
from messages_app.messages.tables import MESSAGES as ALL_TABLES
from messages_app.shared.job_records import Given, JobFilter
from messages_app.shared.job_states import StoreName
from messages_app.shared.message_states import FAILURE_STATES, FINAL_STATES, MessageState

_PRESENT = ("state", "service_name", "operation_name", "failed_error_code")


def message_filter(stored: Given) -> MessageFilter:
    """
    Read the stored filter of a job. It was checked for its creator when the job was accepted.

    Raises:
        Problem: the stored filter is invalid, for example because someone edited it in the database.
    """
    return parse_message_filter(as_query(stored), user=None, other_parameters=())


class Messages(Store[MessageFilter]):
    name = StoreName.MESSAGES
    preview_module = "messages_app.jobs.preview.quick"
    status_statement = "current_status"
    vocabulary = VOCABULARY
    list_route, item_route = "message-list", "message-detail"
    filter_help = "the query string of the list of messages, such as 'state=FAILED&service_name=billing'"
    groups = (
        ("by_state", "State", "state"),
        ("by_service", "Service", "service_name"),
        ("by_error", "Error code", "failed_error_code"),
        ("by_funnel", "Funnel component", "funnel_component_id"),
    )

    def parse(self, params: QueryDict, *, user: Caller | None) -> MessageFilter:
        return parse_message_filter(params, user=user, other_parameters=())

    def read(self, params: QueryDict, *, user: Caller | None, now: datetime) -> MessageFilter:
        return read_list_filter(params, user=user, now=now)

    def find_faults(self, kind: str, parsed: MessageFilter) -> Iterator[FieldError]:
        spec = spec_of(kind)
        if spec.selects is Selects.UNGROUPED_FAILURES:
            text = f"A {kind} job applies to all failures and takes no filter."
            yield from (FieldError(name, "invalid_value", text) for name in parsed.values)
        place = parsed.values.get(ARCHIVED)
        if place and spec.rows is Rows.LIVE:
            yield FieldError(ARCHIVED, "invalid_value", f"A {kind} job applies to live messages only.")
        if place == ANYWHERE and spec.rows is Rows.ARCHIVED:
            yield FieldError(ARCHIVED, "invalid_value", f"A {kind} job applies to archived messages only.")
        if spec.compares and MessageState.OK in parsed.states:
            text = "The messages are compared with processed ones (OK), so they cannot be OK themselves."
            yield FieldError(STATE, "invalid_value", text)
        if spec.is_of_final and (moving := set(parsed.states) - FINAL_STATES):
            final, others = ", ".join(sorted(FINAL_STATES)), ", ".join(sorted(moving))
            text = f"Only final messages can be {spec.words.done} ({final}), not {others}."
            yield FieldError(STATE, "invalid_value", text)

    def job_filter(self, kind: str, parsed: MessageFilter) -> JobFilter:
        """Return the filter as a job stores it. Jobs on archived messages always have the archive filter."""
        spec = spec_of(kind)
        of_archive = {ARCHIVED: "true"} if spec.rows is Rows.ARCHIVED else {}
        return {**spec.default_filter, **name_values(parsed.as_pairs()), **of_archive}

    def last_id(self) -> int:
        newest = (table.objects.order_by("-pk").values_list("pk", flat=True).first() for table in ALL_TABLES)
        return max(last_id or 0 for last_id in newest)

    def names_of(self, item_ids: Collection[int]) -> Mapping[int, str]:
        return {item_id: str(item_id) for item_id in item_ids}

    def read_present(self, item_ids: Collection[int]) -> Mapping[int, Present]:
        by_id: dict[int, Present] = {}
        for table in ALL_TABLES:
            left = set(item_ids) - set(by_id)
            if left:
                rows = table.objects.filter(pk__in=left).values_list("pk", *_PRESENT)
                by_id |= {
                    pk: _describe_present(*values, is_archived=table is not Message) for pk, *values in rows
                }
        return by_id

    def state_expressions(self) -> tuple[Combinable, Combinable]:
        live, *archived = (
            Subquery(table.objects.filter(pk=OuterRef("msg_id")).values("state")[:1]) for table in ALL_TABLES
        )
        return live, Coalesce(*archived)

    def has_more_than(self, most: int, parsed: MessageFilter, *, timeout_ms: int) -> bool:
        return has_more_than(most, parsed, timeout_ms=timeout_ms)

    def find(self, name: str) -> int | None:
        return read_id(name)


def _describe_present(
    state: str, service: str, operation: str, error: str | None, *, is_archived: bool
) -> Present:
    code = error if state in FAILURE_STATES and error else ""
    return Present(state=state, about=f"{service} · {operation}", error=code, is_archived=is_archived)


ITEMS = Messages()
