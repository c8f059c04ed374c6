"""
How many requests a minute one caller of the API may make, and the headers that tell it on every answer.

Counted in one statement, so that any number of processes let no more through.

Source: docs/spec/interfaces.md, "Rules of the API" (429); docs/spec/promises.md, S-41;
docs/spec/bad_input.md, A77; draft-ietf-httpapi-ratelimit-headers.
"""

from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings
from django.db import DatabaseError, transaction
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

from messages_app.access.actors import address_of
from messages_app.access.throttling import countable_address
from messages_app.core.error_handlers import problem_of
from messages_app.core.middleware import REPORTS_PATH
from messages_app.core.problems import API_PREFIX, Problem, problem_response
from messages_app.core.statements import Statements

statements = Statements("messages_app.access")


_SECONDS = 60


@dataclass(frozen=True, kw_only=True)
class Budget:
    """
    What one caller may ask, and what is left of it.

    Args:
        name: of the limit.
        used: requests in this minute, this one too.
        seconds: until the minute is over.
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
    """Count one request of `caller`, such as "token:7", and return what that leaves."""
    used, seconds = _count(caller)
    return Budget(name=name, per_minute=per_minute, used=used, seconds=max(seconds, 1))


def check_limit(caller: str, *, per_minute: int) -> None:
    """
    Count one request of `caller`.

    Raises:
        Problem: 429 with Retry-After, the minute's requests are used up.
    """
    count_request(caller, name="pages", per_minute=per_minute).check()


def is_first_of_minute(caller: str) -> bool:
    """Count what `caller` did, and return whether it is the first time within a minute."""
    used, _ = _count(caller)
    return used == 1


def _count(caller: str) -> tuple[int, int]:
    """Return the count of this minute, and the seconds until its end."""
    used, seconds = statements.only_row("count_request", {"caller": caller})
    return used, seconds


class RateLimitMiddleware:
    """Adds the rate limit to answers of the API, also to errors; authentication sets `request.budget`."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        budget: Budget | None = getattr(request, "budget", None)
        for name, value in (budget.headers if budget else {}).items():
            response.headers[name] = value
        return response


# How many pages a minute one user may open; before a log-in, one address.
#
# Source: docs/spec/promises.md, S-41.
#
# Generous: it stops a script that runs wild, not people with many tabs. The API counts its own calls.


# Static files never come so far.
_UNCOUNTED = (API_PREFIX, "/health/", "/metrics")
_READS = {"GET", "HEAD"}
# What browsers report of pages is written to the log, by anyone who sends it.
REPORTS_PER_MINUTE = 60
# Addresses share so many counts, so that their table has no more rows; who shares one, the key decides.
_SHARES = 4096


class PageLimitMiddleware:
    """Is behind Django's AuthenticationMiddleware."""

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
    """Return by what the request is counted; empty: by nothing, for its address would be everyone's."""
    if request.user.is_authenticated:
        return f"pages:{request.user.pk}"
    address = countable_address(request)
    return f"pages-before-login:{_share(address)}" if address else ""


def _reporter(request: HttpRequest) -> str:
    """Return by what a report is counted: its address, and never its user, whose pages it would use up."""
    return f"policy-reports:{_share(address_of(request) or '')}"


def _share(address: str) -> int:
    return int(salted_hmac("page-limit", address).hexdigest(), 16) % _SHARES
