"""
Reads and corrects the payloads of messages, a few megabytes at a time, for plans, dry runs and the job
itself.

Uses psycopg only, no Django.
"""

from collections.abc import Iterable, Iterator, Sequence

import psycopg

from messages_app.shared.corrected_payloads import MAX_EDITED_BYTES
from messages_app.shared.job_states import SkipReason
from messages_app.shared.replacements import Correction, Replacement
from spark_tasks.database import TaskStatements

statements = TaskStatements("spark_tasks")

# Bytes of the payloads that a task has at a time, except for a single larger one.
_MAX_BYTES = 8_000_000


def split_by_size(sizes: Iterable[tuple[int, int]]) -> Iterator[list[int]]:
    """
    Yield the ids of messages in parts whose payloads have up to _MAX_BYTES together.

    Args:
        sizes: (id, bytes of the payload). Payloads that are too large to be corrected are not read.
    """
    part: list[int] = []
    total = 0
    for msg_id, size in sizes:
        read = size if size <= MAX_EDITED_BYTES else 0
        if part and total + read > _MAX_BYTES:
            yield part
            part, total = [], 0
        part.append(msg_id)
        total += read
    if part:
        yield part


def read_corrections(
    connection: psycopg.Connection, ids: Sequence[int], replacement: Replacement
) -> Iterator[tuple[int, Correction]]:
    """Yield the correction of each of these messages that is still live."""
    values = {"ids": ids, "most": MAX_EDITED_BYTES}
    for msg_id, payload, is_resent in statements.fetch_rows(connection, "payloads_to_correct", values):
        if is_resent:
            yield msg_id, Correction(None, SkipReason.ALREADY_RESENT)
        elif payload is None:
            yield msg_id, Correction(None, SkipReason.TOO_LARGE)
        else:
            yield msg_id, replacement.correct_payload(payload)
