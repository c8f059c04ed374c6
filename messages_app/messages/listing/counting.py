"""How many messages a list has: an estimate at once, the number on request and within a time."""

from dataclasses import dataclass

from django.db import OperationalError

from messages_app.messages import queries
from messages_app.messages.filtering.filters import MessageFilter
from messages_app.web.time_limits import was_too_slow

EXACT_COUNT_MS = 2000


@dataclass(frozen=True, kw_only=True)
class Counted:
    """
    Args:
        number: messages.
        is_exact: they were counted; else it is the planner's estimate, because counting took too long.
    """

    number: int
    is_exact: bool

    @property
    def seconds(self) -> int:
        """How long counting may take."""
        return EXACT_COUNT_MS // 1000


def count(filters: MessageFilter, *, timeout_ms: int = EXACT_COUNT_MS) -> Counted:
    """Count the list's messages; past the time limit, estimate them."""
    try:
        return Counted(number=queries.exact_count(filters, timeout_ms=timeout_ms), is_exact=True)
    except OperationalError as error:
        if not was_too_slow(error):
            raise
        return Counted(number=queries.estimated_count(filters), is_exact=False)
