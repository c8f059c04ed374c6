"""
What the reason of a dispatch does with its message.

The vendor does not list the reasons. Where it is silent the arrow of spec/other-systems.md 3.8 holds: RETRY,
in any case of letters, keeps the message; OK is a success; any other one removes it and is logged as a
failure.
"""

from messages_app.cp_queue.states import Outcome

OK = "OK"
RETRY = "RETRY"


def is_retry(reason: str) -> bool:
    return reason.casefold() == RETRY.casefold()


def ended_as(reason: str) -> Outcome:
    """Return how a message ended that a dispatch removes."""
    return Outcome.DONE if reason.casefold() == OK.casefold() else Outcome.FAILED


def delay_seconds(attempts: int, *, first: float, longest: float) -> float:
    """Return how long a message waits after so many attempts, at least one: twice as long each time."""
    return min(longest, first * 2 ** min(attempts - 1, 30))
