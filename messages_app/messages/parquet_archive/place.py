"""The places of the Parquet archive, from the settings."""

from django.conf import settings

from messages_app.core.storages import make_storage
from spark_tasks.storage.addresses import Storage


def archive_storage() -> Storage:
    """Return the storage of the archive, which also reads what was not moved from the former one yet."""
    return make_storage(settings.HUBCONSOLE_ARCHIVE_URI, former=settings.ARCHIVE_FORMER_URI)


def new_and_former() -> tuple[Storage, Storage] | None:
    """Return the storages to move the archive to and from; None if it is not moved."""
    if not settings.ARCHIVE_FORMER_URI:
        return None
    return make_storage(settings.HUBCONSOLE_ARCHIVE_URI), make_storage(settings.ARCHIVE_FORMER_URI)
