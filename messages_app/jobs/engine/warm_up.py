"""
Keeps the worker's Spark session warm, so that its first job is as fast as its tenth.

A thread of the worker checks the session every few seconds, so that a restarted Spark server is warmed up
again.
"""

import logging
import threading
import time

import psycopg
from celery.concurrency.thread import TaskPool
from celery.signals import worker_ready, worker_shutdown
from django.conf import settings
from django.db import connection
from pyspark.sql import SparkSession

from messages_app.core.clock import database_clock
from messages_app.jobs.connections import database_dsn, spark_address
from messages_app.jobs.engine.runner import DRIVERS
from messages_app.jobs.engine.warmth import Warmth, current_warmth, is_cold, set_warmth
from messages_app.jobs.kinds.registry import kinds_of, spec_of
from messages_app.jobs.kinds.spec import Leaves
from messages_app.jobs.models import Job
from messages_app.jobs.stores import store_of
from messages_app.shared.job_states import StoreName
from spark_tasks.database import connect_to_database
from spark_tasks.executor import keep_alive, run_empty_job
from spark_tasks.session import end_sessions, session_id_of, spark_session

logger = logging.getLogger(__name__)

# Spark ends an idle Python worker after a minute; this makes three checks in that time.
_SECONDS_BETWEEN = 20.0
# The interval grows after failures, because each new session leaves a process in Spark.
_MAX_SECONDS = 600.0

# No message has this id, so a query by index finds nothing.
_NO_CORRELATION_ID = "Hub Console warms Spark up"

_is_over = threading.Event()


@worker_ready.connect
def start_warming(sender: object, **_: object) -> None:
    """Start the thread in a worker whose jobs are threads. Forked jobs could not use the session."""
    if settings.SPARK_WARM_UP and isinstance(getattr(sender, "pool", None), TaskPool):
        _is_over.clear()
        set_warmth(Warmth.STARTING)
        threading.Thread(target=_warm_until_over, name="warming", daemon=True).start()


@worker_shutdown.connect
def stop_warming(**_: object) -> None:
    _is_over.set()
    end_sessions()


def _warm_until_over() -> None:
    seconds = _SECONDS_BETWEEN
    while not _is_over.is_set():
        try:
            keep_warm()
            seconds = _SECONDS_BETWEEN
        except Exception:  # Any error of Spark or gRPC. A job that meets the same error reports it in detail.
            logger.warning("Spark could not be warmed up; it is tried again.", exc_info=True)
            seconds = min(2 * seconds, _MAX_SECONDS)
        _is_over.wait(seconds)


def keep_warm() -> bool:
    """
    Warm up the session of this process if it is new. Otherwise keep it and its Python workers alive.

    Returns:
        Whether it was warmed up; False while the database does not answer.
    """
    with spark_session(spark_address()) as spark:
        if current_warmth() is Warmth.WARM and not is_cold(session_id_of(spark)):
            keep_alive(spark)
            return False
        set_warmth(Warmth.WARMING)
        if not _has_database():
            return False
        began = time.monotonic()
        _warm_up(spark)
        set_warmth(Warmth.WARM, session_id=session_id_of(spark))
        logger.info("Spark is warm after %.1f s.", time.monotonic() - began)
        return True


def _warm_up(spark: SparkSession) -> None:
    """Run the statements of each kind of job on an empty set: first the ones of small jobs, then joins."""
    try:
        claiming = [kind for kind in kinds_of(StoreName.MESSAGES) if spec_of(kind).claims]
        kinds = sorted(claiming, key=lambda kind: spec_of(kind).leaves is not Leaves.NOTHING)
        run_empty_job(spark, dsn=database_dsn(), action=DRIVERS[kinds[0]].make_action(Job(kind=kinds[0])))
        for kind in kinds:
            _count_nothing(spark, kind)
    finally:
        connection.close()


def _count_nothing(spark: SparkSession, kind: str) -> None:
    try:
        job = Job(
            kind=kind,
            filter={"correlation_id": _NO_CORRELATION_ID},
            cutoff=database_clock(),
            last_msg_id=store_of(kind).last_id(),
            dry_run=True,
        )
        DRIVERS[kind].preview(spark, job=job)
    except Exception:  # Jobs of other kinds may still run.
        logger.info("Spark was not warmed up for jobs of the kind %s.", kind, exc_info=True)


def _has_database() -> bool:
    try:
        with connect_to_database(database_dsn()):
            return True
    except psycopg.Error:
        return False
