"""What Celery's beat has done again and again. Administrators change the times in the admin."""

from collections.abc import Iterable, Mapping

from messages_app.core.stores import Periodic, Store

_OF_CONSOLE = {
    "sweep-jobs": Periodic(task="messages_app.jobs.tasks.sweep_jobs", seconds=10.0),
    # A look that comes late is one too many.
    "watch-jobs": Periodic(task="messages_app.jobs.tasks.watch_jobs", seconds=5.0, expires=True),
    "remove-old-exports": Periodic(
        task="messages_app.jobs.exports.tasks.remove_old_exports", seconds=300.0, expires=True
    ),
    "seal-audit": Periodic(task="messages_app.audit.tasks.seal_audit", seconds=60.0, expires=True),
    "forget-old-keys": Periodic(task="messages_app.access.tasks.forget_old_keys", seconds=3600.0),
    "forget-old-tries": Periodic(task="messages_app.access.tasks.forget_old_tries", seconds=3600.0),
    "forget-ended-sessions": Periodic(task="messages_app.access.tasks.forget_ended_sessions", seconds=3600.0),
}


def schedule(stores: Iterable[Store], settings: Mapping[str, object]) -> dict[str, dict]:
    """
    Return Celery's table of periodic tasks by name, of the console itself and of stores; times are seconds.

    Args:
        settings: where a task names the setting that has its time.
    """
    found = dict(_OF_CONSOLE)
    for store in stores:
        found |= store.periodic
    return {name: _entry(each, settings) for name, each in found.items()}


def _entry(periodic: Periodic, settings: Mapping[str, object]) -> dict[str, object]:
    seconds = settings[periodic.seconds] if isinstance(periodic.seconds, str) else periodic.seconds
    entry = {"task": periodic.task, "schedule": seconds}
    return entry | {"options": {"expires": seconds}} if periodic.expires else entry
