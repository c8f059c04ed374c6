"""
Stores the business keys of messages, live and archived in tables or Parquet files, by the same rule as for
new messages.

Values that are stored already are left, so a chunk that is repeated stores nothing twice.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import psycopg

from messages_app.shared.erased_values import find_erased
from messages_app.shared.job_states import FailReason, SkipReason, failed_outcome, skipped_outcome
from messages_app.shared.key_extraction import Extract, Fault, Path, extract_values
from messages_app.shared.xml_parsing import CHECKED_BYTES
from spark_tasks.contract import Decided, Item, JobKey
from spark_tasks.database import TaskStatements
from spark_tasks.parquet.files import Unreadable, read_rows, with_one_of
from spark_tasks.parquet.restore_rows import PartFiles, files_of_parts
from spark_tasks.storage.addresses import Storage
from spark_tasks.tables import MESSAGE

statements = TaskStatements("spark_tasks")
shared_statements = TaskStatements("messages_app.shared")

# Payloads of tables that a task holds at the same time; each has at most CHECKED_BYTES.
_MAX_PAYLOADS = 50

Paths = Mapping[tuple[str, str], Sequence[Path]]
# The id of a definition, a value, the id of the message, and when it was received.
_Row = tuple[int, str, int, str]


class _Message(NamedTuple):
    """A message; `part_id` is the part of the Parquet archive that has its payload, if one has."""

    msg_id: int
    service_name: str
    operation_name: str
    receive_timestamp: str
    payload: str | None
    part_id: int | None

    @property
    def operation(self) -> tuple[str, str]:
        return self.service_name, self.operation_name


@dataclass(frozen=True)
class StoreKeys:
    """
    Stores the values of active definitions. Changes no message.

    Args:
        definition_id: the only definition whose values are stored; None: all.
        own_keys: those of the digests of erased values, which are not stored.
    """

    definition_id: int | None
    storage: Storage
    own_keys: Sequence[bytes] = field(repr=False)

    new_state = None
    may_be_repeated = True

    def process_items(self, connection: psycopg.Connection, key: JobKey, items: Sequence[Item]) -> Decided:
        # First, so that no payload is read whose message is erased before its values are stored.
        shared_statements.run_statement(connection, "hold_keys")
        paths = self._read_paths(connection)
        ids = [item.msg_id for item in items]
        outcomes: dict[int, str] = dict.fromkeys(ids, skipped_outcome(SkipReason.VANISHED))
        rows: list[_Row] = []
        cold: dict[int, list[_Message]] = defaultdict(list)
        for message in self._iterate_messages(connection, ids):
            if message.part_id is not None and message.operation in paths:
                cold[message.part_id].append(message)
                continue
            outcomes[message.msg_id] = _add_values(rows, message, message.payload, paths)
        for part_id, files in files_of_parts(connection, cold).items():
            outcomes |= self._read_part(files, cold[part_id], paths, rows)
        written = _write_rows(connection, self._drop_erased(connection, rows))
        refusals = {msg_id: outcome for msg_id, outcome in outcomes.items() if outcome}
        return Decided(refusals=refusals, moved=Counter({"business_key": written} if written else {}))

    def _iterate_messages(self, connection: psycopg.Connection, ids: Sequence[int]) -> Iterator[_Message]:
        for start in range(0, len(ids), _MAX_PAYLOADS):
            values = {
                "ids": ids[start : start + _MAX_PAYLOADS],
                "definition_id": self.definition_id,
                "largest": CHECKED_BYTES,
            }
            for row in statements.fetch_rows(connection, "keyed_messages", values):
                yield _Message(*row)

    def _read_part(
        self, files: PartFiles, messages: Sequence[_Message], paths: Paths, rows: list[_Row]
    ) -> dict[int, str]:
        """Add the values of messages in a part, and return their outcomes."""
        by_id = {message.msg_id: message for message in messages}
        outcomes = dict.fromkeys(by_id, failed_outcome(FailReason.FILE_UNREADABLE))
        if MESSAGE not in files:
            return outcomes
        chosen, path = with_one_of("msg_id", by_id), files[MESSAGE].path
        try:
            for msg_id, payload in read_rows(self.storage, path, rows=chosen, names=["msg_id", "payload"]):
                outcomes[msg_id] = _add_values(rows, by_id[msg_id], payload, paths)
        except Unreadable:
            return outcomes
        return outcomes

    def _drop_erased(self, connection: psycopg.Connection, rows: Sequence[_Row]) -> list[_Row]:
        """Return the rows without values that were erased."""
        with connection.cursor() as cursor:
            erased = find_erased(cursor, {value for _, value, *_ in rows}, own_keys=self.own_keys)
        return [row for row in rows if row[1] not in erased]

    def _read_paths(self, connection: psycopg.Connection) -> Paths:
        paths: dict[tuple[str, str], list[Path]] = defaultdict(list)
        for key, service, operation, text in statements.fetch_rows(
            connection, "key_paths", {"definition_id": self.definition_id}
        ):
            paths[service, operation].append(Path(key, text))
        return paths


def _add_values(rows: list[_Row], message: _Message, payload: str | None, paths: Paths) -> str:
    """Add the values of a payload to the rows, and return the outcome of the message."""
    extract = extract_values(payload, paths.get(message.operation, ()))
    rows += [(key, value, message.msg_id, message.receive_timestamp) for key, value in _list_values(extract)]
    return _outcome_of(extract)


def _list_values(extract: Extract) -> list[tuple[int, str]]:
    return [(key, value) for key, values in extract.values.items() for value in values]


def _outcome_of(extract: Extract) -> str:
    """Return why no value of a message is stored; empty: one is."""
    if extract.values:
        return ""
    if any(fault is Fault.UNREADABLE for fault, _ in extract.problems.values()):
        return failed_outcome(FailReason.PAYLOAD_UNREADABLE)
    return skipped_outcome(SkipReason.NO_KEY)


def _write_rows(connection: psycopg.Connection, rows: Sequence[_Row]) -> int:
    """Store values, each once. Return the number of new ones."""
    if not rows:
        return 0
    definitions, values, msg_ids, times = map(list, zip(*rows, strict=True))
    shared_statements.run_statement(connection, "make_key_months", {"times": times})
    columns = {"definitions": definitions, "values": values, "msg_ids": msg_ids, "times": times}
    return shared_statements.run_statement(connection, "write_keys", columns).rowcount
