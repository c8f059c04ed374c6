"""Funnels and schedules that the next shift has to watch. Each is read apart from the other."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from django.db import DatabaseError

from messages_app.core.clock import time_limit
from messages_app.jobs.schedules.selectors import FailedSchedule, failed_schedules
from messages_app.messages.funnels.lanes import Sketch
from messages_app.messages.funnels.selectors import long_held_lanes

logger = logging.getLogger(__name__)

T = TypeVar("T")
# Of each of them.
_READ_MS = 500


@dataclass(frozen=True, kw_only=True)
class Watch:
    """
    Args:
        lanes: funnel values that messages wait for longer than they should, the longest wait first.
        schedules: schedules whose last run failed.
        unread: the names of lists that could not be read.
    """

    lanes: Sequence[Sketch] = ()
    schedules: Sequence[FailedSchedule] = ()
    unread: Sequence[str] = ()


def read_watch() -> Watch:
    """Return what to watch."""
    lanes, schedules = _read_rows("Funnels", long_held_lanes), _read_rows("Schedules", failed_schedules)
    unread = [name for name, rows in (("Funnels", lanes), ("Schedules", schedules)) if rows is None]
    return Watch(lanes=lanes or [], schedules=schedules or [], unread=unread)


def _read_rows(name: str, read: Callable[[], list[T]]) -> list[T] | None:
    """Return the rows; None if they cannot be read, such as without a right on a table of the hub."""
    try:
        with time_limit(_READ_MS):
            return read()
    except DatabaseError:
        logger.warning("%s could not be read for the handover.", name, exc_info=True)
        return None
