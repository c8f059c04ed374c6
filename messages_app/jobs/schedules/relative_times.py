"""
The times in a schedule's filter, which may be relative to each run: -7d, -24h, today.

They are written and stored as in the address of the list of messages. The times of a job are exact.
"""

from collections.abc import Callable
from datetime import datetime
from typing import TypeGuard

from messages_app.core.filters import moments
from messages_app.jobs.stores import item_stores
from messages_app.shared.job_records import Given


# Of all stores: no name is a time in one store and something else in another.
def _time_names() -> frozenset[str]:
    return frozenset().union(*(store.vocabulary.time_names for store in item_stores().values()))


def _names_of_range_ends() -> frozenset[str]:
    return frozenset().union(*(store.vocabulary.ends for store in item_stores().values()))


def as_address(filter: Given, *, now: datetime) -> Given:
    """Return the filter with its times as in an address: relative times in their shortest form."""
    return _convert_times(filter, moments.as_address, now)


def with_exact_times(filter: Given, *, now: datetime) -> Given:
    """
    Return the filter with exact times at `now`. Invalid times are returned unchanged; the check of the filter
    refuses them.
    """
    return _convert_times(filter, moments.as_exact_time, now)


def relative_ones(filter: Given) -> dict[str, str]:
    """Return only the relative times of the filter."""
    return {
        name: value for name, value in filter.items() if _is_time(value, name) and moments.is_relative(value)
    }


def _is_time(value: object, name: str) -> TypeGuard[str]:
    return name in _time_names() and isinstance(value, str)


def _convert_times(filter: Given, convert: Callable[..., str], now: datetime) -> Given:
    ends = _names_of_range_ends()
    return {
        name: convert(value, is_end=name in ends, now=now) if _is_time(value, name) else value
        for name, value in filter.items()
    }
