"""The columns of a list's table, and how one person sees them."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property


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


@dataclass(frozen=True, kw_only=True)
class Table:
    """
    How one person sees the table.

    Args:
        is_wide: its columns do not fit beside each other in a window: it then scrolls in a box of its own.
    """

    columns: tuple[Column, ...]
    is_compact: bool
    is_wide: bool

    @property
    def names(self) -> frozenset[str]:
        return frozenset(column.name for column in self.columns)


@dataclass(frozen=True, kw_only=True)
class Columns:
    """Every column that a list's table can have: the `first` one is always there."""

    first: Column
    others: tuple[Column, ...]

    @cached_property
    def names(self) -> frozenset[str]:
        """Those to choose from."""
        return frozenset(column.name for column in self.others)

    @cached_property
    def default_names(self) -> frozenset[str]:
        return frozenset(column.name for column in self.others if column.is_default)

    def table(self, names: Collection[str], *, is_compact: bool) -> Table:
        """Return the table with the columns of these names, in their own order."""
        chosen = tuple(column for column in self.others if column.name in names)
        # No more than everybody sees at first fit beside each other.
        is_wide = not {column.name for column in chosen} <= self.default_names
        return Table(columns=(self.first, *chosen), is_compact=is_compact, is_wide=is_wide)
