"""
The description of a column of a message for pages, lists and filters.

hub_columns.py has the columns with their descriptions; fields.py provides them to the rest of the console.
"""

from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Any, TypeVar

from django.db import models


class Panel(StrEnum):
    """The groups of columns on the page of a message, in their order."""

    IDENTITY = "Identity"
    TIMES = "Times"
    PROCESSING = "Processing"
    FAMILY = "Family, funnel, order"
    OTHER = "Other"


class Size(Enum):
    """
    The possible size of a value.

    Lists read only NARROW columns. WIDE ones may be megabytes, of which the page of a message shows the
    beginning. CONTENT has its own pages and API calls, which mask it.
    """

    NARROW = 1
    WIDE = 2
    CONTENT = 3


# The default place, after the others.
LAST = 100


@dataclass(frozen=True, kw_only=True)
class FieldFilter:
    """
    A filter of the list by one column, on the page, in the query line, in the API and in jobs.

    Its type follows from the column: a text, an id, or the two ends of a time range.

    Args:
        label: on pages, if it differs from the label of the column.
        hint: next to its key in the suggestions of the query line.
        suggests: whether the values of the column are suggested. This needs an index that begins with it.
        place: among the filters by a text, in the description of the API and in addresses.
        facet: the place of the column in the facets of the list, which are counted (metrics/models.py); its
            filter takes several values, and another filter leaves values out. None: it is not a facet.
        rarity: the order in which filters by one value choose an index, the ones that leave the fewest
            messages first; None if the list treats the filter separately.
    """

    label: str = ""
    hint: str = ""
    suggests: bool = False
    place: int = LAST
    rarity: int | None = LAST
    facet: int | None = None


@dataclass(frozen=True, kw_only=True)
class MessageField:
    """
    The description of one column of a message, from which pages, lists, filters and jobs derive theirs.

    The defaults suit a new column: the list offers it, the page of a message shows it under "Other", and it
    has no filter.

    Args:
        label: on pages.
        key: its short name in the query line and in saved views; by default the name of the column.
        column: the name of its column in the list, if it differs from the key.
        column_place: among the columns of the list; None if it is part of another cell.
        panel, panel_place: its group on the page of a message, and the place in it.
        size: the possible size of a value.
        filter: of the list; None without a filter.
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


def describe_field(field: _F, description: MessageField) -> _F:
    """Return the field of the model with its description."""
    field.message_field = description  # type: ignore[attr-defined]  # Django copies it with the field
    return field


def description_of(field: "models.Field[Any, Any]") -> MessageField:
    """Return the description that `describe_field` added to a field."""
    description: MessageField = field.message_field  # type: ignore[attr-defined]  # as above
    return description
