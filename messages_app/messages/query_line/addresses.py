"""The address of the list of messages, as web/filters/addresses.py has it for every list."""

from datetime import datetime

from django.http import QueryDict

from messages_app.messages.filtering import filters as message_filters
from messages_app.messages.filtering.filters import CONTENT, FILTERS, MessageFilter
from messages_app.web.filters import addresses, moments
from messages_app.web.filters.addresses import AT, PARAMETERS, moment_of, query_of

__all__ = ["AT", "PARAMETERS", "exact", "moment_of", "query_of", "read", "tidied"]


def tidied(params: QueryDict, *, now: datetime) -> QueryDict:
    return addresses.tidied(params, FILTERS, now=now)


def read(params: QueryDict, *, user: object, now: datetime) -> MessageFilter:
    """
    Return the filter that an address means at `now`.

    Raises:
        Problem: 400 with an entry for each parameter at fault.
    """
    return message_filters.parse(
        exact(params, now=now),
        user=user,
        besides=PARAMETERS,
        content_range=message_filters.MAX_CONTENT_RANGE_OF_PAGE,
    )


def exact(params: QueryDict, *, now: datetime) -> QueryDict:
    """Return `params` with exact times; a search of payloads since some time ends at `now`."""
    params = addresses.exact(params, FILTERS, now=now)
    if CONTENT in params and "receive_timestamp_from" in params:
        params.setdefault("receive_timestamp_to", moments.exact("-0s", is_end=True, now=now))
    return params
