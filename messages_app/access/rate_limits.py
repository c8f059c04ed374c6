"""
Rate limits: requests per minute of one API caller, and the headers of every answer that report them.

Requests are counted by one statement, so that the limit is exact for any number of processes.

Source: docs/contributing/spec/interfaces.md, "Rules of the API" (429); docs/contributing/spec/promises.md,
S-41; docs/contributing/spec/bad_input.md, A77; draft-ietf-httpapi-ratelimit-headers.
"""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

from messages_app.access.actors import address_of
from messages_app.access.throttling import countable_address
from messages_app.core.error_handlers import problem_of
from messages_app.core.middleware import REPORTS_PATH
from messages_app.core.problems import API_PREFIX, Problem, problem_response
from messages_app.core.statements import Statements
from messages_app.manual.library import ADDRESS as MANUAL

statements = Statements("messages_app.access")


_SECONDS = 60


@dataclass(frozen=True, kw_only=True)
class Budget:
    """
    The limit of one caller, and the number of requests used.

    Args:
        name: the name of the limit.
        used: requests in this minute, including this one.
        seconds: seconds until the minute is over.
    """

    name: str
    per_minute: int
    used: int
    seconds: int

    @property
    def headers(self) -> dict[str, str]:
        left = max(self.per_minute - self.used, 0)
        return {
            "RateLimit-Policy": f'"{self.name}";q={self.per_minute};w={_SECONDS}',
            "RateLimit": f'"{self.name}";r={left};t={self.seconds}',
        }

    def check(self) -> None:
        """
        Raises:
            Problem: 429 with Retry-After, the minute's requests are used up.
        """
        if self.used > self.per_minute:
            text = f"At most {self.per_minute} requests per minute. Continue in {self.seconds} s."
            raise Problem(429, "rate_limited", text, headers={"Retry-After": str(self.seconds)})


def count_request(caller: str, *, name: str, per_minute: int) -> Budget:
    """Count one request of `caller`, such as "token:7", and return its budget."""
    used, seconds = _count_caller(caller)
    return Budget(name=name, per_minute=per_minute, used=used, seconds=max(seconds, 1))


def check_limit(caller: str, *, per_minute: int) -> None:
    """
    Count one request of `caller`.

    Raises:
        Problem: 429 with Retry-After, the minute's requests are used up.
    """
    count_request(caller, name="pages", per_minute=per_minute).check()


def is_first_of_minute(caller: str) -> bool:
    """Count an event of `caller`, and return whether it is the first within a minute."""
    used, _ = _count_caller(caller)
    return used == 1


def _count_caller(caller: str) -> tuple[int, int]:
    """Return the count of this minute, and the seconds until the minute is over."""
    used, seconds = statements.only_row("count_request", {"caller": caller}, prepare=True)
    return used, seconds


class RateLimitMiddleware:
    """
    Adds the rate limit headers to answers of the API, including errors. Authentication sets `request.budget`.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        budget: Budget | None = getattr(request, "budget", None)
        for name, value in (budget.headers if budget else {}).items():
            response.headers[name] = value
        return response


# The limit of pages per minute of a user or, before login, of an address.
#
# Source: docs/contributing/spec/promises.md, S-41.
#
# It is generous: it stops runaway scripts, not people with many tabs. The API counts its own calls.
# The web server serves static files, so they never get here. The manual answers without a database, so its
# pages are not counted.
_UNCOUNTED = (API_PREFIX, MANUAL, "/health/", "/metrics")
_READS = {"GET", "HEAD"}
# Reports of browsers about pages are logged, and anyone can send them.
REPORTS_PER_MINUTE = 60
# Addresses share this many counters, which limits the rows of their table. The secret key decides which
# addresses share one.
_SHARES = 4096


class PageLimitMiddleware:
    """Limits pages per minute. It comes after Django's AuthenticationMiddleware."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., HttpResponse],
        args: list[str],
        kwargs: dict[str, object],
    ) -> HttpResponse | None:
        if request.path_info.startswith(_UNCOUNTED):
            return None
        caller, per_minute = _name_of_caller(request), settings.PAGES_PER_MINUTE
        if request.path_info == REPORTS_PATH:
            caller, per_minute = _name_of_reporter(request), REPORTS_PER_MINUTE
        try:
            if caller:
                # An error while counting must not break a surrounding transaction, such as a test's.
                with transaction.atomic() if connection.in_atomic_block else nullcontext():
                    check_limit(caller, per_minute=per_minute)
        except Problem as problem:
            return problem_response(problem, request)
        except DatabaseError as error:
            # If the database is read-only, as on a replica, pages can still be read.
            return None if request.method in _READS else _refuse_on_error(error, request)
        return None


def _refuse_on_error(error: DatabaseError, request: HttpRequest) -> HttpResponse:
    problem = problem_of(error)
    if problem is None:
        raise error
    return problem_response(problem, request)


def _name_of_caller(request: HttpRequest) -> str:
    """
    Return the name of the caller's counter; empty if the address is shared by everyone, as behind a proxy.
    """
    if request.user.is_authenticated:
        return f"pages:{request.user.pk}"
    address = countable_address(request)
    return f"pages-before-login:{_share_of_address(address)}" if address else ""


def _name_of_reporter(request: HttpRequest) -> str:
    """
    Return the counter of a report: its address, not its user, because reports must not use up the user's
    pages.
    """
    return f"policy-reports:{_share_of_address(address_of(request) or '')}"


def _share_of_address(address: str) -> int:
    return int(salted_hmac("page-limit", address).hexdigest(), 16) % _SHARES
