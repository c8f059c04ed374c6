"""
How many requests a minute one caller of the API may make.

Counted in one statement, so that any number of processes let no more through. Source: spec/interfaces.md 4
(429); reliability S-41, A77.
"""

from messages_app.access.sending import row_of
from messages_app.web.problems import Problem


def check_limit(caller: str, *, per_minute: int) -> None:
    """
    Count one request of `caller`, such as "token:7".

    Raises:
        Problem: 429 with Retry-After, the minute's requests are used up.
    """
    used, seconds = _count(caller)
    if used > per_minute:
        text = f"At most {per_minute} requests a minute; go on in {max(seconds, 1)} s."
        raise Problem(429, "rate_limited", text, headers={"Retry-After": str(max(seconds, 1))})


def is_first_of_minute(caller: str) -> bool:
    """Count what `caller` did, and return whether it is the first time within a minute."""
    used, _ = _count(caller)
    return used == 1


def _count(caller: str) -> tuple[int, int]:
    """Return how often it is by now, and in how many seconds the minute is over."""
    return row_of("count_request", {"caller": caller})
