"""
Pairs the requests of a message with their responses. A request may have any number of responses.

Source: docs/contributing/spec/cleverbus.md, "Requests and responses" (last line).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from messages_app.core.lists.row_ends import Bounded, fetch_ends
from messages_app.messages.hub_columns import RequestColumns, ResponseColumns
from messages_app.messages.parquet_archive.reader import ColdRows
from messages_app.messages.tables import Row, Tables
from messages_app.payloads.loader import size_of

# The maximum number of responses in one query. A request has one, rarely a few.
MAX_RESPONSES = 1000


@dataclass(frozen=True)
class Exchange:
    """A request with its responses, or a response without a request."""

    request: RequestColumns | None
    responses: list[ResponseColumns]

    @property
    def first_response(self) -> ResponseColumns | None:
        timed = [(response.res_timestamp, response) for response in self.responses if response.res_timestamp]
        return min(timed, key=lambda each: each[0], default=(None, None))[1]

    @property
    def has_failed(self) -> bool:
        return any(response.failed for response in self.responses)

    @property
    def failed_line(self) -> str:
        """The first line of the first known reason for a failure."""
        reasons = (response.failed_reason for response in self.responses if response.failed_reason)
        return next(reasons, "").strip().partition("\n")[0][:200]


def list_exchanges(tables: Tables, msg_id: int, *, each_end: int) -> Bounded:
    """
    Return the exchanges of a message by their req_id, then responses without a request.

    Args:
        tables: LIVE or ARCHIVE.
        each_end: the number of requests, and of responses without a request, to return from each end.
    """
    requests = fetch_ends(
        with_sizes(tables["request"], "req_envelope").filter(msg_id=msg_id), "req_id", each_end=each_end
    )
    unpaired = fetch_ends(unpaired_responses(tables, msg_id), "res_id", each_end=each_end)
    return Bounded(
        first=[*read_exchanges(tables, requests.first), *lone_exchanges(unpaired.first)],
        last=[*read_exchanges(tables, requests.last), *lone_exchanges(unpaired.last)],
    )


def unpaired_responses(tables: Tables, msg_id: int) -> QuerySet[ResponseColumns]:
    """Return the responses that have the id of the message but no id of a request."""
    return with_sizes(tables["response"], "res_envelope").filter(msg_id=msg_id, req_id__isnull=True)


def read_exchanges(tables: Tables, requests: Iterable[RequestColumns]) -> list[Exchange]:
    """Return requests with their responses, which are read from a table."""
    requests = list(requests)
    if not requests:
        return []
    answers = with_sizes(tables["response"], "res_envelope").filter(req_id__in=[row.pk for row in requests])
    # Sorted here: with ORDER BY, PostgreSQL might scan all responses in this order.
    return pair_exchanges(requests, sorted(answers[:MAX_RESPONSES], key=lambda row: row.pk))


def pair_exchanges(
    requests: Iterable[RequestColumns], responses: Iterable[ResponseColumns]
) -> list[Exchange]:
    by_request: dict[int | None, list[ResponseColumns]] = defaultdict(list)
    for response in responses:
        by_request[response.req_id].append(response)
    return [Exchange(request, by_request[request.pk]) for request in requests]


def lone_exchanges(responses: Iterable[ResponseColumns]) -> Iterator[Exchange]:
    for response in responses:
        yield Exchange(None, [response])


def with_sizes(table: type[Row], column: str) -> QuerySet[Row]:
    """Return the rows of a table with the size in bytes of a wide column instead of the column."""
    return table._default_manager.defer(column).annotate(content_bytes=size_of(column))


def exchanges_of(cold: ColdRows, requests: Sequence[RequestColumns], *, with_lone: bool) -> list[Exchange]:
    """Return requests from a file with their responses; `with_lone`: also the responses without a request."""
    responses: Sequence[ResponseColumns] = cold.rows_for_page("responses")
    pairs = pair_exchanges(requests, responses)
    lone = (response for response in responses if response.req_id is None)
    return [*pairs, *lone_exchanges(lone)] if with_lone else pairs
