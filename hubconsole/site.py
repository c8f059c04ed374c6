"""The admin site: Django's, with the console's name, log-in page and password page."""

from django.contrib.admin import AdminSite
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect

from messages_app.access.views import log_in, log_out


class HubConsoleSite(AdminSite):
    site_title = site_header = "Hub Console"
    index_title = "Administration"
    enable_nav_sidebar = False  # templates/admin/base_site.html has the console's own menu.

    def __init__(self, name: str = "admin") -> None:
        super().__init__(name)
        # Bulk actions would bypass the checks and the transaction of a single change
        # (docs/contributing/spec/promises.md, S-25).
        self.disable_action("delete_selected")

    # Django's methods return a page of their own. These return or redirect to the console's.
    def login(  # type: ignore[override]
        self, request: HttpRequest, extra_context: dict[str, object] | None = None
    ) -> HttpResponseBase:
        """
        Show the console's log-in page. A user who is already logged in lacks the permission for the admin.
        """
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
        """Redirect to the console's own page, where every logged-in user can change their own password."""
        return redirect("password")
