"""
`manage.py verify_archive`: compares the files of the Parquet archive with the database.

Source: docs/howto/backup_and_restore.md, "5. Check it".
"""

from collections.abc import Iterator

from django.core.management.base import CommandError

from messages_app.core.formatting import format_size
from messages_app.management.base import ReportingCommand
from messages_app.messages.parquet_archive.models import ColdFile, ColdPart
from messages_app.messages.parquet_archive.place import archive_storage
from spark_tasks.parquet.files import Unreadable, check_digest
from spark_tasks.storage.faults import StorageFault

_MAX_FAULTS = 20


class Command(ReportingCommand):
    help = (
        "Read every file of the Parquet archive and compare it with its digest in the database. Run it after"
        " a restored backup. Exit status: 0 all files are complete, 1 some are missing or damaged, or the"
        " storage cannot be read."
    )
    examples = ("verify_archive", "verify_archive --json")

    def handle(self, **options: object) -> None:
        storage = archive_storage()
        files, size, faults = 0, 0, []
        try:
            for path, length, digest in _files_with_rows():
                files, size = files + 1, size + length
                try:
                    check_digest(storage, path, digest)
                except Unreadable as error:
                    faults.append(str(error))
        except StorageFault as error:
            raise CommandError(f"Ended early: {error} Run this again.") from None
        end = f"{len(faults)} are missing or damaged." if faults else "All are complete."
        lines = [f"Checked {files} files, {format_size(size)}. {end}", *faults[:_MAX_FAULTS]]
        self.report("\n".join(lines), files=files, bytes=size, faults=faults)
        if faults:
            raise CommandError("Copy these files from another backup of the archive, then run this again.")


def _files_with_rows() -> Iterator[tuple[str, int, str]]:
    """Yield the path, bytes and SHA-256 of each file that still has rows of the archive."""
    emptied = ColdPart.objects.exclude(emptied_at=None).values("part_id")
    rows = ColdFile.objects.exclude(part_id__in=emptied).order_by("file_id")
    yield from rows.values_list("path", "bytes", "sha256").iterator()
