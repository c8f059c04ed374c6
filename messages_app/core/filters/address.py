"""
The address of a list: its normal form, and its meaning at a given time.

The address has the whole state of a list, and one form of each filter. It keeps relative times; on pages
after the first, `at` is the time from which they are counted.
"""

from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, datetime

from django.http import QueryDict
from django.utils import timezone

from messages_app.core.filters import moments
from messages_app.core.filters.table import (
    Table,
    Values,
    end_times,
    names_of_texts,
    names_of_times,
    read_filters,
)
from messages_app.core.pagination import paginator
from messages_app.core.parameters import text_of
from messages_app.core.problems import bad_field

AT = "at"
PARAMETERS = paginator.PARAMETERS | {AT}


def tidy_params(params: QueryDict, filters: Table, *, now: datetime) -> QueryDict:
    """
    Return `params` without empty ones, with times in the form of the address and several values as one list.

    A text is kept as it is, because it is compared exactly. Blanks around other values have no meaning.
    """
    tidy = QueryDict(mutable=True)
    ends, all_times, all_texts = end_times(filters), names_of_times(filters), names_of_texts(filters)
    for name, values in params.lists():
        for value in filter(None, values if name in all_texts else map(str.strip, values)):
            is_time = name in all_times
            tidy.appendlist(
                name, moments.as_address(value, is_end=name in ends, now=now) if is_time else value
            )
    for name in _repeated_names(tidy, filters):
        tidy[name] = ",".join(tidy.getlist(name))
    return tidy


def _repeated_names(params: QueryDict, filters: Table) -> Collection[str]:
    return [name for name in params if len(params.getlist(name)) > 1 and _may_repeat(name, filters)]


def _may_repeat(name: str, filters: Table) -> bool:
    return name in filters and filters[name].repeatable and not filters[name].is_text_list


def moment_of(params: QueryDict) -> datetime:
    """
    Return the time from which relative times are counted: now or, on a later page, the time of the first
    page.

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


def with_exact_times(params: QueryDict, filters: Table, *, now: datetime) -> QueryDict:
    """Return `params` with exact times."""
    params, ends = params.copy(), end_times(filters)
    for name in names_of_times(filters) & set(params):
        values = [
            moments.as_exact_time(value, is_end=name in ends, now=now) for value in params.getlist(name)
        ]
        params.setlist(name, values)
    return params


def read_values(params: QueryDict, filters: Table, *, now: datetime) -> Values:
    """
    Return the values of a list's filters in its address.

    Args:
        now: the time from which relative times are counted.

    Raises:
        Problem: 400 with an entry for each parameter at fault.
    """
    return read_filters(filters, with_exact_times(params, filters, now=now), other_parameters=PARAMETERS)


def has_relative_times(params: QueryDict, filters: Table) -> bool:
    return any(moments.is_relative(text_of(params, name)) for name in names_of_times(filters) & set(params))


def pairs_of(params: QueryDict) -> Iterator[tuple[str, str]]:
    """Yield (name, value) of each parameter; a repeated one has several pairs."""
    yield from ((name, value) for name, values in params.lists() for value in values)


def query_of(params: QueryDict) -> str:
    """Return the query string of an address, including the question mark."""
    return f"?{params.urlencode(safe=':,')}"


def as_query(filter: Mapping[str, object]) -> QueryDict:
    """Return the query string for a filter with strings, numbers, booleans and lists of strings."""
    query = QueryDict(mutable=True)
    for name, value in filter.items():
        values = value if isinstance(value, list) else [value]
        query.setlist(name, [_as_text(each) for each in values])
    return query


def _as_text(value: str | bool | int) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def is_storable(text: str) -> bool:
    """
    Whether the database can store the text. A NUL is not checked here, because it has an error of its own.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
