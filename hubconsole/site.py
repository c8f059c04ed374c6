"""The admin site: the theme's, with the console's name, menu, colours and log-in page."""

from collections.abc import Iterator

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from unfold.sites import UnfoldAdminSite

from messages_app.access import navigation
from messages_app.access.views import log_in, log_out


class HubConsoleSite(UnfoldAdminSite):
    site_title = site_header = "Hub Console"
    index_title = "Administration"

    def __init__(self, name: str = "admin") -> None:
        super().__init__(name)
        # Several at once would pass by what is asked of one, and its transaction (reliability S-25).
        self.disable_action("delete_selected")

    def login(self, request: HttpRequest, extra_context: dict | None = None) -> HttpResponse:
        """Show the console's own log-in page; who is logged in already lacks the right to be here."""
        if request.user.is_authenticated:
            raise PermissionDenied
        return log_in(request)

    def logout(self, request: HttpRequest, extra_context: dict | None = None) -> HttpResponse:
        return log_out(request)

    def password_change(self, request: HttpRequest, extra_context: dict | None = None) -> HttpResponse:
        """Lead to the console's own page: whoever is logged in changes the own password there."""
        return redirect("password")

    def each_context(self, request: HttpRequest) -> dict:
        # The colours come from our own style sheet, not from a style element in the page.
        return super().each_context(request) | {"colors": None}


def sidebar(request: HttpRequest) -> list[dict]:
    """Return the admin's menu: the console's own, then the tables that are kept here."""
    pages = [
        # The theme takes an address for the current one wherever that holds it, and all hold /.
        {
            "title": entry.title,
            "icon": entry.admin_icon,
            "link": entry.url,
            "active": entry.url == request.path,
        }
        for entry in navigation.entries(request.user)
    ]
    return [{"items": pages}, {"title": "Kept here", "separator": True, "items": list(_tables(request))}]


def _tables(request: HttpRequest) -> Iterator[dict]:
    for app in admin.site.get_app_list(request):
        for model in app["models"]:
            if model["admin_url"]:
                yield {"title": str(model["name"]), "icon": "table_rows", "link": model["admin_url"]}
