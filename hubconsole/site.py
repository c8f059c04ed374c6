"""The admin site: Django's, with the console's name, log-in page and password page."""

from functools import wraps
from typing import Any

from django.contrib.admin import AdminSite
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.response import SimpleTemplateResponse

from messages_app.access.choices import in_zone_of
from messages_app.access.log_out import log_out
from messages_app.access.views import log_in


class HubConsoleSite(AdminSite):
    site_title = site_header = "Hub Console"
    index_title = "Administration"
    enable_nav_sidebar = False  # templates/admin/base_site.html has the console's own menu.

    def __init__(self, name: str = "admin") -> None:
        super().__init__(name)
        # Bulk actions would bypass the checks and the transaction of a single change
        # (docs/contributing/spec/promises.md, S-25).
        self.disable_action("delete_selected")

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """Write times of its pages in the zone of the user, like on other pages."""
        answer = super().admin_view(view, cacheable)

        @wraps(answer)
        def answer_in_zone(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
            with in_zone_of(request.user):
                response: HttpResponseBase = answer(request, *args, **kwargs)
                # Pages of Django are rendered after the view.
                return response.render() if isinstance(response, SimpleTemplateResponse) else response

        return answer_in_zone

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
