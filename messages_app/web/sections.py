"""The pages of a room, as the line above each of them names them."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.urls import reverse


@dataclass(frozen=True)
class Section:
    """One page of a room."""

    title: str
    address: str
    is_current: bool


def sections(titles: Mapping[str, str], *, current: str, beginnings: Mapping[str, str]) -> list[Section]:
    """
    Return the pages of a room.

    Args:
        titles: by the name of the page's route.
        current: the route of the page that is shown, or that the shown one belongs to.
        beginnings: the query that a page begins with, by its route, where there is one.
    """
    return [
        Section(title, reverse(route) + beginnings.get(route, ""), route == current)
        for route, title in titles.items()
    ]
