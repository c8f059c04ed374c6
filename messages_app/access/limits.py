"""
How many requests a minute one caller of the API may make, and the headers that tell it on every answer.

Counted in one statement, so that any number of processes let no more through. Source: spec/interfaces.md 4
(429); reliability S-41, A77; draft-ietf-httpapi-ratelimit-headers for the fields.
"""

from collections.abc import Callable
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse

from messages_app.access.sending import row_of
from messages_app.web.problems import Problem

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
            text = f"At most {self.per_minute} requests a minute; go on in {self.seconds} s."
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
    """Return how often it is by now, and in how many seconds the minute is over."""
    return row_of("count_request", {"caller": caller})


class RateLimitMiddleware:
    """Tells a caller of the API its limit, on errors too; `request.budget` is what authentication counted."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        budget: Budget | None = getattr(request, "budget", None)
        for name, value in (budget.headers if budget else {}).items():
            response.headers[name] = value
        return response
