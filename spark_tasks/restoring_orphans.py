"""
Brings back requests and responses that no message owns, when the archive job that moved them is undone.

psycopg only, no Django.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import psycopg

from messages_app.jobs.states import ChunkContent, Outcome, SkipReason, skipped
from spark_tasks.actions import Chunk
from spark_tasks.cold.returning import Ids, PartFiles, files_of_parts, forget, keys_of, put_back
from spark_tasks.cold.sql import statement
from spark_tasks.cold.storage import Storage
from spark_tasks.database import array
from spark_tasks.moving.rows import chosen
from spark_tasks.restoring_tables import Columns, move_back
from spark_tasks.tables import REQUEST, RESPONSE, HubTable


def restore_orphans(
    connection: psycopg.Connection,
    chunk: Chunk,
    *,
    storage: Storage,
    origin_id: int,
    tables: Sequence[HubTable],
    columns: Columns,
) -> tuple[Counter[str], Counter[str]]:
    """
    Restore the orphans of a chunk; those that are live again, or not in the archive any more, stay.

    Returns:
        Orphans by outcome, and rows by live table.

    Raises:
        cold.files.Unreadable: a file of the archive is missing or damaged.
    """
    ids = list(chunk.orphan_ids)
    values = {"ids": ids}
    in_tables = [row[0] for row in connection.execute(statement(f"archived_{chunk.content}"), values)]
    moved = move_back(connection, _chosen(chunk.content, in_tables), tables=tables, columns=columns)
    live = {row[0] for row in connection.execute(statement(f"live_{chunk.content}"), values)}
    wanted = set(ids) - live
    parts = _parts(connection, storage, origin_id, chunk.content, wanted)
    for files, found in parts.values():
        moved += put_back(connection, storage, files, tables=tables, ids=_ids(chunk.content, found))
    forget(connection, {part: found for part, (_, found) in parts.items()}, are_messages=False)
    done = len(in_tables) + sum(len(found) for _, found in parts.values())
    return Counter({Outcome.DONE: done, skipped(SkipReason.MOVED_ON): len(ids) - done}), moved


def _parts(
    connection: psycopg.Connection,
    storage: Storage,
    origin_id: int,
    content: str,
    wanted: Collection[int],
) -> Mapping[int, tuple[PartFiles, frozenset[int]]]:
    """Return the parts that some of the wanted orphans lie in, with their files and these ids."""
    values = {"job_id": origin_id, "content": content}
    gone = dict(connection.execute(statement("orphan_parts"), values).fetchall())
    table = REQUEST if content == ChunkContent.ORPHAN_REQUESTS else RESPONSE
    parts = {}
    for part, files in files_of_parts(connection, gone).items():
        found = keys_of(storage, files, table) & wanted - set(gone[part])
        if found:
            parts[part] = (files, frozenset(found))
    return parts


def _chosen(content: str, ids: Sequence[int]) -> dict[str, str]:
    is_request = content == ChunkContent.ORPHAN_REQUESTS
    return chosen(req_ids=array(ids)) if is_request else chosen(res_ids=array(ids))


def _ids(content: str, ids: frozenset[int]) -> Ids:
    is_request = content == ChunkContent.ORPHAN_REQUESTS
    return Ids(requests=ids) if is_request else Ids(responses=ids)
