"""
The routes of the pages and of /api/v1/, collected from the `urls.py` of each package.

Addresses: docs/spec/interfaces.md, "Rules of the API", "Pages and roles".
"""

from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

from django.urls import URLPattern, URLResolver, include, path, register_converter

from messages_app.access.account_api import RootView, addresses_of
from messages_app.core.parameters import MAX_ID
from messages_app.core.stores import stores


class IdConverter:
    """The id of a row. A number that does not fit a bigint does not match."""

    regex = "[0-9]{1,19}"

    def to_python(self, value: str) -> int:
        if int(value) > MAX_ID:
            raise ValueError(value)
        return int(value)

    def to_url(self, value: int) -> str:
        return str(value)


register_converter(IdConverter, "id")

# Packages of the console whose routes have no common prefix.
_OF_CONSOLE = ("dashboard", "jobs", "access", "core")


def _modules() -> Iterator[tuple[str, ModuleType]]:
    """Yield the prefix of addresses and the module of routes of each package."""
    for store in stores():
        yield store.address, import_module(store.urls)
    for package in _OF_CONSOLE:
        yield "", import_module(f"messages_app.{package}.urls")


def page_routes() -> list[URLResolver]:
    return [path(address, include(module)) for address, module in _modules()]


def api_routes() -> list[URLResolver | URLPattern]:
    """Return the routes of /api/v1/, its index last."""
    routes = [path(address, include(module.api_urlpatterns)) for address, module in _modules()]
    index = RootView.as_view(addresses=tuple(addresses_of(routes)))
    return [*routes, path("", index, name="api-root")]


urlpatterns = page_routes()
api_urlpatterns = api_routes()
