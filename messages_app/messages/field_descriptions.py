"""
What the console shows of a column of a message, and how the list is filtered by it.

The columns are in hub_columns.py, each with its description; fields.py gives them to all that shows or reads
them.
"""

from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Any, TypeVar

from django.db import models


class Panel(StrEnum):
    """The groups of columns on a message's page, in their order."""

    IDENTITY = "Identity"
    TIMES = "Times"
    PROCESSING = "Processing"
    FAMILY = "Family, funnel, order"
    OTHER = "Other"


class Size(Enum):
    """
    How large a value may be.

    Lists read NARROW columns only. WIDE ones may be megabytes, and a message's page shows their beginning.
    CONTENT has pages and API calls of its own, which mask it.
    """

    NARROW = 1
    WIDE = 2
    CONTENT = 3


# The place of what says none: behind the others.
LAST = 100


@dataclass(frozen=True, kw_only=True)
class FieldFilter:
    """
    A filter of the list by one column, on the page, in the query line, in the API and in jobs.

    Its type follows from the column: a text, an id, or for a time the two ends of a range.

    Args:
        label: what pages call it, where that is not the label of the column.
        hint: what suggestions in the query line say next to its key.
        suggests: suggest the values that the column has. Needs an index that begins with it.
        place: among the filters by a text, in the API's description and in addresses.
        rarity: the order in which filters by one value look for an index, the ones that leave fewest
            messages first; None where the list has a form of its own for it.
    """

    label: str = ""
    hint: str = ""
    suggests: bool = False
    place: int = LAST
    rarity: int | None = LAST


@dataclass(frozen=True, kw_only=True)
class MessageField:
    """
    What the console shows of one column of a message. All that shows or reads columns follows it.

    The defaults suit a new column: the list offers it, the message's page shows it under "Other", and
    nothing filters by it.

    Args:
        label: what pages call it.
        key: its short name, in the query line and in what people keep of the list; by default its own.
        column: the name of its column in the list, where that is not the key.
        column_place: among the columns that the list offers; None where it is part of another cell.
        panel, panel_place: the group on the message's page, and the place in it.
        size: how large a value may be.
        filter: how the list is filtered by it; None for not at all.
    """

    label: str
    key: str = ""
    column: str = ""
    column_place: int | None = LAST
    panel: Panel = Panel.OTHER
    panel_place: int = LAST
    size: Size = Size.NARROW
    filter: FieldFilter | None = None


_F = TypeVar("_F", bound="models.Field[Any, Any]")


def described(field: _F, description: MessageField) -> _F:
    """Return the model's field with what the console shows of it."""
    field.message_field = description  # type: ignore[attr-defined]  # Django copies it with the field
    return field


def description_of(field: "models.Field[Any, Any]") -> MessageField:
    """Return what the console shows of a column, which `described` has named."""
    description: MessageField = field.message_field  # type: ignore[attr-defined]  # as above
    return description
