"""
The manifest of the Parquet files of the archive, and for each message the part that contains it.

Readers trust only files that are named here.

Source: docs/contributing/spec/design.md, "Spark"; docs/reference/archive.md.
"""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from messages_app.core.plain_model import PlainModel
from messages_app.messages.hub_columns import MessageColumns
from messages_app.shared.message_states import FAILURE_STATES


class ColdPart(PlainModel):
    """
    The rows that one transaction archived of one month: a file for each table, with whole families.

    A part of orphan requests or responses has no messages.
    """

    part_id = models.BigAutoField(primary_key=True)
    job_id = models.BigIntegerField()
    chunk_no = models.IntegerField()
    content = models.CharField(max_length=20)
    # The first day of the month in which the families' heads ended.
    month = models.DateField()
    # Messages, or orphans, that were written, and the number of them restored later.
    kept = models.IntegerField()
    restored = models.IntegerField(db_default=0)
    # The ids of restored orphans; unlike messages, orphans have no rows of their own here.
    restored_ids = models.JSONField(default=list)
    written_at = models.DateTimeField(db_default=Now())
    # The time since which all rows in its files are restored or deleted.
    emptied_at = models.DateTimeField(null=True)

    class Meta(PlainModel.Meta):
        db_table = "cold_part"
        # Undo of an archive job, and its report.
        indexes = [models.Index("job_id", "part_id", name="cold_part_job_idx")]


class ColdFile(PlainModel):
    """One Parquet file of the archive; `path` is relative to HUBCONSOLE_ARCHIVE_URI."""

    file_id = models.BigAutoField(primary_key=True)
    part_id = models.BigIntegerField()
    table_name = models.CharField(max_length=63)
    path = models.CharField(max_length=300)
    rows = models.IntegerField()
    first_id = models.BigIntegerField()
    last_id = models.BigIntegerField()
    bytes = models.BigIntegerField()
    sha256 = models.CharField(max_length=64)

    class Meta(PlainModel.Meta):
        db_table = "cold_file"
        constraints = [
            # Reading a message: the files of its part.
            models.UniqueConstraint(fields=["part_id", "table_name"], name="uq_cold_file_of_part"),
            # The sweep of leftovers asks whether a path is known.
            models.UniqueConstraint(fields=["path"], name="uq_cold_file_path"),
        ]

    def __str__(self) -> str:
        return self.path


class ColdMessage(MessageColumns):
    """
    One message whose rows are in Parquet files: its narrow columns, so that lists find it like any other.

    Deleting the row removes the message from the archive; its file stays as it is.
    """

    payload = None  # type: ignore[assignment]  # this is how Django leaves out an inherited column
    envelope = None
    failed_desc = None
    custom_data = None
    business_error = None
    # The first line of failed_desc.
    failed_summary = models.CharField(max_length=200, null=True)  # noqa: DJ001
    part_id = models.BigIntegerField()

    class Meta:
        db_table = "cold_message"
        default_permissions = ()
        indexes = [
            # Search by correlation id in the archive. Not unique: the hub may take the id again
            # (docs/contributing/spec/cleverbus.md, "Duplicate correlation ids").
            models.Index("correlation_id", name="cold_message_corr_idx"),
            # List ordered by receive_timestamp; filter receive_timestamp_from/_to. Histogram.
            models.Index(
                fields=["receive_timestamp", "msg_id"], include=["state"], name="cold_message_received_idx"
            ),
            # Erasing: the other columns that name a subject.
            *(
                models.Index(
                    column,
                    "msg_id",
                    name=f"cold_message_{short}_idx",
                    condition=Q(**{f"{column}__isnull": False}),
                )
                for column, short in (
                    ("process_id", "process"),
                    ("object_id", "object"),
                    ("funnel_value", "funnel"),
                )
            ),
            # Detail and families: the children of a message, counted by state. List: filter parent_msg_id.
            models.Index(
                fields=["parent_msg_id", "msg_id"],
                include=["state"],
                name="cold_message_parent_idx",
                condition=Q(parent_msg_id__isnull=False),
            ),
            # List: filter family=failed.
            models.Index(
                "parent_msg_id",
                name="cold_failed_child_idx",
                condition=Q(parent_msg_id__isnull=False) & Q(state__in=sorted(FAILURE_STATES)),
            ),
        ]
