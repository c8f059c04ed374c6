"""
Requests of a message next to their responses, 0 to n each.

Source: docs/spec/cleverbus.md, "Requests and responses" (last line).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from messages_app.core.lists.views import Bounded, ends
from messages_app.messages.hub_columns import RequestColumns, ResponseColumns
from messages_app.messages.parquet_archive.reader import ColdRows
from messages_app.messages.tables import Row, Tables
from messages_app.payloads.loader import size_of

# Responses that are read of any number of requests: a request has one, rarely a few.
MOST_RESPONSES = 1000


@dataclass(frozen=True)
class Exchange:
    """A request with its 0..n responses; a response that could not be paired has no request."""

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
        """The first line of why it failed, as far as that is known."""
        reasons = (response.failed_reason for response in self.responses if response.failed_reason)
        return next(reasons, "").strip().partition("\n")[0][:200]


def exchanges(tables: Tables, msg_id: int, *, each_end: int) -> Bounded:
    """
    Return the exchanges of a message by their req_id, then responses without a request.

    Args:
        tables: LIVE or ARCHIVE.
        each_end: the number of exchanges to return from each end of each sort.
    """
    requests = ends(
        sized(tables["request"], "req_envelope").filter(msg_id=msg_id), "req_id", each_end=each_end
    )
    unpaired = ends(unpaired_responses(tables, msg_id), "res_id", each_end=each_end)
    return Bounded(
        first=[*paired(tables, requests.first), *lone(unpaired.first)],
        last=[*paired(tables, requests.last), *lone(unpaired.last)],
    )


def unpaired_responses(tables: Tables, msg_id: int) -> QuerySet[ResponseColumns]:
    """Return the responses that name the message, but no request."""
    return sized(tables["response"], "res_envelope").filter(msg_id=msg_id, req_id__isnull=True)


def paired(tables: Tables, requests: Iterable[RequestColumns]) -> Iterator[Exchange]:
    requests = list(requests)
    if not requests:
        return
    answers = sized(tables["response"], "res_envelope").filter(req_id__in=[row.pk for row in requests])
    by_request: dict[int | None, list[ResponseColumns]] = defaultdict(list)
    # Sorted here: with ORDER BY, PostgreSQL might scan all responses in this order.
    for response in sorted(answers[:MOST_RESPONSES], key=lambda row: row.pk):
        by_request[response.req_id].append(response)
    for request in requests:
        yield Exchange(request, by_request[request.pk])


def lone(responses: Iterable[ResponseColumns]) -> Iterator[Exchange]:
    for response in responses:
        yield Exchange(None, [response])


def sized(table: type[Row], column: str) -> QuerySet[Row]:
    """Return the table's rows with the size of their wide column, in bytes, instead of it."""
    return table._default_manager.defer(column).annotate(content_bytes=size_of(column))


def exchanges_of(cold: ColdRows, requests: Sequence[RequestColumns], *, with_lone: bool) -> list[Exchange]:
    """Return requests from a file with their responses, and if wanted the responses without a request."""
    by_request: dict[int | None, list[ResponseColumns]] = defaultdict(list)
    responses: Sequence[ResponseColumns] = cold.shown("responses")
    for response in responses:
        by_request[response.req_id].append(response)
    found = [Exchange(request, by_request[request.pk]) for request in requests]
    return [*found, *lone(by_request[None])] if with_lone else found
