"""
The monitor of the message store: it queues messages for the workers and takes back what dead workers held.

Eligible are messages in status 0, due messages in 2, and messages that have been in work for longer than the
timeout; by message_timestamp, then identifier. Of the messages that are due at most a thousand are put in
order, the longest due first. Every age is by the database's clock.

Source: docs/contributing/spec/message_store.md, "Monitor and retries", "Console", "Hard cases" cases 6 and 8.
"""

from datetime import datetime

from django.db import transaction
from django_celery_beat.models import IntervalSchedule, PeriodicTask, PeriodicTasks

from messages_app.core.statements import Statements
from messages_app.core.transaction_locks import TransactionLock
from messages_app.message_store.services.end import abandon_attempt
from messages_app.message_store.settings import changed_settings, current_limits
from messages_app.shared.store_states import Status

statements = Statements("messages_app.message_store")


_FENCE = 1_000
_BATCH = 100
_PICKING = TransactionLock("message_store:pick")


def fill_queue() -> int:
    """Queue waiting messages (status 3), up to the queue's depth; return their number."""
    with transaction.atomic():
        # Two scans at the same time would select the same messages.
        _PICKING.acquire()
        (queued,) = statements.only_row("queued", {})
        places = current_limits().queue - queued
        return statements.count("fill_queue", {"places": places, "fence": _FENCE}) if places > 0 else 0


def take_back_dead() -> int:
    """Abandon attempts and queued messages that are older than the timeout; return how many."""
    timeout = current_limits().process_timeout
    held = statements.fetch_rows("held_too_long", {"seconds": timeout, "limit": _BATCH})
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
        is_done = abandon_attempt(identifier=identifier, status=status, started_at=started_at, why=why)
        if is_done:
            statements.count("note_timeout", {"status": status})
    return is_done


def fold_counts() -> int:
    """Add the changes of the dashboard's counts to them; return the number of counts written."""
    with transaction.atomic():
        return statements.count("fold_counts", {"limit": 50_000})


TASK = "messages_app.message_store.tasks.monitor_message_store"


def keep_interval() -> bool:
    """Write the interval that was set here, if any, to the scheduler; return whether it was different."""
    seconds = changed_settings().get("interval")
    return seconds is not None and scan_every(seconds)


def scan_every(seconds: float) -> bool:
    """Set the scheduler's interval; return whether it was different."""
    # The scheduler's own table lets an interval be there twice.
    values = {"every": round(seconds), "period": IntervalSchedule.SECONDS}
    intervals = IntervalSchedule.objects
    interval = intervals.filter(**values).first() or intervals.create(**values)
    others = PeriodicTask.objects.filter(task=TASK).exclude(interval=interval, crontab=None, solar=None)
    if not others.update(interval=interval, crontab=None, solar=None, clocked=None):
        return False
    PeriodicTasks.update_changed()
    return True


def note_scan() -> None:
    """Write down that a scan is done now."""
    statements.count("note_scan", {})
