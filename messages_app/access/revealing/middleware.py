"""Has pages masked before any of them looks at the rights of its reader."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from messages_app.access.revealing.reading import PageReader, Reading
from messages_app.web.problems import API_PREFIX


class ReadingMiddleware:
    """Stands behind Django's AuthenticationMiddleware. Calls of the API go by the right alone."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path_info.startswith(API_PREFIX):
            request.reading = Reading(request)
            request.user = PageReader(request)
        return self.get_response(request)
