"""Erases messages, live or archived, with all rows that belong to them, in one transaction per batch."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import Model
from psycopg import sql

from messages_app.access.places import address_of_place
from messages_app.core.parameters import MAX_ID, MIN_ID
from messages_app.core.statements import Statements
from messages_app.core.transaction_locks import TransactionLock
from messages_app.erasure.keys import ERASED
from messages_app.erasure.run import Changed, ErasedKeys, Erasure
from messages_app.jobs.kinds.registry import file_kinds
from messages_app.messages.attachment import current_attachment
from messages_app.shared.job_states import FINAL_STATES as ENDED_STATES
from messages_app.shared.message_states import FINAL_STATES
from spark_tasks.moves.rows import choose_rows
from spark_tasks.tables import HUB_TABLES, MESSAGE, REQUEST, HubTable, named_tables

statements = Statements("messages_app.erasure")
# Writers share it: shared/sql/hold_keys.sql.
_KEY_WRITERS = TransactionLock("hubconsole business_key writers")
task_statements = Statements("spark_tasks")


Values = Iterable[object]
# Returns the values of rows by their keys.
Reader = Callable[[Sequence[object]], Values]


def ids_of(name: str, values: Mapping[str, object]) -> list:
    """Return the first column of a statement's rows."""
    return [row[0] for row in statements.fetch_rows(name, values)]


def delete_rows(table: str, key: str, chosen: str, values: Mapping[str, Any]) -> list[Any]:
    """
    Delete the rows of a table that `chosen` names, and return their keys.

    Args:
        chosen: a condition with %(name)s arguments.
    """
    query = sql.SQL(statements.read_text("delete_rows")).format(
        table=sql.Identifier(table), key=sql.Identifier(key), chosen=sql.SQL(chosen)
    )
    with connection.cursor() as cursor:
        cursor.execute(query.as_string(connection.connection), values)
        return [row[0] for row in cursor.fetchall()]


# The console's tables with message ids, by their keys.
_BESIDE = {
    "message_event": "event_id",
    "failure_member": "msg_id",
    "incident_message": "msg_id",
    "new_failure": "failure_id",
    "webhook_message": "event_id",
    "business_key": "msg_id",
}
# A part of a plan takes seconds to write, and other plans may come first. Jobs wait for each other as long.
_MAX_WAIT = "100s"


def erase_rows(erasure: Erasure, place: str, ids: Sequence[int]) -> None:
    """
    Erase messages of one table with their external calls, requests, responses and funnel values.

    Raises:
        Changed: a message is gone, is no longer final, or a job has it.
    """
    is_live = place == MESSAGE
    with erasure.step() as erased:
        _keep_plans_out()
        _lock_rows(place, ids)
        erase_beside(erased, ids)
        requests = _rows_of(REQUEST if is_live else f"archive_{REQUEST}", "lock_requests", {"ids": list(ids)})
        values = choose_rows() | {"msg_ids": list(ids), "req_ids": requests}
        for table in all_tables():
            name = table.live if is_live else table.archive
            erased.add(name, delete_rows(name, table.key, table.chosen, values))
        if not is_live and current_attachment():
            erased.add("archive_extra", _erase_extra(ids))
        if len(erased.rows[place]) != len(ids):
            raise Changed


def _erase_extra(ids: Sequence[int]) -> list[int]:
    """Erase values of messages that the archive tables of an attached hub lack, if it has such values."""
    if statements.only_row("has_extra", {}) == (False,):
        return []
    return delete_rows("archive_extra", "msg_id", "msg_id = ANY (%(ids)s)", {"ids": list(ids)})


def erase_beside(erased: ErasedKeys, ids: Sequence[int]) -> None:
    """Erase the console's rows of messages by their ids, in the caller's step."""
    hold_key_writers()
    values = {"ids": list(ids), "erased": ERASED}
    erased.add("failure_group", ids_of("forget_examples", values))
    pages = [address_of_place("message-detail", msg_id) for msg_id in ids]
    erased.add("person_settings", ids_of("forget_pins", {"pages": pages}))
    for table, key in _BESIDE.items():
        erased.add(table, delete_rows(table, key, "msg_id = ANY (%(ids)s)", values))


def hold_key_writers() -> None:
    """
    Wait until no other transaction writes business keys, and keep such transactions out until this one ends.

    Otherwise one that has read a message could store its values after the message is erased.
    """
    _KEY_WRITERS.acquire()


@cache
def all_tables() -> tuple[HubTable, ...]:
    """Return the tables with rows of messages, children before parents, whether they are archived or not."""
    of_hub = {table.live for table in HUB_TABLES}
    further = (table for table in named_tables(settings.ARCHIVED_TABLES) if table.live not in of_hub)
    return (*further, *HUB_TABLES)


def _keep_plans_out() -> None:
    """Prevent jobs from claiming messages until this step ends. Later plans find them gone."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('lock_timeout')")
        before = cursor.fetchone()[0]
        cursor.execute(f"SET LOCAL lock_timeout = '{_MAX_WAIT}'")
        cursor.execute(task_statements.read_text("lock_plans"))
        cursor.execute("SELECT set_config('lock_timeout', %s, true)", [before])


def _lock_rows(place: str, ids: Sequence[int]) -> None:
    values = {
        "ids": list(ids),
        "final": sorted(FINAL_STATES),
        "ended": sorted(ENDED_STATES),
        "file_kinds": file_kinds(),
    }
    if len(_rows_of(place, "lock_messages", values)) != len(ids):
        raise Changed


def _rows_of(table: str, name: str, values: Mapping[str, Any]) -> list[int]:
    query = sql.SQL(statements.read_text(name)).format(table=sql.Identifier(table))
    with connection.cursor() as cursor:
        cursor.execute(query.as_string(connection.connection), values)
        return [row[0] for row in cursor.fetchall()]


def reader_of_column(model: type[Model], key: str, column: str) -> Reader:
    """Return the reader of a column of rows."""

    def read(rows: Sequence[object]) -> Values:
        keys = [row for row in rows if isinstance(row, str)] if key == "messageguid" else valid_numbers(rows)
        values = model._default_manager.filter(**{f"{key}__in": keys}).values_list(column, flat=True)
        return [str(value) for value in values]

    return read


def valid_numbers(rows: Sequence[object]) -> list[int]:
    """Return the keys of rows that are valid numbers."""
    return [row for row in rows if isinstance(row, int) and MIN_ID <= row <= MAX_ID]
