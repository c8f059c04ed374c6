"""
The demo's rows as lines of COPY's text format.

Written without a driver, because a million messages have six million rows. All values are made here, so only
templates need escaping.
"""

import re
from datetime import UTC, datetime
from functools import partial

NULL = "\\N"
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
_utc = partial(datetime.fromtimestamp, tz=UTC)
# Others write times to the demo's tables that Python does not have.
_FIRST = datetime(1, 1, 1, tzinfo=UTC).timestamp()
_LAST = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC).timestamp()

# The order of the tables is that of their foreign keys.
COLUMNS = {
    "message": (
        # source and content
        "msg_id", "correlation_id", "process_id", "service_name", "operation_name", "source_system",
        "object_id", "entity_type",
        # progress
        "state", "msg_timestamp", "receive_timestamp", "start_process_timestamp", "last_process_timestamp",
        "start_in_queue_timestamp", "node_id",
        # what went wrong
        "failed_count", "failed_error_code", "failed_desc", "business_error",
        # with whom
        "parent_msg_id", "parent_binding_type", "funnel_value", "funnel_component_id", "guaranteed_order",
        "exclude_failed_state",
        # contents
        "payload", "envelope", "custom_data",
    ),
    "external_call": (
        "call_id", "msg_id", "operation_name", "state", "entity_id", "msg_timestamp", "creation_timestamp",
        "last_update_timestamp", "failed_count",
    ),
    "request": ("req_id", "msg_id", "res_join_id", "uri", "req_envelope", "req_timestamp"),
    "response": ("res_id", "req_id", "res_envelope", "failed_reason", "res_timestamp", "failed", "msg_id"),
    "funnel": ("funnel_id", "msg_id", "funnel_value"),
    "message_event": ("msg_id", "from_state", "to_state", "at"),
}  # fmt: skip


def escape_value(text: str) -> str:
    """Return `text` as COPY's text format wants it."""
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")


def unescape_value(text: str) -> str:
    """Return what COPY reads from `text`."""
    return _ESCAPE.sub(lambda found: _ESCAPED.get(found[1], found[1]), text)


def stamp(at: float | None) -> str:
    """Return a moment, seconds since 1970, as COPY reads it: the nearest one in the years 1 to 9999."""
    return NULL if at is None else _utc(min(max(at, _FIRST), _LAST)).isoformat(" ")


class Rows:
    """
    Collects lines for each table, and assigns ids from one counter, like the hub's single sequence.

    Values are escaped text or NULL.
    """

    def __init__(self, *, first_id: int) -> None:
        self.next_id = first_id
        self.tables: dict[str, list[str]] = {table: [] for table in COLUMNS}

    def new_id(self) -> str:
        given = self.next_id
        self.next_id = given + 1
        return str(given)

    def add(self, table: str, *values: str) -> None:
        """Add one row, its values in the order of COLUMNS."""
        self.tables[table].append("\t".join(values))

    def take(self) -> dict[str, str]:
        """Return the collected data of one COPY for each table, and begin again."""
        taken = {table: "\n".join([*lines, ""]) for table, lines in self.tables.items() if lines}
        self.tables = {table: [] for table in COLUMNS}
        return taken
