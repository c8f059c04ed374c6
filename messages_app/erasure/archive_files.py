"""The Parquet archive: Spark rewrites parts without the rows of the subject."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from messages_app.core.statements import Statements
from messages_app.erasure.journal import append_line
from messages_app.erasure.rows import (
    all_tables,
    erase_beside,
)
from messages_app.erasure.run import Erasure
from messages_app.jobs.connections import own_dsn, spark_address
from messages_app.jobs.drivers.archive import remove_left_files
from messages_app.jobs.models import Job
from messages_app.messages.parquet_archive.models import ColdFile, ColdMessage
from messages_app.messages.parquet_archive.place import archive_storage
from spark_tasks.database import connect_to_database
from spark_tasks.parquet.erase import ErasedRows, Erasing, rewritten_jobs, sweep_rewritten
from spark_tasks.parquet.erase import erase_from_parts as erase_by_spark
from spark_tasks.parquet.parts import run_name
from spark_tasks.session import spark_session

statements = Statements("messages_app.erasure")


COLD_PLACE = "cold_message"


def erase_from_parts(erasure: Erasure, msg_ids: Sequence[int]) -> dict[int, str]:
    """
    Remove messages from all files that have them, including the files that they were restored from.

    Returns the messages that stay, with the reason.
    """
    parts: dict[int, list[int]] = defaultdict(list)
    for part_id, msg_id in statements.fetch_rows("parts_of", {"ids": list(msg_ids)}):
        parts[part_id].append(msg_id)
    if not parts:
        return {}
    cold = list(ColdMessage.objects.filter(pk__in=msg_ids).values_list("pk", flat=True))
    if not erasure.dry_run:
        paths = ColdFile.objects.filter(part_id__in=parts).values_list("path", flat=True)
        append_line(erasure.key, {COLD_PLACE: cold, "cold_file": list(paths)})
    _erase_beside(erasure, cold)
    erased = _erase_by_spark(erasure, parts)
    if not erasure.dry_run:
        # A job may have read the files and stored keys from them meanwhile.
        _erase_beside(erasure, cold)
    return _count_erased(erasure, erased, parts, cold)


def sweep_files() -> None:
    """Remove the files that a crash left next to the archive. No other erasure may run at the same time."""
    place = archive_storage()
    jobs = Job.objects.filter(pk__in=rewritten_jobs(place)).values_list("pk", "created_at")
    runs = [run_name(*job) for job in jobs]
    with connect_to_database(own_dsn()) as database:
        sweep_rewritten(database, place, runs=runs)
    remove_left_files()


def _erase_by_spark(erasure: Erasure, parts: dict[int, list[int]]) -> list[ErasedRows]:
    erasing = Erasing(
        storage=archive_storage(),
        tables=all_tables(),
        actor=erasure.actor.username,
        reason=erasure.reason,
        subject=erasure.key.digest,
        dry_run=erasure.dry_run,
    )
    with spark_session(spark_address()) as spark:
        return erase_by_spark(spark, dsn=own_dsn(), erasing=erasing, parts=sorted(parts.items()))


def _erase_beside(erasure: Erasure, cold: Sequence[int]) -> None:
    if cold:
        with erasure.step() as erased:
            erase_beside(erased, cold)


def _count_erased(
    erasure: Erasure, erased: Sequence[ErasedRows], parts: dict[int, list[int]], cold: Sequence[int]
) -> dict[int, str]:
    """
    Count the erased rows. Return messages of parts with errors, and messages that a job has claimed in
    between.
    """
    left: dict[int, str] = {}
    for one in erased:
        erasure.rows += Counter({f"cold_{one.table}": one.rows})
        left |= dict.fromkeys(parts[one.part_id], one.fault) if one.fault else {}
    if not erasure.dry_run:
        still = ColdMessage.objects.filter(pk__in=cold).values_list("pk", flat=True)
        left = dict.fromkeys(still, "a job uses it: wait for that job, then run this again") | left
    return left
