"""The places of the Parquet archive, from the settings."""

from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:
    from spark_tasks.storage.addresses import Storage


def archive_storage() -> "Storage":
    """Return the storage of the archive, which also reads what was not moved from the former one yet."""
    return _make_storage(settings.HUBCONSOLE_ARCHIVE_URI, former=settings.ARCHIVE_FORMER_URI)


def new_and_former() -> "tuple[Storage, Storage] | None":
    """Return the storages to move the archive to and from; None if it is not moved."""
    if not settings.ARCHIVE_FORMER_URI:
        return None
    return _make_storage(settings.HUBCONSOLE_ARCHIVE_URI), _make_storage(settings.ARCHIVE_FORMER_URI)


def _make_storage(uri: str, *, former: str = "") -> "Storage":
    # Imported here, because it costs 40 MB, which a process that reads no file saves.
    from spark_tasks.storage.addresses import Storage
    from spark_tasks.storage.options import BucketOptions

    options = BucketOptions(
        endpoint=settings.S3_ENDPOINT, encryption=settings.S3_ENCRYPTION, kms_key=settings.S3_KMS_KEY
    )
    return Storage(uri, options, former)
