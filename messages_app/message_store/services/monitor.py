"""
The monitor of the message store: it queues messages for the workers and takes back what dead workers held.

Eligible are messages in status 0, due messages in 2, and messages that have been in work for longer than the
timeout; by message_timestamp, then identifier. Of the messages that are due at most a thousand are put in
order, the longest due first. Every age is by the database's clock.

Source: docs/contributing/spec/message_store.md, "Monitor and retries", "Console", "Hard cases" cases 6 and 8.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime

from django.db import connection, transaction
from django_celery_beat.models import IntervalSchedule, PeriodicTask, PeriodicTasks

from messages_app.audit import services as audit
from messages_app.core.statements import Statements
from messages_app.message_store.errors import InvalidInput
from messages_app.message_store.monitor_models import StoreSetting
from messages_app.message_store.services.attempt import attempt_many
from messages_app.message_store.services.begin import take_queued
from messages_app.message_store.services.end import abandon_attempt
from messages_app.message_store.settings import RANGES, current_limits, set_here
from messages_app.shared.store_states import Status

statements = Statements("messages_app.message_store")


_FENCE = 1_000
_BATCH = 100
_PICK = "message_store:pick"


def fill_queue() -> int:
    """Queue waiting messages (status 3), up to the queue's depth; return their number."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            # Two scans at the same time would select the same messages.
            cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [_PICK])
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


# The time of the last scan; and the interval, which is in a row of the scheduler. It checks its rows every
# five seconds.
#
# The scheduler writes the environment's interval into the row at each start. If administrators have set
# another one, the next scan writes it again; otherwise the row stays, because it may be changed manually.


TASK = "messages_app.message_store.tasks.monitor_message_store"


def keep_interval() -> bool:
    """Write the interval that was set here, if any, to the scheduler; return whether it was different."""
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


# The workers' loop: it processes queued messages until none is left or its time is up.
#
# At most `threads` of settings.py loops run at the same time, in any number of processes: each holds a
# place, a lock of its database session, which ends with the session. A lost task does no harm, because the
# monitor starts loops at every scan.


# Any number that no other lock of two numbers begins with.
_PLACES = 1_297_306_701
# If no message is queued and none can be, another loop may have filled the queue in between. A loop that
# ended immediately would leave its place empty until the next scan.
_MISSES = 2


def work_for(*, seconds: float) -> int | None:
    """
    Process queued messages, and queue further ones, for this long at most.

    Returns:
        The number of attempts; None if every place is taken.
    """
    with _hold_place() as place:
        return None if place is None else _work_until(time.monotonic() + seconds, _share_of_place())


def is_anything_left() -> bool:
    """Whether a message is queued or waits for it."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT FROM message_line WHERE status IN (1, 3) AND status = 3)"
            " OR EXISTS (SELECT FROM message_line WHERE status = 0 AND muted_at IS NULL)"
            " OR EXISTS (SELECT FROM message_line WHERE status = 2 AND muted_at IS NULL"
            "             AND next_attempt_timestamp <= statement_timestamp())"
        )
        return cursor.fetchone()[0]


def _share_of_place() -> int:
    """Return how many queued messages a loop takes at a time: those of its place."""
    now = current_limits()
    return max(1, now.queue // now.threads)


def _work_until(deadline: float, share: int) -> int:
    attempts = misses = 0
    while misses < _MISSES and time.monotonic() < deadline:
        if batch := take_queued(most=share):
            attempt_many(batch)
            attempts += len(batch)
            misses = 0
        elif fill_queue() == 0:
            misses += 1
    return attempts


@contextmanager
def _hold_place() -> Iterator[int | None]:
    place = next(filter(_take_place, range(current_limits().threads)), None)
    try:
        yield place
    finally:
        if place is not None and connection.is_usable():
            _ask_lock("SELECT pg_advisory_unlock(%s, %s)", place)


def _take_place(place: int) -> bool:
    return _ask_lock("SELECT pg_try_advisory_lock(%s, %s)", place)


def _ask_lock(sql: str, place: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(sql, [_PLACES, place])
        return cursor.fetchone()[0]


# Changing the monitor's settings, and giving them back to the environment.
#
# Source: docs/contributing/spec/message_store.md, "Console".


def set_limits(*, values: Mapping[str, float], actor: audit.Actor, reason: str) -> None:
    """
    Set some of the monitor's settings, for every process, from its next attempt or scan on.

    Args:
        values: by the names of settings.RANGES.

    Raises:
        InvalidInput: a name is unknown, or a value is out of its range.
    """
    for name, value in values.items():
        if name not in RANGES:
            raise InvalidInput(name, "out_of_range", f"There is no setting {name}.")
        least, most = RANGES[name]
        if not least <= value <= most:
            raise InvalidInput(name, "out_of_range", f"{name} must be from {least} to {most}.")
    with transaction.atomic():
        before = set_here()
        rows = [StoreSetting(name=name, value=value) for name, value in values.items()]
        StoreSetting.objects.bulk_create(
            rows, update_conflicts=True, unique_fields=["name"], update_fields=["value"]
        )
        _finish_change(actor, before, reason)


def unset_limits(*, actor: audit.Actor, reason: str) -> None:
    """Reset all settings to the environment's."""
    with transaction.atomic():
        before = set_here()
        StoreSetting.objects.all().delete()
        _finish_change(actor, before, reason)


def _finish_change(actor: audit.Actor, before: Mapping[str, float], reason: str) -> None:
    """Update the scheduler if the interval has changed, and write the audit entry."""
    after = set_here()
    if after.get("interval") != before.get("interval"):
        scan_every(current_limits().interval)
    details = {"before": dict(before), "after": after}
    audit.record_entry(actor=actor, action="set_store_monitor", reason=reason, details=details)


# Repairing lines and their counts, after a gap in what triggers recorded.
#
# Source: docs/contributing/decisions/0023-triggers-never-fail-the-hub.md.


# Lines found in one check of all lines, and lines locked at a time.
_MAX_FOUND, _MAX_HELD = 100_000, 500
# A line that is written at the same time may be wrong again.
_MAX_LOOKS = 1_000


def rebuild_lines(**_: object) -> str:
    """Repair every line and count all lines again; return how many lines were wrong."""
    return f"{mend_lines()} lines of the message store were missing or wrong."


def mend_lines() -> int:
    """Rewrite every line from its rows, count all lines again, and return how many lines were wrong."""
    mended = 0
    for _ in range(_MAX_LOOKS):
        (wrong,) = statements.only_row("find_wrong_lines", {"most": _MAX_FOUND})
        if not wrong:
            break
        mended += sum(
            _mend_by_identifiers(wrong[first : first + _MAX_HELD])
            for first in range(0, len(wrong), _MAX_HELD)
        )
    mended += statements.count("add_lines_of_history", {}) + statements.count("remove_empty_lines", {})
    _count_again()
    return mended


@transaction.atomic
def _mend_by_identifiers(identifiers: Sequence[str]) -> int:
    statements.fetch_row("hold_lines", {"identifiers": identifiers})
    return statements.count("mend_lines", {"identifiers": identifiers})


@transaction.atomic
def _count_again() -> None:
    """Replace the counts by those of one snapshot. A pass that comes in between makes this fail."""
    with connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
    statements.count("forget_counts", {})
    statements.count("count_again", {})
