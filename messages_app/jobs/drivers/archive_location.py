"""The archive of this installation: its tables and Parquet files, and the check that Spark can reach them."""

import logging
import secrets
from collections.abc import Iterator

import pyarrow as pa
from django.conf import settings
from pyspark.sql import SparkSession

from messages_app.jobs.connections import database_dsn
from messages_app.jobs.drivers.driver import CannotRun
from messages_app.jobs.models import Job
from messages_app.shared.job_states import FINAL_STATES
from spark_tasks.database import connect_to_database
from spark_tasks.parquet.parts import job_ids, sweep_leftovers
from spark_tasks.parquet.storage import Storage
from spark_tasks.ranges import read_to_end, to_batch
from spark_tasks.tables import HubTable, named_tables

logger = logging.getLogger(__name__)


def archive_storage() -> Storage:
    return Storage(settings.HUBCONSOLE_ARCHIVE_URI)


def archived_tables() -> tuple[HubTable, ...]:
    """
    Return the tables that this installation archives, children before parents.

    Raises:
        CannotRun: the setting has no table, or an unknown one.
    """
    try:
        return named_tables(settings.ARCHIVED_TABLES)
    except ValueError as error:
        raise CannotRun(f"HUBCONSOLE_ARCHIVED_TABLES: {error}") from error


def remove_left_files(*, also: Job | None = None) -> None:
    """
    Remove files that crashed jobs left in the Parquet archive.

    Args:
        also: a job that has not ended but no longer writes.
    """
    place = archive_storage()
    try:
        jobs = Job.objects.filter(pk__in=job_ids(place), state__in=FINAL_STATES)
        ended = list(jobs.values_list("pk", "created_at"))
        ended += [(also.pk, also.created_at)] if also else []
        with connect_to_database(database_dsn()) as database:
            removed = sweep_leftovers(database, place, ended=ended)
    except OSError as error:
        logger.warning("Leftovers in the Parquet archive stay for now: %s", error)
        return
    if removed:
        logger.warning("Removed %s files that no archive job had committed.", len(removed))


def check_reach(spark: SparkSession) -> None:
    """
    Let an executor write a file to the Parquet archive, and read the file here.

    Raises:
        CannotRun: the executor cannot write it, or this process cannot read it.
    """
    place, path, body = archive_storage(), f"reach-{secrets.token_hex(8)}", secrets.token_bytes(16)

    def write(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        read_to_end(batches)
        try:
            with place.open_to_write(path) as file:
                file.write(body)
            yield to_batch([("",)], {"fault": "string"})
        except Exception as error:
            yield to_batch([(str(error),)], {"fault": "string"})

    fault = spark.range(0, 1, 1, 1).mapInArrow(write, "fault string").collect()[0].fault
    if fault:
        raise CannotRun(f"Spark cannot write to {place.uri}: {fault}")
    try:
        with place.open_to_read(path) as file:
            is_same = file.read() == body
        place.remove(path)
    except OSError as error:
        raise CannotRun(f"The console cannot read what Spark writes to {place.uri}: {error}") from error
    if not is_same:
        raise CannotRun(f"{place.uri} does not return what was written to it.")
