"""
Moving old attempts of messages of the store into their archive: what an executor does to some of them.

psycopg only, no Django. Source: DESIGN.md rules 5 to 7.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import psycopg

from messages_app.jobs.states import SkipReason, skipped
from spark_tasks.actions import Decided, Item, JobKey
from spark_tasks.sql import statement


@dataclass(frozen=True, kw_only=True)
class ArchiveHistory:
    """Moves the attempts that began before `cutoff` (ISO 8601), but for the newest of each message."""

    cutoff: str

    new_state = None
    may_be_repeated = True  # rows and ledger go together, or stay together

    def act(self, connection: psycopg.Connection, key: JobKey, items: Sequence[Item]) -> Decided:
        """Move what is old of the items. Raises as actions.Action.act."""
        values = {"ids": [item.msg_id for item in items], "cutoff": self.cutoff}
        rows = connection.execute(statement("archive_history"), values).fetchall()
        moved = dict(rows)
        gone = {item.msg_id: skipped(SkipReason.MOVED_ON) for item in items if item.msg_id not in moved}
        return Decided(refusals=gone, moved=Counter(message_history=sum(moved.values())))
