"""Rings for a worker. The broker carries a job's id and nothing else (DESIGN rule 1)."""

import logging

from hubconsole.celery import app
from spark_tasks.failpoints import Step, failpoint

logger = logging.getLogger(__name__)

RUN_JOB = "messages_app.jobs.tasks.run_job"


def wake(job_id: int) -> None:
    """Ask a worker to look at the job. That the bell is broken is no error: the sweeper rings again."""
    failpoint(Step.ACCEPTED)
    try:
        app.send_task(RUN_JOB, args=[job_id], retry=False, expires=60)
    except Exception:  # whatever the broker's client raises
        logger.warning("The broker did not take job %s; the sweeper will hand it on.", job_id)
