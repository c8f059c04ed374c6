"""The sections of a store: the navigation above its pages."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.urls import reverse


@dataclass(frozen=True)
class Section:
    """One page in the navigation above the pages of a store."""

    title: str
    address: str
    is_current: bool


def make_sections(titles: Mapping[str, str], *, current: str, beginnings: Mapping[str, str]) -> list[Section]:
    """
    Return the sections of a store.

    Args:
        titles: the titles by the route of the page.
        current: the route of the current page, or of the section that it belongs to.
        beginnings: the initial query string of a page, if it has one, by its route.
    """
    return [
        Section(title, reverse(route) + beginnings.get(route, ""), route == current)
        for route, title in titles.items()
    ]
