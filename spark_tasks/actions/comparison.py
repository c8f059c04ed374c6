"""Records for each message of an analysis that it was compared, or that it was gone before."""

from collections.abc import Sequence

import psycopg

from messages_app.shared.job_states import SkipReason, skipped_outcome
from spark_tasks.contract import Decided, Item, JobKey
from spark_tasks.database import TaskStatements

statements = TaskStatements("spark_tasks")


class RecordCompared:
    """Changes no message. A message that the hub deleted meanwhile, or that was archived, is skipped."""

    new_state = None
    may_be_repeated = True

    def process_items(self, connection: psycopg.Connection, key: JobKey, items: Sequence[Item]) -> Decided:
        rows = statements.run_statement(
            connection, "existing_messages", {"ids": [item.msg_id for item in items]}
        )
        existing = {msg_id for msg_id, *_ in rows.fetchall()}
        gone = skipped_outcome(SkipReason.VANISHED)
        return Decided(refusals={item.msg_id: gone for item in items if item.msg_id not in existing})
