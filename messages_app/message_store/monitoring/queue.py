"""
Queueing messages for the workers, and taking back what dead ones held.

Eligible are 0, 2 that is due, and what has been in work for longer than the timeout; by message_timestamp,
then identifier. Of the ones that are due and wait their turn at most a thousand are put in order, the longest
due first. Every age is by the database's clock.

Source: docs/spec/message_store.md, "Monitor and retries", "Hard cases" cases 6 and 8.
"""

from datetime import datetime

from django.db import connection, transaction
from django_celery_beat.models import IntervalSchedule, PeriodicTask, PeriodicTasks

from messages_app.core.statements import Statements
from messages_app.message_store.processing.end import abandon
from messages_app.message_store.settings import limits, set_here
from messages_app.shared.store_states import Status

statements = Statements("messages_app.message_store")


_FENCE = 1_000
_BATCH = 100
_PICK = "message_store:pick"


def fill_queue() -> int:
    """Bring messages that wait into status 3, up to the queue's depth; return how many came."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            # Two that choose at once would choose the same.
            cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [_PICK])
        places = limits().queue - statements.row("queued", {})[0]
        return statements.count("fill_queue", {"places": places, "fence": _FENCE}) if places > 0 else 0


def take_back_dead() -> int:
    """Abandon attempts, and places in the queue, that are older than the timeout; return how many."""
    timeout = limits().process_timeout
    held = statements.rows("held_too_long", {"seconds": timeout, "limit": _BATCH})
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
            statements.count("note_timeout", {"status": status})
    return is_done


def fold_counts() -> int:
    """Add the changes of the dashboard's counts to them; return how many changes."""
    with transaction.atomic():
        return statements.count("fold_counts", {"limit": 50_000})


# When the monitor has scanned, and how often it does: a row of the scheduler's, which checks its rows
# every five seconds.
#
# The scheduler writes the environment's interval into it at each of its starts; where administrators have
# set another one, the next scan writes that again. Nothing is written where no one has: the row may be
# changed by hand.


TASK = "messages_app.message_store.tasks.monitor_message_store"


def keep_interval() -> bool:
    """Have the scheduler keep to the interval that was set here, if any; say whether it had another."""
    seconds = set_here().get("interval")
    return seconds is not None and scan_every(seconds)


def scan_every(seconds: float) -> bool:
    """Set the scheduler's interval; return whether it was different."""
    # The scheduler's own table lets an interval be there twice.
    asked = {"every": round(seconds), "period": IntervalSchedule.SECONDS}
    interval = IntervalSchedule.objects.filter(**asked).first() or IntervalSchedule.objects.create(**asked)
    others = PeriodicTask.objects.filter(task=TASK).exclude(interval=interval, crontab=None, solar=None)
    if not others.update(interval=interval, crontab=None, solar=None, clocked=None):
        return False
    PeriodicTasks.update_changed()
    return True


def note_scan() -> None:
    """Write down that a scan is done now."""
    statements.count("note_scan", {})
