"""
The messages that are failing now: live messages whose state is FAILED at this moment, whatever their age.

Every page, call and metric takes this number from here. PARTLY_FAILED is not failing: the hub is retrying.

Source: docs/contributing/decisions/0037-failing-now.md.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from time import monotonic
from typing import Protocol

from django.core.cache import cache
from django.db import connection

from messages_app.core.statements import Statements
from messages_app.messages.attachment import is_attached
from messages_app.messages.metrics.counts import read_freshness
from messages_app.messages.metrics.polling import is_polled

statements = Statements("messages_app.messages.metrics")

# Up to this many messages are counted one by one, which takes about 20 ms.
FENCE = 20_000
_MAX_CHANGES = 100_000
# More messages than this are not counted again for a second, for all users of a process.
_MANY, _KEPT_SECONDS = 2_000, 1
_KEPT_AS = "failing-now"
# A new index of an attached hub is noticed within this time.
_INDEX_KEPT_SECONDS = 60

# Service, operation and error code.
Kind = tuple[str, str, str]


class Group(Protocol):
    """A failure group, with the columns that its estimate needs."""

    pk: int
    service_name: str
    operation_name: str
    failed_error_code: str
    failures: int


@dataclass(frozen=True, kw_only=True)
class GroupFailing:
    """The number of messages of a group that are failing now, and the newest of them."""

    messages: int
    newest: int


@dataclass(frozen=True, kw_only=True)
class FailingNow:
    """
    The messages that are failing now.

    Args:
        count: their number, which is exact.
        groups: by the id of the group; empty if `is_by_group` is False.
        ungrouped: messages that are in no group, or not yet; 0 if `is_by_group` is False.
        is_by_group: whether the numbers of groups are exact too. Above FENCE messages they are estimates.
        kinds: the numbers by service, operation and error code, from which these are estimated.
        as_of: the time of the figures of a polled hub without an index on the state; None: this moment.
    """

    count: int
    groups: Mapping[int, GroupFailing] = field(default_factory=dict)
    ungrouped: int = 0
    is_by_group: bool = True
    kinds: Mapping[Kind, int] = field(default_factory=dict)
    as_of: datetime | None = None

    def of_group(self, group: Group) -> int:
        """Return the number of a group; if it is an estimate, then an upper bound."""
        if self.is_by_group:
            return self.groups[group.pk].messages if group.pk in self.groups else 0
        kind = (group.service_name, group.operation_name, group.failed_error_code)
        return min(self.kinds.get(kind, 0), group.failures)


def failing_now() -> FailingNow:
    """Return the messages that are failing now. If they are many, the answer may be a second old."""
    cached_failing: FailingNow | None = cache.get(_cache_key())
    if cached_failing is not None:
        return cached_failing
    failing = _read_failing()
    if failing.count > _MANY:
        cache.set(_cache_key(), failing, _KEPT_SECONDS)
    return failing


def count_failing_by_service() -> Counter[str]:
    """Return the number of messages that are failing now by service, from the stored counts."""
    services: Counter[str] = Counter()
    for (service, _, _), messages in _read_counts().kinds.items():
        services[service] += messages
    return services


def _cache_key() -> str:
    return f"{_KEPT_AS}-{connection.settings_dict['NAME']}"


def _read_failing() -> FailingNow:
    return (_read_messages() if has_state_index() else None) or _read_counts()


def _read_messages() -> FailingNow | None:
    """Count the messages; return None if there are more than FENCE."""
    rows = statements.fetch_rows("failing", {"fence": FENCE + 1})
    count = sum(messages for _, messages, _ in rows)
    if count > FENCE:
        return None
    groups = {
        group_id: GroupFailing(messages=messages, newest=newest)
        for group_id, messages, newest in rows
        if group_id is not None
    }
    ungrouped = count - sum(group.messages for group in groups.values())
    return FailingNow(count=count, groups=groups, ungrouped=ungrouped)


def _read_counts() -> FailingNow:
    """Add up the stored counts and their changes."""
    rows = statements.fetch_rows("failing_counted", {"fence": _MAX_CHANGES})
    kinds = {(service, operation, code): int(count) for service, operation, code, count in rows}
    as_of = read_freshness()[0] if is_polled() else None
    return FailingNow(count=sum(kinds.values()), kinds=kinds, is_by_group=False, as_of=as_of)


def has_state_index() -> bool:
    """Whether an index finds the FAILED messages. That of a hub may be missing."""
    database = str(connection.settings_dict["NAME"])
    return not is_attached() or _has_hub_index(database, int(monotonic() // _INDEX_KEPT_SECONDS))


@lru_cache(maxsize=1)
def _has_hub_index(database: str, period: int) -> bool:
    return bool(statements.only_row("has_state_index", {})[0])
