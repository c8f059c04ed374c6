"""
The routes of the pages and of /api/v1/, collected from the `urls.py` of each package.

Addresses: docs/contributing/spec/interfaces.md, "Rules of the API", "Pages and roles".
"""

import re
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

from django.urls import URLPattern, URLResolver, include, path, register_converter

from messages_app.access.account_api import RootView, addresses_of
from messages_app.core.parameters import ID_PATTERN, read_id
from messages_app.core.stores import installed_stores


class IdConverter:
    """The id of a row. A number that does not fit a bigint does not match."""

    regex = ID_PATTERN

    def to_python(self, value: str) -> int:
        number = read_id(value)
        if number is None:
            raise ValueError(value)
        return number

    def to_url(self, value: int) -> str:
        return str(value)


class KeyConverter:
    """
    The key of a row, which can be any text.

    Characters that would change the path are written as `~` and their number: a slash as `~2F`. An empty key
    is written as `~`. Other keys are written unchanged.
    """

    regex = "[^/]+"

    def to_python(self, value: str) -> str:
        return "" if value == "~" else _ESCAPED.sub(lambda match: chr(int(match[1], 16)), value)

    def to_url(self, value: str) -> str:
        special = "~/." if set(value) == {"."} else "~/"
        return "".join(f"~{ord(one):02X}" if one in special else one for one in value) or "~"


_ESCAPED = re.compile("~([0-9A-F]{2})")

register_converter(IdConverter, "id")
register_converter(KeyConverter, "key")

# Packages of the console whose routes have no common prefix.
_OF_CONSOLE = (
    "finding",
    "dashboard",
    "service_map",
    "jobs",
    "incidents",
    "incident_pages",
    "note_pages",
    "access",
    "core",
)


def _iterate_modules() -> Iterator[tuple[str, ModuleType]]:
    """Yield the prefix of addresses and the module of routes of each package."""
    for store in installed_stores():
        yield store.address, import_module(store.urls)
    for package in _OF_CONSOLE:
        yield "", import_module(f"messages_app.{package}.urls")


def page_routes() -> list[URLResolver]:
    return [path(address, include(module)) for address, module in _iterate_modules()]


def api_routes() -> list[URLResolver | URLPattern]:
    """Return the routes of /api/v1/, its index last."""
    routes = [path(address, include(module.api_urlpatterns)) for address, module in _iterate_modules()]
    index = RootView.as_view(addresses=tuple(addresses_of(routes)))
    return [*routes, path("", index, name="api-root")]


urlpatterns = page_routes()
api_urlpatterns = api_routes()
