"""The address of the list of messages. core/filters/address.py has the rules for every list."""

from datetime import datetime

from django.http import QueryDict

from messages_app.access.actors import Caller
from messages_app.core.filters import address, moments
from messages_app.core.filters.address import AT, PARAMETERS, moment_of, query_of
from messages_app.messages.filters import message_filter as message_filters
from messages_app.messages.filters.message_filter import CONTENT, FILTERS, MessageFilter

__all__ = ["AT", "PARAMETERS", "make_times_exact", "moment_of", "query_of", "read_filter", "tidy_params"]


def tidy_params(params: QueryDict, *, now: datetime) -> QueryDict:
    return address.tidy_params(params, FILTERS, now=now)


def read_filter(params: QueryDict, *, user: Caller | None, now: datetime) -> MessageFilter:
    """
    Return the filter of an address at `now`.

    Raises:
        Problem: 400 with an entry for each parameter at fault.
    """
    return message_filters.parse_message_filter(
        make_times_exact(params, now=now),
        user=user,
        other_parameters=PARAMETERS,
        content_range=message_filters.MAX_PAYLOAD_SEARCH_RANGE_OF_PAGE,
    )


def make_times_exact(params: QueryDict, *, now: datetime) -> QueryDict:
    """Return `params` with exact times. A search of payloads without an end ends at `now`."""
    params = address.with_exact_times(params, FILTERS, now=now)
    if CONTENT in params and "receive_timestamp_from" in params:
        params.setdefault("receive_timestamp_to", moments.as_exact_time("-0s", is_end=True, now=now))
    return params
