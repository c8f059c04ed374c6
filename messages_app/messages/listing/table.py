"""
The columns of the message table: which there are, which everybody sees at first, and how wide each is.

A cell's look is that of templates/messages_app/messages/_list_row.html, by the column's name; a column that
is not named there shows `attribute` as it is.
"""

from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Column:
    """
    One column of the table.

    Args:
        name: what preferences keep.
        title: its head; where `is_mark`, for readers of the screen's text and as a tooltip only.
        attribute: of the message, empty where the cell is made of several.
        is_default: whether it is there until somebody chooses.
        is_mark: an icon, as narrow as can be.
        is_number: set to the right.
    """

    name: str
    title: str
    attribute: str = ""
    is_default: bool = False
    is_mark: bool = False
    is_number: bool = False


# The first one is always there: nothing says more about a message.
STATE_COLUMN = Column(name="state", title="State", is_default=True)

COLUMNS = (
    Column(name="received", title="Received", is_default=True),
    Column(name="service", title="Service / operation", is_default=True),
    Column(name="source", title="Source", attribute="source_system", is_default=True),
    Column(name="key", title="Message", is_default=True),
    Column(name="error", title="Last error", is_default=True),
    Column(name="tries", title="Failed", is_default=True, is_number=True),
    Column(name="funnel", title="Funnel", is_default=True, is_mark=True),
    Column(name="age", title="In state", is_default=True, is_number=True),
    Column(name="family", title="Family", is_default=True, is_mark=True),
    Column(name="id", title="Message id", is_number=True),
    Column(name="sent", title="Sent", attribute="msg_timestamp"),
    Column(name="started", title="Processing started", attribute="start_process_timestamp"),
    Column(name="processed", title="Last processed", attribute="last_process_timestamp"),
    Column(name="queued", title="Into the queue", attribute="start_in_queue_timestamp"),
    Column(name="process", title="Process id", attribute="process_id"),
    Column(name="object", title="Object id", attribute="object_id"),
    Column(name="entity", title="Entity type", attribute="entity_type"),
    Column(name="funnel_value", title="Funnel value"),
    Column(name="component", title="Funnel component id", attribute="funnel_component_id"),
    Column(name="parent", title="Parent", attribute="parent_msg_id", is_number=True),
    Column(name="binding", title="Parent binding", attribute="parent_binding_type"),
    Column(name="ordered", title="Guaranteed order", attribute="guaranteed_order"),
    Column(name="excluded", title="Exclude FAILED from order", attribute="exclude_failed_state"),
    Column(name="node", title="Node", attribute="node_id", is_number=True),
)
NAMES = frozenset(column.name for column in COLUMNS)
DEFAULT_NAMES = frozenset(column.name for column in COLUMNS if column.is_default)
# More than these do not fit beside each other in a window: the table then scrolls in a box of its own.
_FIT = DEFAULT_NAMES


@dataclass(frozen=True, kw_only=True)
class Table:
    """How one person sees the table."""

    columns: tuple[Column, ...]
    is_compact: bool

    @property
    def is_wide(self) -> bool:
        return not {column.name for column in self.columns} <= _FIT | {STATE_COLUMN.name}

    @property
    def names(self) -> frozenset[str]:
        return frozenset(column.name for column in self.columns)


def columns_named(names: Collection[str]) -> tuple[Column, ...]:
    """Return the columns of these names, in the table's order, the state before all."""
    return (STATE_COLUMN, *(column for column in COLUMNS if column.name in names))
