"""Tells the session who uses it, before anybody reads it."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from messages_app.access.sessions.visits import visit_of


class VisitMiddleware:
    """Stands right behind Django's SessionMiddleware. Reads nothing: the session does, if asked."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.session.visit = visit_of(request)
        return self.get_response(request)
