"""The admin site: the framework's, with the console's name, log-in page and page for one's password."""

from django.contrib.admin import AdminSite
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect

from messages_app.access.views import log_in, log_out


class HubConsoleSite(AdminSite):
    site_title = site_header = "Hub Console"
    index_title = "Administration"
    enable_nav_sidebar = False  # templates/admin/base_site.html has the console's own menu

    def __init__(self, name: str = "admin") -> None:
        super().__init__(name)
        # Several at once would pass by what is asked of one, and its transaction (docs/spec/promises.md,
        # S-25).
        self.disable_action("delete_selected")

    # The framework's methods promise a page of its own; these answer with the console's, or lead to it.
    def login(  # type: ignore[override]
        self, request: HttpRequest, extra_context: dict[str, object] | None = None
    ) -> HttpResponseBase:
        """Show the console's own log-in page; who is logged in already lacks the right to be here."""
        if request.user.is_authenticated:
            raise PermissionDenied("Only administrators (staff accounts) can open the administration.")
        return log_in(request)

    def logout(  # type: ignore[override]
        self, request: HttpRequest, extra_context: dict[str, object] | None = None
    ) -> HttpResponseBase:
        return log_out(request)

    def password_change(  # type: ignore[override]
        self, request: HttpRequest, extra_context: dict[str, object] | None = None
    ) -> HttpResponseBase:
        """Lead to the console's own page: anyone who is logged in changes their own password there."""
        return redirect("password")
