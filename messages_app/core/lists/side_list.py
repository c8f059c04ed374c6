"""The list at the left of a form of an administrator: the other rows, of which one is open."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

MAX_LINKS = 40


@dataclass(frozen=True, kw_only=True)
class SideLink:
    """A row by its title, with a second line; `is_open` if its form is shown."""

    address: str
    title: str
    second: str = ""
    is_open: bool = False


@dataclass(frozen=True, kw_only=True)
class SideList:
    """The first rows of a list, and the address of the whole list."""

    title: str
    address: str
    links: list[SideLink]
    has_more: bool


def make_side_list(title: str, address: str, links: Iterable[SideLink]) -> SideList:
    """Return the list of these rows. It reads up to one more than it has."""
    rows = list(islice(links, MAX_LINKS + 1))
    return SideList(title=title, address=address, links=rows[:MAX_LINKS], has_more=len(rows) > MAX_LINKS)
