"""Tables: their columns, the choice of a user, and the orders that a list offers."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from django.utils.safestring import SafeString

from messages_app.core.lists.filter_form import Link, ListForm
from messages_app.core.markup import format_html, join_markup

_ARROWS = {"descending": " ↓", "ascending": " ↑", "none": ""}
_ARIA = {"-": "descending", "": "ascending"}
# Columns that are left out where there is little room: their heads, too.
_ROOMY = frozenset({"u-roomy", "u-roomiest"})


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


@dataclass(frozen=True, kw_only=True)
class Sorting:
    """An order of a list by one column: the address, and the direction as a value of aria-sort."""

    query: str
    direction: str
    is_on: bool


def make_sortings(form: ListForm, orders: Iterable[str]) -> Mapping[str, Sorting]:
    """Return orders by their columns: `-failures` is the descending order of `failures`."""
    chosen = form.params.get("ordering")
    return {
        order.removeprefix("-"): Sorting(
            query=form.query_with(ordering=order),
            direction=_ARIA["-" if order.startswith("-") else ""],
            is_on=order == chosen,
        )
        for order in orders
    }


@dataclass(frozen=True, kw_only=True)
class Column:
    """
    One column of a table: its head, and the element of its cells.

    Args:
        title: its head.
        label: the label of its cells in a narrow window, if it is not the title. A default column has none.
        name: the name in preferences, and with `c-` the class of its head and of its cells.
        attribute: the attribute of the row; empty if the cell combines several.
        hint: the explanation of its head; the tooltip of one that is an icon or offers an order.
        css_class: a further class of its cells.
        head_class: a further class of its head.
        is_default: whether it is shown by default.
        is_mark: whether it has an icon or a button, so that its title is only for screen readers.
        is_number: whether it is aligned to the right.
        is_row_head: whether its cells name their rows.
        is_sorted: whether its head is a link that reverses the order.
        sorting: the order that its head offers, if it does not reverse one.
    """

    title: str
    label: str = ""
    name: str = ""
    attribute: str = ""
    hint: str = ""
    css_class: str = ""
    head_class: str = ""
    is_default: bool = False
    is_mark: bool = False
    is_number: bool = False
    is_row_head: bool = False
    is_sorted: bool = False
    sorting: Sorting | None = None

    def show_head(self, orders: Offered | None) -> SafeString:
        """Return the cell of the table's head."""
        text: str = self.title
        if self.is_mark:
            text = format_html('<span class="u-visually-hidden">{}</span>', self.title)
        roomy = " ".join(name for name in self.css_class.split() if name in _ROOMY)
        css_class, sorting = self._class_attribute(f"{self.head_class} {roomy}".strip()), ""
        if self.is_sorted and orders:
            sorting = format_html(' aria-sort="{}"', orders.direction)
            text = format_html('<a href="{}">{}{}</a>', orders.turned, text, _ARROWS[orders.direction])
        elif self.sorting:
            direction = self.sorting.direction if self.sorting.is_on else "none"
            sorting = format_html(' aria-sort="{}"', direction)
            text = format_html('<a href="{}">{}{}</a>', self.sorting.query, text, _ARROWS[direction])
        elif self.hint and not self.is_mark:
            return format_html('<th scope="col"{}>{}</th>', css_class, _explain_head(text, self.hint))
        return format_html(
            '<th scope="col"{}{}{}>{}</th>', css_class, _title_attribute(self.hint), sorting, text
        )

    def show_cell(self, content: object, hint: str = "") -> SafeString:
        """Return the cell of a row, with its tooltip."""
        start, label, end = self._tags
        return format_html(
            "{}{}{}>{}{}",
            start,
            SafeString("") if content == "" else label,
            _title_attribute(hint),
            content,
            end,
        )

    @cached_property
    def _tags(self) -> tuple[SafeString, SafeString, SafeString]:
        """The opening tag of its cells, the label, which an empty cell lacks, and the closing tag."""
        label = SafeString("")
        if not (self.is_mark or self.is_default):
            label = format_html(' data-label="{}"', self.label or self.title)
        css_class = self._class_attribute(self.css_class)
        if self.is_row_head:
            return format_html('<th scope="row"{}', css_class), label, SafeString("</th>")
        return format_html("<td{}", css_class), label, SafeString("</td>")

    def _class_attribute(self, others: str) -> str:
        names = (self.name and f"c-rows-{self.name}", others, "c-table-number" if self.is_number else "")
        text = " ".join(filter(None, names))
        return format_html(' class="{}"', text) if text else ""


def _explain_head(text: str, hint: str) -> SafeString:
    """Return a head that explains itself as terms do; a tooltip is not shown by touch."""
    return format_html('<button type="button" class="c-term" data-meaning="{}">{}</button>', hint, text)


def _title_attribute(hint: str) -> str:
    return format_html(' title="{}"', hint) if hint else ""


@dataclass(frozen=True, kw_only=True)
class Table:
    """
    The table as one user sees it.

    Args:
        title: the name of the table and of the box that it scrolls in, for screen readers.
        order: of its rows, in words.
        kind: the class of the table.
        box: the classes of the box.
        id: the id of the box.
        is_boxed: whether it has a box, which scrolls sideways; without, it is as narrow as its window.
        is_headless: whether its head is only for screen readers.
        is_part: only its rows are shown, to be added to a table that is open.
        address: the address of further rows, which are added at its end.
        after: the id after which further rows begin; None at the end.
        orders: of a table whose order a user can choose.
        is_selectable: whether each row has a checkbox in front.
        is_compact: whether its rows are as low as possible.
        is_wide: whether its columns do not fit into a window. None: they scroll if they do not.
    """

    columns: tuple[Column, ...]
    title: str = ""
    order: str = ""
    kind: str = "c-table-cards"
    box: str = "c-table-box"
    id: str = ""
    is_boxed: bool = True
    is_headless: bool = False
    is_part: bool = False
    address: str = ""
    after: int | None = None
    orders: Offered | None = None
    is_selectable: bool = False
    is_compact: bool = False
    is_wide: bool | None = None

    @property
    def names(self) -> frozenset[str]:
        return frozenset(column.name for column in self.columns)

    @property
    def caption(self) -> str:
        return f"{self.title}, {self.order}" if self.order else self.title

    @property
    def heads(self) -> SafeString:
        """The cells of its head."""
        return join_markup(column.show_head(self.orders) for column in self.columns)

    def show_row(self, cells: Iterable[str]) -> SafeString:
        """Return a row of the body with these contents of its cells, which are markup."""
        parts = (
            column.show_cell(SafeString(cell.strip()))
            for column, cell in zip(self.columns, cells, strict=True)
        )
        return format_html("<tr>{}</tr>", join_markup(parts))


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

    def choose_columns(self, names: Collection[str], *, is_compact: bool) -> Table:
        """Return the table with the columns of these names, in the order of the list."""
        chosen = tuple(column for column in self.others if column.name in names)
        # The default columns fit into a window, and so does any selection of them.
        is_wide = not {column.name for column in chosen} <= self.default_names
        return Table(columns=(self.first, *chosen), is_compact=is_compact, is_wide=is_wide)


def orders_offered(ordering: str, form: ListForm, *, words: Mapping[str, str], column: str) -> Offered:
    """
    Return the orders of a list.

    Args:
        ordering: the name of the current order.
        words: the words for every order, by its name.
        column: the column whose header reverses the order.
    """
    is_sorted = ordering.removeprefix("-") == column
    turned = column if ordering == f"-{column}" else f"-{column}"
    return Offered(
        links=form.in_order(words, chosen=ordering),
        words=words[ordering],
        direction=_ARIA[ordering[:1] if ordering.startswith("-") else ""] if is_sorted else "none",
        turned=form.query_with(ordering=turned),
    )
