"""How many rows a list has: an estimate at once, the number on request and within a time."""

from collections.abc import Callable
from dataclasses import dataclass

from django.db import OperationalError

from messages_app.web.time_limits import was_too_slow

EXACT_COUNT_MS = 2000


@dataclass(frozen=True, kw_only=True)
class Counted:
    """
    Args:
        number: rows.
        is_exact: they were counted; else it is the planner's estimate, because counting took too long.
    """

    number: int
    is_exact: bool

    @property
    def seconds(self) -> int:
        """How long counting may take."""
        return EXACT_COUNT_MS // 1000


def counted(exact: Callable[[], int], estimate: Callable[[], int]) -> Counted:
    """Return what `exact` counts; past its time limit, what `estimate` says."""
    try:
        return Counted(number=exact(), is_exact=True)
    except OperationalError as error:
        if not was_too_slow(error):
            raise
        return Counted(number=estimate(), is_exact=False)
