"""The Celery tasks of jobs. Each takes at most an id and makes one call."""

from celery import shared_task
from celery.worker.control import inspect_command

from messages_app.jobs import exports
from messages_app.jobs.engine import watch
from messages_app.jobs.engine.warmth import current_warmth


@inspect_command()
def spark_warmth(state: object) -> str:
    """Return the state of this worker's Spark session. All workers are asked, and most have no session."""
    return current_warmth()


@shared_task
def run_job(job_id: int, **_: object) -> None:
    """Run a job, unless another worker has it. A second delivery finds the job claimed."""
    # Imported here because it loads Spark's client: see CELERY_IMPORTS.
    from messages_app.jobs.engine import runner

    runner.run_job(job_id=job_id)


@shared_task
def sweep_jobs(**_: object) -> None:
    """Send the task of every live job that no worker has."""
    watch.sweep_jobs()


@shared_task
def watch_jobs(**_: object) -> None:
    """Check the jobs that wait for something or may have to stop."""
    watch.watch_jobs()


@shared_task
def remove_old_exports(**_: object) -> None:
    """Remove exports that have expired."""
    exports.remove_old_exports()
