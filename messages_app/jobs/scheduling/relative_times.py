"""
Times of a schedule's filter that are counted back from each run: -7d, -24h, today.

They are written as in the address of the list of messages, and kept so; a job's own times are exact.
"""

from collections.abc import Mapping
from datetime import datetime

from messages_app.jobs.stores.registry import STORES
from messages_app.web.filters import moments

Filter = Mapping[str, object]

# Of every store: no two give one name to a time and to something else.
_TIMES = frozenset().union(*(store.vocabulary.time_names for store in STORES.values()))
_ENDS = frozenset().union(*(store.vocabulary.ends for store in STORES.values()))


def as_address(filter: Filter, *, now: datetime) -> dict[str, object]:
    """Return the filter with its times as an address has them: relative ones in their shortest form."""
    return {name: _as_address(name, value, now) for name, value in filter.items()}


def exact(filter: Filter, *, now: datetime) -> dict[str, object]:
    """Return the filter that is meant at `now`; what is no time stays, for the filter's check to refuse."""
    return {name: _exact(name, value, now) for name, value in filter.items()}


def relative_ones(filter: Filter) -> dict[str, str]:
    """Return the filter's relative times alone."""
    return {name: value for name, value in filter.items() if is_relative(name, value)}


def is_relative(name: str, value: object) -> bool:
    return _is_time(name, value) and moments.is_relative(value)


def _is_time(name: str, value: object) -> bool:
    return name in _TIMES and isinstance(value, str)


def _as_address(name: str, value: object, now: datetime) -> object:
    return moments.as_address(value, is_end=name in _ENDS, now=now) if _is_time(name, value) else value


def _exact(name: str, value: object, now: datetime) -> object:
    return moments.exact(value, is_end=name in _ENDS, now=now) if _is_time(name, value) else value
