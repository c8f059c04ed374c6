"""
Stores the business keys of messages, by the same rule as for new messages.

Values that are stored already are left, so a chunk that is repeated stores nothing twice.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import psycopg

from messages_app.shared.job_states import FailReason, SkipReason, failed_outcome, skipped_outcome
from messages_app.shared.key_extraction import Extract, Fault, Path, extract_values
from messages_app.shared.xml_parsing import CHECKED_BYTES
from spark_tasks.contract import Decided, Item, JobKey
from spark_tasks.database import TaskStatements

statements = TaskStatements("spark_tasks")
shared_statements = TaskStatements("messages_app.shared")

# Payloads that a task holds at the same time; each has at most CHECKED_BYTES.
_MAX_PAYLOADS = 50

Paths = Mapping[tuple[str, str], Sequence[Path]]
# The id of a definition, a value, the id of the message, and when it was received.
_Row = tuple[int, str, int, str]


@dataclass(frozen=True)
class StoreKeys:
    """
    Stores the values of active definitions. Changes no message.

    Args:
        definition_id: the only definition whose values are stored; None: all.
    """

    definition_id: int | None

    new_state = None
    may_be_repeated = True

    def process_items(self, connection: psycopg.Connection, key: JobKey, items: Sequence[Item]) -> Decided:
        # First, so that no payload is read whose message is erased before its values are stored.
        shared_statements.run_statement(connection, "hold_keys")
        paths = self._read_paths(connection)
        ids = [item.msg_id for item in items]
        outcomes: dict[int, str] = dict.fromkeys(ids, skipped_outcome(SkipReason.VANISHED))
        rows: list[_Row] = []
        for start in range(0, len(ids), _MAX_PAYLOADS):
            values = {
                "ids": ids[start : start + _MAX_PAYLOADS],
                "definition_id": self.definition_id,
                "largest": CHECKED_BYTES,
            }
            for msg_id, service, operation, received, payload in statements.fetch_rows(
                connection, "keyed_messages", values
            ):
                extract = extract_values(payload, paths.get((service, operation), ()))
                rows += [(each, value, msg_id, received) for each, value in _list_values(extract)]
                outcomes[msg_id] = _outcome_of(extract)
        written = _write_rows(connection, rows)
        refusals = {msg_id: outcome for msg_id, outcome in outcomes.items() if outcome}
        return Decided(refusals=refusals, moved=Counter({"business_key": written} if written else {}))

    def _read_paths(self, connection: psycopg.Connection) -> Paths:
        paths: dict[tuple[str, str], list[Path]] = defaultdict(list)
        for key, service, operation, text in statements.fetch_rows(
            connection, "key_paths", {"definition_id": self.definition_id}
        ):
            paths[service, operation].append(Path(key, text))
        return paths


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
