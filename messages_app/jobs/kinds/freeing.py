"""How much room an archive job frees in the live tables, estimated before it and summed up after it."""

from collections.abc import Mapping

from django.db import connection
from django.db.models import Sum

from messages_app.jobs.kinds.archive_room import archived_tables
from messages_app.jobs.models import Job
from messages_app.jobs.queries import progress_of
from messages_app.jobs.sql import statement
from messages_app.messages.cold.models import ColdFile, ColdPart


def would_free(rows: Mapping[str, int]) -> dict[str, int]:
    """
    Return about how many bytes rows take, with their part of the indexes and large values.

    Args:
        rows: by live table.
    """
    sizes = _row_sizes()
    return {table: round(count * sizes.get(table, 0)) for table, count in rows.items()}


def freed(job: Job) -> dict[str, object]:
    """
    Return what a job has freed in the live tables, estimated, and what it has filled in Parquet files.

    PostgreSQL gives the room to new rows of the same tables; it gives it back to the disk only when a table
    is rewritten (VACUUM FULL, pg_repack).
    """
    parts = ColdPart.objects.filter(job_id=job.pk).values("part_id")
    written = ColdFile.objects.filter(part_id__in=parts).aggregate(total=Sum("bytes"))["total"]
    return {
        "freed_bytes": would_free(progress_of(job).moved),
        "parquet_bytes": written or 0,
    }


def _row_sizes() -> dict[str, float]:
    """Return the bytes of a row on average, by live table; none of a table whose rows are not known yet."""
    tables = [table.live for table in archived_tables()]
    with connection.cursor() as cursor:
        cursor.execute(statement("row_sizes"), {"tables": tables})
        return dict(cursor.fetchall())
