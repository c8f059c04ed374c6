"""
The routes of the pages, and of /api/v1/: each package has its own in `urls.py`, and here they come together.

Addresses: docs/spec/interfaces.md, "Rules of the API", "Pages and roles".
"""

from importlib import import_module

from django.urls import URLPattern, URLResolver, include, path, register_converter

from messages_app.access import roles
from messages_app.access.rest.account import RootView, addresses_of
from messages_app.core.parameters import MAX_ID
from messages_app.cp_queue.search import look_up as look_up_in_queue
from messages_app.message_store.search import look_up as look_up_in_store
from messages_app.messages import search


class IdConverter:
    """A row's id: what no bigint can hold is no address of ours."""

    regex = "[0-9]{1,19}"

    def to_python(self, value: str) -> int:
        if int(value) > MAX_ID:
            raise ValueError(value)
        return int(value)

    def to_url(self, value: int) -> str:
        return str(value)


register_converter(IdConverter, "id")

# Where the search for any id looks besides the hub's messages, and what one must be allowed to see.
_LOOK_UPS = (
    (roles.CAN_VIEW_STORE, look_up_in_store),
    (roles.CAN_VIEW_CP_QUEUE, look_up_in_queue),
)
# The packages with pages and calls, and what all addresses of each begin with.
_PACKAGES = {
    "messages": "",
    "dashboard": "",
    "jobs": "",
    "document_history": "document-history/",
    "cp_queue": "cp-queue/",
    "message_store": "message-store/",
    "access": "",
    "core": "",
}
# After the converter, which they use.
_MODULES = {import_module(f"messages_app.{package}.urls"): start for package, start in _PACKAGES.items()}

urlpatterns = [
    path("messages/find/", search.find_message, {"others": _LOOK_UPS}, name="find"),
    path("messages/find/part/", search.found_part, {"others": _LOOK_UPS}, name="find-part"),
    *(path(start, include(module)) for module, start in _MODULES.items()),
]

api_urlpatterns: list[URLPattern | URLResolver] = [
    path(start, include(module.api_urlpatterns)) for module, start in _MODULES.items()
]
api_urlpatterns.append(
    path("", RootView.as_view(addresses=tuple(addresses_of(api_urlpatterns))), name="api-root")
)
