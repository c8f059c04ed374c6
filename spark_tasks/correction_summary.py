"""
Counts the changes that a job would make to all payloads of its set, for its dry run. Writes nothing.

Uses psycopg only, no Django.
"""

from collections.abc import Iterator

import psycopg
import pyarrow as pa

from messages_app.shared.change_counts import ChangeCounts
from messages_app.shared.corrected_payloads import MAX_EDITED_BYTES
from messages_app.shared.job_records import ChangesReport
from messages_app.shared.job_states import SkipReason
from messages_app.shared.replacements import Replacement
from spark_tasks.database import TaskStatements, connect_to_database
from spark_tasks.ranges import Reading, schema_of, to_batch

statements = TaskStatements("spark_tasks")

# Messages a statement, each with its payload.
_MESSAGES = 100
_COLUMNS = {"counted": "string", "name": "string", "messages": "long", "example": "long"}


def summarise_changes(messages: Reading, *, dsn: str, replacement: Replacement) -> ChangesReport:
    """
    Return the number of messages by the kind of change, and by the reason why they would not be sent.

    Args:
        messages: as selection.with_reasons returns. Those with a reason are left out.
    """

    def count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        counts = ChangeCounts()
        with connect_to_database(dsn) as connection:
            for batch in batches:
                pairs = zip(batch["msg_id"].to_pylist(), batch["reason"].to_pylist(), strict=True)
                ids = [msg_id for msg_id, reason in pairs if reason is None]
                for start in range(0, len(ids), _MESSAGES):
                    _count_changes(connection, ids[start : start + _MESSAGES], replacement, counts)
        yield to_batch(list(counts.iterate_rows()), _COLUMNS)

    total = ChangeCounts()
    total.add_rows(tuple(row) for row in messages.mapInArrow(count, schema_of(_COLUMNS)).collect())
    return total.as_report()


def _count_changes(
    connection: psycopg.Connection, ids: list[int], replacement: Replacement, counts: ChangeCounts
) -> None:
    values = {"ids": ids, "most": MAX_EDITED_BYTES}
    for msg_id, payload, is_resent in statements.fetch_rows(connection, "payloads_to_correct", values):
        if is_resent:
            counts.add_refusal(msg_id, SkipReason.ALREADY_RESENT)
        elif payload is None:
            counts.add_refusal(msg_id, SkipReason.TOO_LARGE)
        else:
            counts.add_correction(msg_id, replacement.correct_payload(payload))
