"""Every column of a message, in the groups in which its page shows them."""

from collections.abc import Iterator
from dataclasses import dataclass

from messages_app.messages.hub_columns import MessageColumns

_GROUPS = (
    (
        "What it is",
        (
            "msg_id",
            "correlation_id",
            "process_id",
            "source_system",
            "service_name",
            "operation_name",
            "object_id",
            "entity_type",
        ),
    ),
    (
        "When",
        (
            "msg_timestamp",
            "receive_timestamp",
            "start_in_queue_timestamp",
            "start_process_timestamp",
            "last_process_timestamp",
        ),
    ),
    (
        "How it went",
        ("state", "failed_count", "failed_error_code", "failed_desc", "business_error", "node_id"),
    ),
    (
        "Family, funnel, order",
        (
            "parent_msg_id",
            "parent_binding_type",
            "funnel_value",
            "funnel_component_id",
            "guaranteed_order",
            "exclude_failed_state",
        ),
    ),
    ("Carried along", ("custom_data",)),
)
_LONG_CHARS = 120
# More of a column than a page shows is in the API.
SHOWN_CHARS = 6000


@dataclass(frozen=True)
class Column:
    name: str
    value: object

    @property
    def is_long(self) -> bool:
        return isinstance(self.value, str) and len(self.value) > _LONG_CHARS

    @property
    def shown(self) -> object:
        return self.value[:SHOWN_CHARS] if self.is_cut else self.value

    @property
    def is_cut(self) -> bool:
        return isinstance(self.value, str) and len(self.value) > SHOWN_CHARS


@dataclass(frozen=True, kw_only=True)
class Group:
    """Columns that belong together; of those without a value only the names."""

    title: str
    filled: list[Column]
    empty: list[str]


def groups(message: MessageColumns) -> Iterator[Group]:
    """Yield all columns but payload and envelope, which have pages of their own."""
    for title, names in _GROUPS:
        columns = [Column(name, getattr(message, name)) for name in names]
        yield Group(
            title=title,
            filled=[column for column in columns if not _is_empty(column)],
            empty=[column.name for column in columns if _is_empty(column)],
        )


def _is_empty(column: Column) -> bool:
    return column.value is None or column.value == ""
