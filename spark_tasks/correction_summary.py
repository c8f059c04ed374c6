"""
Counts the changes that a job would make to all payloads of its set, for its dry run. Writes nothing.

Uses psycopg only, no Django.
"""

from collections.abc import Callable, Iterator, Mapping

import psycopg
import pyarrow as pa

from messages_app.shared.change_counts import ChangeCounts
from messages_app.shared.job_records import ChangesReport
from messages_app.shared.job_states import SkipReason
from messages_app.shared.replacements import Correction, Replacement
from messages_app.shared.state_changes import find_resent
from spark_tasks.corrected_messages import read_corrections, split_by_size
from spark_tasks.database import TaskStatements, connect_to_database
from spark_tasks.ranges import Reading, schema_of, to_batch

statements = TaskStatements("spark_tasks")

# Why messages would not be sent, by id.
Reasons = Mapping[int, str | None]

# Messages whose sizes are read at a time.
_MESSAGES = 1_000
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
                for msg_id, correction in _iterate_corrections(connection, ids, replacement):
                    counts.add_correction(msg_id, correction)
        yield to_batch(list(counts.iterate_rows()), _COLUMNS)

    total = ChangeCounts()
    total.add_rows(tuple(row) for row in messages.mapInArrow(count, schema_of(_COLUMNS)).collect())
    return total.as_report()


def judge_resent(messages: Reading, *, dsn: str) -> Reading:
    """
    Add the reason for each message that was corrected and resent.

    Args:
        messages: as selection.with_reasons returns. Other reasons stay.
    """

    def find_reasons(connection: psycopg.Connection, ids: list[int]) -> Reasons:
        with connection.cursor() as cursor:
            return dict.fromkeys(find_resent(cursor, ids), str(SkipReason.ALREADY_RESENT))

    return _add_reasons(messages, dsn, find_reasons)


def judge_corrections(messages: Reading, *, dsn: str, replacement: Replacement) -> Reading:
    """
    Add the reason for each message that would not be sent because of its payload.

    Args:
        messages: as selection.with_reasons returns. Other reasons stay.
    """

    def find_reasons(connection: psycopg.Connection, ids: list[int]) -> Reasons:
        corrections = _iterate_corrections(connection, ids, replacement)
        return {msg_id: correction.refusal for msg_id, correction in corrections}

    return _add_reasons(messages, dsn, find_reasons)


def _add_reasons(
    messages: Reading, dsn: str, find_reasons: Callable[[psycopg.Connection, list[int]], Reasons]
) -> Reading:
    """Add the reasons that `find_reasons` returns for messages without one."""

    def judge(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        with connect_to_database(dsn) as connection:
            for batch in batches:
                reasons = dict(zip(batch["msg_id"].to_pylist(), batch["reason"].to_pylist(), strict=True))
                ids = [msg_id for msg_id, reason in reasons.items() if reason is None]
                reasons |= find_reasons(connection, ids)
                column = pa.array([reason and str(reason) for reason in reasons.values()], pa.string())
                yield batch.set_column(batch.schema.get_field_index("reason"), "reason", column)

    return messages.mapInArrow(judge, messages.schema)


def _iterate_corrections(
    connection: psycopg.Connection, ids: list[int], replacement: Replacement
) -> Iterator[tuple[int, Correction]]:
    """Yield the correction of each message that is still live."""
    for start in range(0, len(ids), _MESSAGES):
        values = {"ids": ids[start : start + _MESSAGES]}
        for some in split_by_size(statements.fetch_rows(connection, "payload_sizes", values)):
            yield from read_corrections(connection, some, replacement)
