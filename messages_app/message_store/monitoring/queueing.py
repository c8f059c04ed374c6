"""
Queueing messages for the workers, and taking back what dead ones held.

Source: spec/other-systems.md 2.6: eligible are 0, 2 that is due ("at or after", 2.10 case 6), and what has
been in work longer than the timeout; by message_timestamp, then identifier. Of those that are due and wait
their turn at most a thousand are put in order, the longest due first. Every age is by the database's clock
(case 8).
"""

from datetime import datetime

from django.db import connection, transaction

from messages_app.message_store.limits import limits
from messages_app.message_store.processing.finishing import abandon
from messages_app.message_store.sql import count_of, row_of, rows_of
from messages_app.message_store.states import Status

_FENCE = 1_000
_BATCH = 100
_PICK = "message_store:pick"


def fill_queue() -> int:
    """Bring messages that wait into status 3, up to the queue's depth; return how many came."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            # Two that choose at once would choose the same.
            cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [_PICK])
        places = limits().queue - row_of("queued", {})[0]
        return count_of("fill_queue", {"places": places, "fence": _FENCE}) if places > 0 else 0


def take_back_dead() -> int:
    """Abandon attempts, and places in the queue, that are older than the timeout; return how many."""
    timeout = limits().process_timeout
    held = rows_of("held_too_long", {"seconds": timeout, "limit": _BATCH})
    words = {
        Status.PROCESSING: f"Abandoned: the attempt did not end within {timeout:g} s.",
        Status.QUEUED: f"Abandoned: queued for more than {timeout:g} s, and no attempt began.",
    }
    return sum(
        _take_back(identifier, status, started_at, why=words[Status(status)])
        for identifier, status, started_at in held
    )


def _take_back(identifier: str, status: int, started_at: datetime | None, *, why: str) -> bool:
    with transaction.atomic():
        is_done = abandon(identifier=identifier, status=status, started_at=started_at, why=why)
        if is_done:
            count_of("note_timeout", {"status": status})
    return is_done


def fold_counts() -> int:
    """Add the changes of the dashboard's counts to them; return how many changes."""
    with transaction.atomic():
        return count_of("fold_counts", {"limit": 50_000})
