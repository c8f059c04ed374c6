"""The periodic tasks of Celery beat. Administrators can change the intervals in the admin."""

from collections.abc import Iterable, Mapping

from messages_app.core.stores import Periodic, Store

_OF_CONSOLE = {
    "sweep-jobs": Periodic(task="messages_app.jobs.tasks.sweep_jobs", seconds=10.0),
    # A late run is dropped, because the next one does the same.
    "watch-jobs": Periodic(task="messages_app.jobs.tasks.watch_jobs", seconds=5.0, expires=True),
    "remove-old-exports": Periodic(
        task="messages_app.jobs.tasks.remove_old_exports", seconds=300.0, expires=True
    ),
    "send-webhooks": Periodic(
        task="messages_app.jobs.webhooks.tasks.send_webhooks", seconds=5.0, expires=True
    ),
    "forget-old-deliveries": Periodic(
        task="messages_app.jobs.webhooks.tasks.forget_old_deliveries", seconds=3600.0
    ),
    "seal-audit": Periodic(task="messages_app.audit.tasks.seal_audit", seconds=30.0, expires=True),
    "stream-audit": Periodic(task="messages_app.audit.tasks.stream_audit", seconds=10.0, expires=True),
    "forget-old-keys": Periodic(task="messages_app.access.tasks.forget_old_keys", seconds=3600.0),
    "forget-old-tries": Periodic(task="messages_app.access.tasks.forget_old_tries", seconds=3600.0),
    "forget-ended-sessions": Periodic(task="messages_app.access.tasks.forget_ended_sessions", seconds=3600.0),
}


def make_schedule(stores: Iterable[Store], settings: Mapping[str, object]) -> dict[str, dict]:
    """
    Return Celery's table of periodic tasks by name, for the console and its stores.

    Args:
        settings: values of the settings that tasks name for their interval, in seconds.
    """
    entries = dict(_OF_CONSOLE)
    for store in stores:
        entries |= store.periodic
    return {name: _make_entry(each, settings) for name, each in entries.items()}


def _make_entry(periodic: Periodic, settings: Mapping[str, object]) -> dict[str, object]:
    seconds = settings[periodic.seconds] if isinstance(periodic.seconds, str) else periodic.seconds
    entry = {"task": periodic.task, "schedule": seconds}
    return entry | {"options": {"expires": seconds}} if periodic.expires else entry
