"""The orders that a list offers, as links: only those that an index serves."""

from collections.abc import Mapping
from dataclasses import dataclass

from messages_app.web.lists.form import Link, ListForm

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
