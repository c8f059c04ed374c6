"""Has a session read masked before anything looks at the rights of its reader."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from messages_app.access.revealing.reading import Reading, SessionReader


class ReadingMiddleware:
    """Stands behind Django's AuthenticationMiddleware. A call with a token has the token's user instead."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.reading = Reading(request)
        request.user = SessionReader(request)
        return self.get_response(request)
