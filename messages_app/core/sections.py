"""The sections of a store: the navigation above its pages."""

from collections.abc import Mapping

from django.urls import reverse

from messages_app.core.lists.filter_form import Link


def make_sections(
    titles: Mapping[str, str], *, current: str, beginnings: Mapping[str, str], path: str
) -> list[Link]:
    """
    Return the sections of a store.

    Args:
        titles: the titles by the route of the page.
        current: the route of the current page, or of the section that it belongs to.
        beginnings: the initial query string of a page, if it has one, by its route.
        path: the address of the current page.
    """
    return [
        Link(
            text=title,
            query=reverse(route) + beginnings.get(route, ""),
            is_on=route == current,
            is_above=route == current and reverse(route) != path,
        )
        for route, title in titles.items()
    ]
