"""The columns of a list's table, and how one person sees them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

from messages_app.core.lists.filter_form import Link, ListForm


@dataclass(frozen=True, kw_only=True)
class Column:
    """
    One column of the table.

    Args:
        name: what preferences keep.
        title: its head; where `is_mark`, for readers of the screen's text and as a tooltip only.
        attribute: of the message, empty where the cell is made of several.
        is_default: whether it is there until someone chooses.
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
        is_wide: its columns do not fit next to each other in a window: it then scrolls in a box of its own.
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
        # No more than everyone sees at first fit next to each other.
        is_wide = not {column.name for column in chosen} <= self.default_names
        return Table(columns=(self.first, *chosen), is_compact=is_compact, is_wide=is_wide)


# The orders that a list offers, as links: only the ones that an index serves.


_ARIA = {"-": "descending", "": "ascending"}


@dataclass(frozen=True, kw_only=True)
class Offered:
    """
    What the page says about its order.

    Args:
        links: every order there is.
        words: the one in force.
        direction: how the column whose head is a link is sorted, as aria-sort has it.
        turned: what that link leads to: the order by this column, or the same turned round.
    """

    links: list[Link]
    words: str
    direction: str
    turned: str


def orders_offered(ordering: str, form: ListForm, *, words: Mapping[str, str], column: str) -> Offered:
    """
    Return the orders of a list.

    Args:
        ordering: the name of the one in force.
        words: of every order, by its name.
        column: the one whose head turns the order.
    """
    links = [
        Link(text=text, query=form.query(ordering=name), is_on=name == ordering)
        for name, text in words.items()
    ]
    is_sorted = ordering.removeprefix("-") == column
    turned = column if ordering == f"-{column}" else f"-{column}"
    return Offered(
        links=links,
        words=words[ordering],
        direction=_ARIA[ordering[:1] if ordering.startswith("-") else ""] if is_sorted else "none",
        turned=form.query(ordering=turned),
    )
