"""
Answers for the probes of an orchestrator, such as Kubernetes, which uses the address of a pod, without TLS.

/health/ is not meant for this: it fails while any part of the console is away, but pages need only the
database.
"""

from collections.abc import Callable

from django.db import Error as DatabaseError
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase

from hubconsole.checks import Unhealthy
from hubconsole.checks.database import check_migrations, check_part

LIVE, READY = "/health/live/", "/health/ready/"
_READS = {"GET", "HEAD"}


class ProbeMiddleware:
    """
    Answers /health/live/ whenever this process answers, and /health/ready/ with 503 until the database is
    reached and has tables that this version can work with.

    It is in front of the checks of the host name and of TLS. The answers have no details.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info not in {LIVE, READY} or request.method not in _READS:
            return self._get_response(request)
        is_ok = request.path_info == LIVE or _is_ready()
        return JsonResponse(
            {"ok": is_ok}, status=200 if is_ok else 503, headers={"Cache-Control": "no-store"}
        )


def _is_ready() -> bool:
    try:
        check_part(check_migrations)
    except (Unhealthy, DatabaseError):
        return False
    return True
