"""
Keeps the worker's Spark session warm, so that its first job costs what its tenth does.

A thread of the worker begins when the worker is ready, and looks again every few seconds: a Spark server that
was restarted is warmed up again.
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
from messages_app.jobs.drivers.registry import DRIVERS
from messages_app.jobs.engine.warmth import Warmth, is_cold, set_warmth, warmth
from messages_app.jobs.kinds.registry import kind_specs
from messages_app.jobs.kinds.spec import Leaves
from messages_app.jobs.models import Job
from messages_app.jobs.stores.registry import store_of
from messages_app.shared.job_states import JobKind, StoreName
from spark_tasks.database import connect
from spark_tasks.executor import keep_alive, rehearse
from spark_tasks.session import end_sessions, session_id_of, spark_session

logger = logging.getLogger(__name__)

# Three looks in the minute after which Spark ends a Python worker that has nothing to do.
_SECONDS_BETWEEN = 20.0
# Where it fails, later and later: each new session leaves a process in Spark.
_MOST_SECONDS = 600.0

# No message has it: whoever looks for it, by an index, finds nothing.
_NO_CORRELATION_ID = "Hub Console warms Spark up"

_is_over = threading.Event()


@worker_ready.connect
def start(sender: object, **_: object) -> None:
    """Begin, in a worker whose jobs are threads: in one that forks, the session would not be theirs."""
    if settings.SPARK_WARM_UP and isinstance(getattr(sender, "pool", None), TaskPool):
        _is_over.clear()
        set_warmth(Warmth.STARTING)
        threading.Thread(target=_keep, name="warming", daemon=True).start()


@worker_shutdown.connect
def stop(**_: object) -> None:
    _is_over.set()
    end_sessions()


def _keep() -> None:
    seconds = _SECONDS_BETWEEN
    while not _is_over.is_set():
        try:
            keep_warm()
            seconds = _SECONDS_BETWEEN
        except Exception:  # any of Spark's or gRPC's: a job that meets it says more
            logger.warning("Spark could not be warmed up; it is tried again.", exc_info=True)
            seconds = min(2 * seconds, _MOST_SECONDS)
        _is_over.wait(seconds)


def keep_warm() -> bool:
    """
    Warm up this process's session where it is new; else keep it and its Python workers from ending.

    Returns:
        Whether it was warmed up; not where the database is away, which is no fault of the session's.
    """
    with spark_session(spark_address()) as spark:
        if warmth() is Warmth.WARM and not is_cold(session_id_of(spark)):
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
    """Do what each kind of job does, with nothing to do: what small ones do first, then joins."""
    try:
        rehearse(spark, dsn=database_dsn(), action=DRIVERS[JobKind.RESTART].action(Job(kind=JobKind.RESTART)))
        for spec in sorted(kind_specs.values(), key=lambda spec: spec.leaves is not Leaves.NOTHING):
            if spec.claims and spec.store == StoreName.MESSAGES:
                _count_nothing(spark, spec.kind)
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
    except Exception:  # where jobs of this kind cannot be run as things are, the others can
        logger.info("Spark was not warmed up for jobs of the kind %s.", kind, exc_info=True)


def _has_database() -> bool:
    try:
        with connect(database_dsn()):
            return True
    except psycopg.Error:
        return False
