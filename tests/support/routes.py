"""Every address that the console answers, as its routes give them."""

import re
from collections.abc import Iterator

from django.urls import URLPattern, get_resolver
from rest_framework.views import APIView


def all_patterns(resolver=None, prefix: str = "") -> Iterator[tuple[str, URLPattern]]:
    for entry in (resolver or get_resolver()).url_patterns:
        route = prefix + str(entry.pattern)
        if isinstance(entry, URLPattern):
            yield route, entry
        else:
            yield from all_patterns(entry, route)


def addresses() -> list[str]:
    """Return an address for each route; what a route asks an id for is row 777, which there is not."""
    return [re.sub(r"<(\w+:)?\w+>|\(\?P<url>.*", "777", route) for route, _ in all_patterns()]


def page_addresses() -> list[str]:
    """Return those of the console's own pages."""
    others = ("admin/", "api/", "health/", "metrics")
    return [address for address in addresses() if not address.startswith(others)]


def api_views() -> Iterator[tuple[str, type[APIView]]]:
    """Give the views of the API by their routes."""
    for route, entry in all_patterns():
        view = getattr(entry.callback, "cls", None)
        if view is not None and route.startswith("api/"):
            yield route, view
