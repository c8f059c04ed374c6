"""Ends a request that takes too long with 503, so that none of them holds a web process for ever."""

import logging
from collections.abc import Callable

from django.conf import settings
from django.db import connections
from django.http import HttpRequest, HttpResponse

from messages_app.web.problems import Problem, problem_response
from messages_app.web.work_limits import TimeIsOver, work_limit

_DETAIL = (
    "This took longer than {seconds:g} seconds and was ended. What the request had not committed is undone."
    " Narrow the request, or ask for less at once."
)

logger = logging.getLogger(__name__)


class RequestLimitMiddleware:
    """
    Gives each request HUBCONSOLE_REQUEST_SECONDS until its answer begins.

    A view that waits for something else postpones `request.limit`.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        try:
            with work_limit(settings.REQUEST_SECONDS) as limit:
                request.limit = limit
                return self.get_response(request)
        except TimeIsOver:
            logger.warning("%s %s took too long and was ended.", request.method, request.path_info)
            _drop_connection()
            problem = Problem(
                503,
                "time_limit",
                _DETAIL.format(seconds=settings.REQUEST_SECONDS),
                headers={"Retry-After": "5"},
            )
            return problem_response(problem, request)


def _drop_connection() -> None:
    """Close the thread's database session: nobody knows in the midst of what its work ended."""
    wrapper = connections["default"]
    if wrapper.connection is not None:
        wrapper.connection.close()
    wrapper.in_atomic_block = False
    wrapper.close()
