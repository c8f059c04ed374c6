"""What an id of any kind names, as the search of every page shows it; each room looks among its own."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Hit:
    """
    One row that has the id.

    Args:
        url: the page that shows it; empty where none does, as for a synchronous request.
        name: its own id.
        about: what it is, in a few words.
        state: of a message of the hub or a call, else empty.
        archived: whether it stands in the archive.
    """

    url: str
    name: str
    about: str
    state: str = ""
    archived: bool = False


@dataclass(frozen=True, kw_only=True)
class Kind:
    """
    The rows for which the text is an id of one kind.

    Args:
        title: what kind of id it is.
        hits: live ones first, a few.
        more: there are others.
        list_url: the list of all of them; empty where none shows them.
    """

    title: str
    hits: list[Hit]
    more: bool = False
    list_url: str = ""


# Yields, for each kind of id of a room that a text is, what has it.
LookUp = Callable[[str], Iterator[Kind]]
