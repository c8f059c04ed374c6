"""The demo's rows as values of COPY, with ids from one counter, like the hub's single sequence."""

from datetime import UTC, datetime

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

Lines = dict[str, list[tuple[object, ...]]]


def moment_of(at: float | None) -> datetime | None:
    """Return a moment, seconds since 1970: the nearest one in the years 1 to 9999."""
    return None if at is None else datetime.fromtimestamp(min(max(at, _FIRST), _LAST), UTC)


class Rows:
    """Collects rows for each table, their values in the order of COLUMNS."""

    def __init__(self, *, first_id: int) -> None:
        self.next_id = first_id
        self._tables: Lines = {table: [] for table in COLUMNS}

    def new_id(self) -> int:
        self.next_id += 1
        return self.next_id - 1

    def add(self, table: str, *values: object) -> None:
        self._tables[table].append(values)

    def take_rows(self) -> Lines:
        """Return the rows of each table that has some, and begin again."""
        tables = {table: rows for table, rows in self._tables.items() if rows}
        self._tables = {table: [] for table in COLUMNS}
        return tables
