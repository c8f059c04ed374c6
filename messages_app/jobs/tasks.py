"""Celery's way in: an id comes in, one call goes out."""

from celery import shared_task
from celery.worker.control import inspect_command

from messages_app.jobs import exports
from messages_app.jobs.engine import watch
from messages_app.jobs.engine.warmth import warmth


@inspect_command()
def spark_warmth(state: object) -> str:
    """Answer how far this worker's Spark session is; every worker is asked, and most have none."""
    return warmth()


@shared_task
def run_job(job_id: int, **_: object) -> None:
    """Work on a job, if nobody else does. Delivered twice, the second finds the job taken."""
    from messages_app.jobs.engine import runner  # here, for it loads Spark's client: see CELERY_IMPORTS

    runner.run_job(job_id=job_id)


@shared_task
def sweep_jobs(**_: object) -> None:
    """Hand on every live job that nobody works on."""
    watch.sweep_jobs()


@shared_task
def watch_jobs(**_: object) -> None:
    """Look at the jobs that wait for something, or may have to stop."""
    watch.watch_jobs()


# The name is the one under which schedules that are stored call it.
@shared_task(name="messages_app.jobs.exports.tasks.remove_old_exports")
def remove_old_exports(**_: object) -> None:
    """Remove exports that have expired."""
    exports.remove_old_exports()
