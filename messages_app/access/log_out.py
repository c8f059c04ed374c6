"""Logout, from the console's pages and from the admin."""

from django.contrib.auth.views import LogoutView
from django.http import HttpRequest, HttpResponse

from messages_app.access.actors import actor_of
from messages_app.access.providers.views import leave_provider
from messages_app.access.sessions.store import PROVIDER
from messages_app.audit import services as audit


class LogOutView(LogoutView):
    """Django's view with an audit entry. After a log-in through a provider, it leads to the log-out there."""

    next_page = "login"

    def post(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        provider_key = request.session.get(PROVIDER)
        if request.user.is_authenticated:
            audit.record_entry(actor=actor_of(request), action="log_out")
        answer = super().post(request, *args, **kwargs)
        return leave_provider(request, provider_key) or answer


log_out = LogOutView.as_view()
