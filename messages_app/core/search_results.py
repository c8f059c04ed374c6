"""Results of the search that is on every page. Each store searches its own rows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Hit:
    """
    One row that has the id, or one page.

    Args:
        url: the page that shows it; empty if there is no such page, as for a synchronous request.
        name: the id of the row, or the title of the page.
        about: a short description.
        state: the state of a hub message or an external call; else empty.
        archived: whether it is in the archive.
    """

    url: str
    name: str
    about: str
    state: str = ""
    archived: bool = False


@dataclass(frozen=True, kw_only=True)
class Kind:
    """
    The rows whose id of one kind is the text, or other results of one kind.

    Args:
        title: the kind of id.
        name: the kind in the API.
        hits: a few of the rows, live ones first.
        more: whether there are more rows.
        order: the order of `hits`: newest, first of the alphabet, or best.
        list_url: the list of all of them; may be empty.
        note: a sentence about rows that were not searched; may be empty.
    """

    title: str
    name: str
    hits: list[Hit]
    more: bool = False
    order: str = "newest"
    list_url: str = ""
    note: str = ""


# Yields a Kind for each kind of id of a store that the text is.
LookUp = Callable[[str], Iterator[Kind]]
