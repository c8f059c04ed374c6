"""The place of the Parquet archive, from the settings."""

from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:
    from spark_tasks.storage.addresses import Storage


def archive_storage() -> "Storage":
    # Imported here, because it costs 40 MB, which a process that reads no file saves.
    from spark_tasks.storage.addresses import Storage
    from spark_tasks.storage.options import BucketOptions

    return Storage(
        settings.HUBCONSOLE_ARCHIVE_URI,
        BucketOptions(
            endpoint=settings.S3_ENDPOINT, encryption=settings.S3_ENCRYPTION, kms_key=settings.S3_KMS_KEY
        ),
    )
