"""Beat's way in: the id of a schedule comes in, one call goes out."""

from celery import shared_task

from messages_app.core.problems import shown
from messages_app.jobs.schedules import runs


@shared_task
def run_schedule(schedule_id: object = None, *more: object, **_: object) -> None:
    """
    Make the job of a schedule, if it is there, enabled and this run was not taken yet.

    Raises:
        ValueError: somebody has edited the periodic task in the admin, and it names no schedule any more.
    """
    if not isinstance(schedule_id, int) or isinstance(schedule_id, bool) or more:
        asked = shown(str([schedule_id, *more]))
        text = f"A periodic task of run_schedule takes the number of one schedule, such as [3], not {asked}."
        raise ValueError(text)
    runs.run_schedule(schedule_id=schedule_id)
