"""
The action of an archive job to Parquet files: moves families from PostgreSQL to files, a chunk at a time.
"""

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import psycopg
from psycopg import sql

from messages_app.shared.hub_zones import instant_of
from messages_app.shared.job_states import ChunkContent, Outcome, SkipReason, failed_outcome, skipped_outcome
from spark_tasks.contract import Chunk, Decided, Item, JobKey
from spark_tasks.database import TaskStatements
from spark_tasks.moves.rows import lock_families_to_move, lock_requests
from spark_tasks.parquet.column_types import CannotKeep
from spark_tasks.parquet.parts import Chosen, PartKey, archive_part, held_columns
from spark_tasks.storage.addresses import Storage
from spark_tasks.tables import HUB_TABLES, HubTable
from spark_tasks.views import check_seen, column_types

statements = TaskStatements("spark_tasks.parquet")
task_statements = TaskStatements("spark_tasks")

# The type of a hub's times.
_LOCAL_TIME = "timestamp without time zone"


@dataclass(frozen=True, kw_only=True)
class ArchiveToParquet:
    """
    Args:
        cutoff: only older messages are archived; ISO 8601 with offset.
        final_states: the states of finished messages.
        run: the prefix of the names of the job's files.
    """

    cutoff: str
    final_states: tuple[str, ...]
    storage: Storage
    run: str
    tables: tuple[HubTable, ...] = HUB_TABLES

    new_state = None
    may_be_repeated = True

    def process_items(self, connection: psycopg.Connection, key: JobKey, items: Sequence[Item]) -> Decided:
        """
        Archive the families that may be archived.

        Raises as contract.Action, parts.archive_part, and views.check_seen, and CannotKeep.
        """
        going, refusals = lock_families_to_move(
            connection, items, cutoff=self.cutoff, final_states=self.final_states
        )
        if not going:
            return Decided(refusals=refusals)
        values = {"job_id": key.job_id, "msg_id": going[0]}
        chunk_no: int = statements.only_row(connection, "chunk_of_message", values)[0]
        chosen = {
            month: Chosen(msg_ids=ids, req_ids=lock_requests(connection, ids, self.tables))
            for month, ids in _group_by_month_of_head(connection, items, going).items()
        }
        moved, paths = self._archive_chunk(connection, key, chunk_no, ChunkContent.MESSAGES, chosen)
        return Decided(refusals=refusals, moved=moved, details={"files": paths})

    def act_on_orphans(
        self, connection: psycopg.Connection, key: JobKey, chunk: Chunk
    ) -> tuple[Counter[str], Counter[str]]:
        """
        Archive requests or responses that belong to no message.

        Rows that have been given a message stay, and so do those with a time that cannot be kept.
        """
        ids = list(chunk.orphan_ids or ())
        values = {"ids": ids, "cutoff": self.cutoff}
        locked = task_statements.fetch_column(connection, f"lock_{chunk.content}", values)
        refused = statements.fetch_rows(connection, f"unkept_{chunk.content}", {"ids": locked})
        going = sorted(set(locked) - {row[0] for row in refused})
        name = "req_ids" if chunk.content == ChunkContent.ORPHAN_REQUESTS else "res_ids"
        months = statements.run_statement(connection, f"months_of_{chunk.content}", {"ids": going})
        chosen = {
            month: Chosen(**{name: of_month}) for month, of_month in _group_by_month(dict(months)).items()
        }
        moved, _ = self._archive_chunk(connection, key, chunk.chunk_no, chunk.content, chosen)
        left = len(ids) - len(locked)
        outcomes = {
            Outcome.DONE: len(going),
            skipped_outcome(SkipReason.MOVED_ON): left,
            failed_outcome(CannotKeep.__name__): len(refused),
        }
        return Counter({outcome: count for outcome, count in outcomes.items() if count}), moved

    def _archive_chunk(
        self,
        connection: psycopg.Connection,
        key: JobKey,
        chunk_no: int,
        content: str,
        chosen: Mapping[dt.date, Chosen],
    ) -> tuple[Counter[str], list[str]]:
        columns = held_columns(connection, self.tables)
        check_seen(connection, self.tables)
        moved: Counter[str] = Counter()
        paths: list[str] = []
        for month, rows in sorted(chosen.items()):
            for table in self.tables:
                _check_times(connection, table, rows.parameters)
            part = PartKey(job_id=key.job_id, run=self.run, chunk_no=chunk_no, content=content, month=month)
            counts, written = archive_part(
                connection, self.storage, part, tables=self.tables, columns=columns, chosen=rows
            )
            moved += counts
            paths += written
        return moved, paths


def _check_times(connection: psycopg.Connection, table: HubTable, ids: Mapping[str, object]) -> None:
    """
    Check that all times of the chosen rows can be converted from the hub's time zone and back.

    A time that its clocks skip, when summer time begins, would be another one after a restore, and one at the
    ends of PostgreSQL's type would be infinite.

    Raises:
        CannotKeep: names one row with such a time.
    """
    if table.behind is None:
        return
    kinds = column_types(connection, [table.behind.live])[table.behind.live]
    zone = table.behind.zone
    times = [sql.Identifier(name) for name, kind in kinds.items() if kind == _LOCAL_TIME]
    is_changed = [
        sql.SQL("timezone({zone}, {instant}) <> {time}").format(
            zone=sql.Literal(zone), instant=instant_of(time, zone=zone), time=time
        )
        for time in times
    ]
    if not is_changed:
        return
    query = sql.SQL("SELECT {key} FROM {live} WHERE ({chosen}) AND ({is_changed}) LIMIT 1").format(
        key=sql.Identifier(table.key),
        live=sql.SQL(table.behind.live),
        chosen=sql.SQL(table.chosen),
        is_changed=sql.SQL(" OR ").join(is_changed),
    )
    row = connection.execute(query, ids).fetchone()
    if row is not None:
        raise CannotKeep(
            f"{table.live} {row[0]} has a time that cannot be kept: clocks in {zone} skip it, or it is at the"
            " end of time. Archive it to tables."
        )


def _group_by_month_of_head(
    connection: psycopg.Connection, items: Sequence[Item], going: Sequence[int]
) -> dict[dt.date, list[int]]:
    """Return the messages by the month in which the head of their family ended, so families stay whole."""
    rows = statements.run_statement(connection, "months_of_messages", {"ids": list(going)})
    months: dict[int, dt.date] = dict(rows.fetchall())
    roots = {item.msg_id: item.root_msg_id for item in items}
    first_of: dict[int, int] = {}
    for msg_id in sorted(going):
        first_of.setdefault(roots[msg_id], msg_id)
    # If the head is gone, the first message of its family replaces it.
    heads = {root: root if root in months else first for root, first in first_of.items()}
    return _group_by_month({msg_id: months[heads[roots[msg_id]]] for msg_id in going})


def _group_by_month(months: Mapping[int, dt.date]) -> dict[dt.date, list[int]]:
    groups: dict[dt.date, list[int]] = defaultdict(list)
    for row_id, month in months.items():
        groups[month].append(row_id)
    return dict(groups)
