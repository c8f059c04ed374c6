"""
When the monitor has scanned, and how often it does: a row of the scheduler's, which looks at its rows every
five seconds.

The scheduler writes the environment's interval into it at each of its starts; where administrators have set
another one, the next scan writes that again. Nothing is written where nobody has: the row may be changed by
hand.
"""

from django_celery_beat.models import IntervalSchedule, PeriodicTask, PeriodicTasks

from messages_app.message_store.limits import set_here
from messages_app.message_store.sql import count_of

TASK = "messages_app.message_store.tasks.monitor_message_store"


def keep_interval() -> bool:
    """Have the scheduler keep to the interval that was set here, if any; say whether it had another."""
    seconds = set_here().get("interval")
    return seconds is not None and scan_every(seconds)


def scan_every(seconds: float) -> bool:
    """Have the scheduler scan so often; say whether it had another interval."""
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
    count_of("note_scan", {})
