"""
The numbers in the menu, which count only things that need a person.

Each is counted by an index and stops at a limit. The menu of an open page asks for them every few seconds, in
the request for the failing messages, so they have a time limit, and are used again for some
seconds. A number that cannot be read is left out.
"""

import logging
import time
from collections.abc import Callable, Mapping

from django.core.cache import cache
from django.db import DatabaseError, connection

from messages_app.core.clock import TooSlow, time_limit
from messages_app.core.store_functions import functions_of_stores
from messages_app.incidents.listing import count_unowned
from messages_app.jobs.models import Job
from messages_app.shared.job_states import ACTIVE_STATES, JobState, PauseReason

logger = logging.getLogger(__name__)

# Of one count.
_COUNT_MS = 200
# Counts are used again this long, for all users of a process; longer if they took long together.
_KEPT_SECONDS = 3
_SLOW_SECONDS = 0.05
_SLOW_KEPT_SECONDS = 10
_KEPT_AS = "menu-counts"
_MAX_JOBS = 100

Counts = Mapping[str, int]


def read_menu_counts() -> Counts:
    """Return the numbers by name. A number that cannot be read is missing."""
    if connection.needs_rollback:
        return {}
    key = f"{_KEPT_AS}-{connection.settings_dict['NAME']}"
    latest: Counts | None = cache.get(key)
    if latest is not None:
        return latest
    began_at = time.monotonic()
    counts = _count_all(_make_sources())
    is_slow = time.monotonic() - began_at > _SLOW_SECONDS
    cache.set(key, counts, _SLOW_KEPT_SECONDS if is_slow else _KEPT_SECONDS)
    return counts


def count_unfinished_jobs() -> int:
    """Return the number of jobs that have not ended, up to a limit; previews do not count."""
    # A preview ends in `planned`, and a job waits there only for a second person, so each part has an index.
    unended = Job.objects.filter(state__in=sorted(ACTIVE_STATES - {JobState.PLANNED}), dry_run=False)
    undecided = Job.objects.filter(state=JobState.PLANNED, paused_for=PauseReason.SECOND_PERSON)
    return unended[:_MAX_JOBS].count() + undecided[:_MAX_JOBS].count()


def _make_sources() -> dict[str, Callable[[], int]]:
    sources = {"incidents": count_unowned, "jobs": count_unfinished_jobs}
    for functions in functions_of_stores():
        sources |= functions.menu_counts
    return sources


def _count_all(sources: Mapping[str, Callable[[], int]]) -> dict[str, int]:
    """
    Run the counts in one transaction.

    A count that is too slow ends the transaction, and the others run in another one.
    """
    counts: dict[str, int] = {}
    names = list(sources)
    while names:
        try:
            with time_limit(_COUNT_MS):
                while names:
                    name = names.pop()
                    counts[name] = sources[name]()
        except DatabaseError as error:
            logger.warning("The number of %s in the menu could not be read.", name, exc_info=True)
            if not isinstance(error, TooSlow):
                return counts
    return counts
