"""
The address of the list: how its parameters are tidied, and what they mean at a moment.

The address is the list's only memory. Of each filter it has one form; relative times stay relative in it, and
`at` says, on the pages after the first, from when they are counted.
"""

from datetime import UTC, datetime

from django.http import QueryDict
from django.utils import timezone

from messages_app.messages.filtering import filters as message_filters
from messages_app.messages.filtering.filters import CONTENT, STATE, MessageFilter
from messages_app.messages.query_line import moments
from messages_app.messages.query_line.vocabulary import ENDS, TIMES
from messages_app.web import paging
from messages_app.web.problems import bad_field

AT = "at"
PARAMETERS = paging.PARAMETERS | {AT}


def tidied(params: QueryDict, *, now: datetime) -> QueryDict:
    """Return `params` without empty ones, times in the form of the address, several states as one list."""
    tidy = QueryDict(mutable=True)
    for name, values in params.lists():
        for value in values:
            if value.strip():
                tidy.appendlist(name, _tidy_value(name, value.strip(), now))
    if len(tidy.getlist(STATE)) > 1:
        tidy[STATE] = ",".join(tidy.getlist(STATE))
    return tidy


def _tidy_value(name: str, value: str, now: datetime) -> str:
    return moments.as_address(value, is_end=name in ENDS, now=now) if name in TIMES else value


def moment_of(params: QueryDict) -> datetime:
    """
    Return from when relative times are counted: now, or on a later page as the first one had it.

    Raises:
        Problem: 400, `at` is no time.
    """
    if AT not in params:
        return timezone.now().replace(microsecond=0)
    try:
        moment = datetime.fromisoformat(params[AT])
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise bad_field(AT, "invalid_value", f"{AT} must be a time like 2026-11-21T10:00:00Z.") from None


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
    params = params.copy()
    for name in TIMES & set(params):
        values = [moments.exact(value, is_end=name in ENDS, now=now) for value in params.getlist(name)]
        params.setlist(name, values)
    if CONTENT in params and "receive_timestamp_from" in params:
        params.setdefault("receive_timestamp_to", moments.exact("-0s", is_end=True, now=now))
    return params


def has_relative_times(params: QueryDict) -> bool:
    return any(moments.is_relative(params[name]) for name in TIMES & set(params))


def query_of(params: QueryDict) -> str:
    """Return the query string that stands in an address, the question mark included."""
    return f"?{params.urlencode(safe=':,')}"
