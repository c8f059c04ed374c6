"""Has a session read masked before anything looks at the rights of its reader."""

from collections.abc import Callable

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse

from messages_app.access.permissions import problem_of_refusal
from messages_app.access.revealing.reading import Reading, SessionReader
from messages_app.web.problems import problem_response


class ReadingMiddleware:
    """Stands behind Django's AuthenticationMiddleware. A call with a token has the token's user instead."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.reading = Reading(request)
        request.user = SessionReader(request)
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Say of a page that is refused what is missing, where a right was asked for last."""
        if not isinstance(exception, PermissionDenied) or exception.args:
            return None
        problem = problem_of_refusal(request.user)
        return problem_response(problem, request) if problem else None
