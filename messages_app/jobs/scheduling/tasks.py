"""Beat's way in: the id of a schedule comes in, one call goes out."""

from celery import shared_task

from messages_app.jobs.scheduling import running


@shared_task
def run_schedule(schedule_id: int, **_: object) -> None:
    """Make the job of a schedule, if it is there, enabled and this run was not taken yet."""
    running.run_schedule(schedule_id=schedule_id)
