"""
How many pages a minute one user may open; before a log-in, one address. Source: reliability S-41.

Generous: it stops a script that runs wild, not people with many tabs. The API counts its own calls.
"""

from collections.abc import Callable

from django.conf import settings
from django.db import DatabaseError, transaction
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

from messages_app.access.actors import address_of
from messages_app.access.limits import check_limit
from messages_app.access.throttling import countable_address
from messages_app.web.errors import problem_of
from messages_app.web.policies import REPORTS_PATH
from messages_app.web.problems import API_PREFIX, Problem, problem_response

# Static files never come so far.
_UNCOUNTED = (API_PREFIX, "/health/", "/metrics")
_READS = {"GET", "HEAD"}
# What browsers report of pages is written to the log, by whoever sends it.
REPORTS_PER_MINUTE = 60
# Addresses share so many counts, so that their table has no more rows; who shares one, the key decides.
_SHARES = 4096


class PageLimitMiddleware:
    """Stands behind Django's AuthenticationMiddleware."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponse], args: list, kwargs: dict
    ) -> HttpResponse | None:
        if request.path_info.startswith(_UNCOUNTED):
            return None
        caller, per_minute = _caller(request), settings.PAGES_PER_MINUTE
        if request.path_info == REPORTS_PATH:
            caller, per_minute = _reporter(request), REPORTS_PER_MINUTE
        try:
            if caller:
                with transaction.atomic():  # one that cannot be counted breaks no transaction around it
                    check_limit(caller, per_minute=per_minute)
        except Problem as problem:
            return problem_response(problem, request)
        except DatabaseError as error:
            # Where nothing can be written, as on a replica, pages can still be read.
            return None if request.method in _READS else _refused(error, request)
        return None


def _refused(error: DatabaseError, request: HttpRequest) -> HttpResponse:
    problem = problem_of(error)
    if problem is None:
        raise error
    return problem_response(problem, request)


def _caller(request: HttpRequest) -> str:
    """Return by what the request is counted; empty: by nothing, for its address would be everybody's."""
    if request.user.is_authenticated:
        return f"pages:{request.user.pk}"
    address = countable_address(request)
    return f"pages-before-login:{_share(address)}" if address else ""


def _reporter(request: HttpRequest) -> str:
    """Return by what a report is counted: its address, and never its user, whose pages it would use up."""
    return f"policy-reports:{_share(address_of(request) or '')}"


def _share(address: str) -> int:
    return int(salted_hmac("page-limit", address).hexdigest(), 16) % _SHARES
