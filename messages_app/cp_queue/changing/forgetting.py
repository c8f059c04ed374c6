"""Old lines of the log, of lost pickups and of services that are gone, removed in small batches."""

from django.conf import settings

from messages_app.cp_queue.sending import count_of

_BATCH, _MOST_BATCHES = 5_000, 200
_LOST_DAYS, _SERVICE_DAYS = 7, 30


def forget_old_log() -> int:
    """Remove dispatches older than settings.CP_LOG_DAYS, and what else is old; return how many dispatches."""
    count_of("forget_lost", {"days": _LOST_DAYS})
    count_of("forget_services", {"days": _SERVICE_DAYS})
    removed = 0
    for _ in range(_MOST_BATCHES):
        found = count_of("forget_dispatches", {"days": settings.CP_LOG_DAYS, "limit": _BATCH})
        removed += found
        if found < _BATCH:
            break
    return removed
