"""The columns of a list's table, and the choice of a user."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

from messages_app.core.lists.filter_form import Link, ListForm


@dataclass(frozen=True, kw_only=True)
class Column:
    """
    One column of the table.

    Args:
        name: the name in preferences.
        title: its header. If `is_mark`, it is only a tooltip and a text for screen readers.
        attribute: the attribute of the row; empty if the cell combines several.
        is_default: whether it is shown by default.
        is_mark: whether it has an icon and is as narrow as possible.
        is_number: whether it is aligned to the right.
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
    The table as one user sees it.

    Args:
        is_wide: its columns do not fit into a window, so that it scrolls in a box of its own.
    """

    columns: tuple[Column, ...]
    is_compact: bool
    is_wide: bool

    @property
    def names(self) -> frozenset[str]:
        return frozenset(column.name for column in self.columns)


@dataclass(frozen=True, kw_only=True)
class Columns:
    """All columns that a list's table can have. The `first` one is always shown."""

    first: Column
    others: tuple[Column, ...]

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of the optional columns."""
        return frozenset(column.name for column in self.others)

    @cached_property
    def default_names(self) -> frozenset[str]:
        return frozenset(column.name for column in self.others if column.is_default)

    def table(self, names: Collection[str], *, is_compact: bool) -> Table:
        """Return the table with the columns of these names, in the order of the list."""
        chosen = tuple(column for column in self.others if column.name in names)
        # The default columns fit into a window, and so does any selection of them.
        is_wide = not {column.name for column in chosen} <= self.default_names
        return Table(columns=(self.first, *chosen), is_compact=is_compact, is_wide=is_wide)


# The orders that a list offers, as links. Each is served by an index.


_ARIA = {"-": "descending", "": "ascending"}


@dataclass(frozen=True, kw_only=True)
class Offered:
    """
    The orders of a list for its page.

    Args:
        links: all orders.
        words: the current order.
        direction: the direction of the column whose header is a link, as a value of aria-sort.
        turned: the address of that link: the order by this column, or the reversed one.
    """

    links: list[Link]
    words: str
    direction: str
    turned: str


def orders_offered(ordering: str, form: ListForm, *, words: Mapping[str, str], column: str) -> Offered:
    """
    Return the orders of a list.

    Args:
        ordering: the name of the current order.
        words: the words for every order, by its name.
        column: the column whose header reverses the order.
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
