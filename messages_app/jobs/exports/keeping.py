"""Which files of exports are kept still, by the database's clock. Source: reliability S-60."""

from collections.abc import Collection

from django.db import connection

from messages_app.jobs.exports.sql import statement


def kept(job_ids: Collection[int]) -> set[int]:
    """Return those whose file is offered still; after the report's `expires_at` it is not, and is removed."""
    with connection.cursor() as cursor:
        cursor.execute(statement("kept"), {"job_ids": list(job_ids)})
        return {job_id for (job_id,) in cursor}
