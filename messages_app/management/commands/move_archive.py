"""
`manage.py move_archive`: moves the Parquet archive to another storage while the console runs.

Source: docs/howto/object_store.md, "Move an archive".
"""

from argparse import ArgumentParser

import psycopg
from django.core.management.base import CommandError
from django.db import DatabaseError
from pyspark.errors import PySparkException

from messages_app.core.formatting import format_size
from messages_app.jobs.connections import own_dsn, spark_address
from messages_app.management.base import ReportingCommand
from messages_app.messages.parquet_archive.models import ColdFile
from messages_app.messages.parquet_archive.place import new_and_former
from spark_tasks.parquet.move_parts import MovedFiles, move_parts
from spark_tasks.session import end_sessions, spark_session
from spark_tasks.storage.faults import StorageFault

_NOT_MOVED = (
    "Set HUBCONSOLE_ARCHIVE_FORMER_URI to the address that the archive is moved from, and"
    " HUBCONSOLE_ARCHIVE_URI to the new one."
)
_MAX_FAULTS = 20


class Command(ReportingCommand):
    help = (
        "Move the files of the Parquet archive from HUBCONSOLE_ARCHIVE_FORMER_URI to HUBCONSOLE_ARCHIVE_URI,"
        " while the console runs. A file is removed from the former address after its copy was read back."
        " Exit status: 0 all files are moved, 1 some stay, or this was refused."
    )
    examples = ("move_archive --dry-run", "move_archive")

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only report how many files there are")

    def handle(self, *, dry_run: bool, **options: object) -> None:
        places = new_and_former()
        if places is None:
            raise CommandError(_NOT_MOVED)
        new, former = places
        parts = list(ColdFile.objects.order_by("part_id").values_list("part_id", flat=True).distinct())
        if dry_run:
            words = f"{len(parts)} parts would be checked, and moved from {former.uri} to {new.uri}."
            self.report(words, parts=len(parts), files=0, bytes=0, faults=[])
            return
        try:
            if new.is_same_place(former):
                raise CommandError(f"{new.uri} and {former.uri} are the same place. Nothing was moved.")
            with spark_session(spark_address()) as spark:
                moved = move_parts(spark, dsn=own_dsn(), new=new, former=former, parts=parts) if parts else []
        except (DatabaseError, psycopg.Error, PySparkException, StorageFault) as error:
            lines = str(error).strip().splitlines() or [type(error).__name__]
            raise CommandError(f"Ended early: {lines[0]} Run this again.") from None
        finally:
            end_sessions()
        self._report_end(moved)

    def _report_end(self, moved: list[MovedFiles]) -> None:
        files, size = sum(each.files for each in moved), sum(each.bytes for each in moved)
        faults = sorted({each.fault for each in moved if each.fault})
        end = f"{len(faults)} parts are not moved." if faults else "All files are moved."
        lines = [f"Moved {files} files, {format_size(size)}. {end}", *faults[:_MAX_FAULTS]]
        self.report("\n".join(lines), parts=len(moved), files=files, bytes=size, faults=faults)
        if faults:
            raise CommandError("Run this again after mending the cause.")
