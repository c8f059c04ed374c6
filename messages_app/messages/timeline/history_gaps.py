"""
Closes gaps in the history of states: a message whose state differs from its last entry gets another entry.

The states in between are unknown, which the actor MessageEvent.UNKNOWN shows.
Source: docs/contributing/decisions/0023-triggers-never-fail-the-hub.md.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.db import transaction

from messages_app.core.parameters import MIN_ID, following_id
from messages_app.core.statements import Statements
from messages_app.messages.models import MessageEvent

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

statements = Statements("messages_app.messages.timeline")


_MESSAGES_PER_SCAN = 10_000


# How many messages are locked at a time. The hub may wait a few milliseconds for their locks.
_MAX_LOCKED = 200


def rebuild_history(*, spark: "SparkSession", dsn: str) -> str:
    """Add the missing entries of the history and the missing failures, and return their numbers."""
    from spark_tasks.failure_groups import group_history  # here: web processes do not load PySpark

    entries, failures = mend_history(), group_history(spark, dsn=dsn)
    return f"{entries} history entries and {failures} failures were missing."


def mend_history() -> int:
    """Add the missing last entries of all live messages and return their number."""
    added = 0
    first: int | None = MIN_ID
    while first is not None:
        last, stale = statements.only_row("find_stale", {"first": first, "most": _MESSAGES_PER_SCAN})
        if last is None:
            break
        first = following_id(last)
        added += sum(
            _mend_history(stale[first : first + _MAX_LOCKED])
            for first in range(0, len(stale or ()), _MAX_LOCKED)
        )
    return added


def _mend_history(msg_ids: Sequence[int]) -> int:
    """Lock the messages and add entries. Skip a message that is locked, because its change adds the entry."""
    with transaction.atomic():
        locked = statements.fetch_column("lock_messages", {"msg_ids": list(msg_ids)})
        return statements.count("add_unknown", {"msg_ids": locked, "actor": MessageEvent.UNKNOWN})
