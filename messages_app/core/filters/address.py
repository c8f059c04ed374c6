"""
The address of a list: how its parameters are tidied, and what they mean at a moment.

The address is the list's only memory. Of each filter it has one form; relative times stay relative in it, and
`at` says, on the pages after the first, from when they are counted.
"""

from collections.abc import Collection, Mapping
from datetime import UTC, datetime

from django.http import QueryDict
from django.utils import timezone

from messages_app.core.filters import moments
from messages_app.core.filters.table import Table, end_times, times
from messages_app.core.pagination import paginator
from messages_app.core.parameters import text_of
from messages_app.core.problems import bad_field

AT = "at"
PARAMETERS = paginator.PARAMETERS | {AT}


def tidied(params: QueryDict, filters: Table, *, now: datetime) -> QueryDict:
    """Return `params` without empty ones, times in the form of the address, several values as one list."""
    tidy = QueryDict(mutable=True)
    ends, all_times = end_times(filters), times(filters)
    for name, values in params.lists():
        for value in filter(None, map(str.strip, values)):
            is_time = name in all_times
            tidy.appendlist(
                name, moments.as_address(value, is_end=name in ends, now=now) if is_time else value
            )
    for name in _repeated(tidy, filters):
        tidy[name] = ",".join(tidy.getlist(name))
    return tidy


def _repeated(params: QueryDict, filters: Table) -> Collection[str]:
    return [name for name in params if len(params.getlist(name)) > 1 and _takes_several(name, filters)]


def _takes_several(name: str, filters: Table) -> bool:
    return name in filters and filters[name].repeatable


def moment_of(params: QueryDict) -> datetime:
    """
    Return from when relative times are counted: now, or on a later page as the first one had it.

    Raises:
        Problem: 400, `at` is not a time.
    """
    if AT not in params:
        return timezone.now().replace(microsecond=0)
    try:
        moment = datetime.fromisoformat(text_of(params, AT))
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise bad_field(AT, "invalid_value", f"{AT} must be a time like 2026-11-21T10:00:00Z.") from None


def exact(params: QueryDict, filters: Table, *, now: datetime) -> QueryDict:
    """Return `params` with exact times."""
    params, ends = params.copy(), end_times(filters)
    for name in times(filters) & set(params):
        values = [moments.exact(value, is_end=name in ends, now=now) for value in params.getlist(name)]
        params.setlist(name, values)
    return params


def has_relative_times(params: QueryDict, filters: Table) -> bool:
    return any(moments.is_relative(text_of(params, name)) for name in times(filters) & set(params))


def query_of(params: QueryDict) -> str:
    """Return the query string that is in an address, the question mark included."""
    return f"?{params.urlencode(safe=':,')}"


# A filter as JSON has it, by the names of a list's table of filters, and as a query string has it.


def as_query(filter: Mapping[str, object]) -> QueryDict:
    """Return a filter of texts, numbers, truths and lists of texts as a list's address has it."""
    query = QueryDict(mutable=True)
    for name, value in filter.items():
        values = value if isinstance(value, list) else [value]
        query.setlist(name, [_as_text(each) for each in values])
    return query


def _as_text(value: str | bool | int) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def is_storable(text: str) -> bool:
    """Whether the database can hold the text, but for NUL, which is distinguished."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
