"""
Business keys: definitions by administrators, and values from payloads.

Source: docs/how_it_works/business_keys.md.
"""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from messages_app.core.plain_model import PlainModel
from messages_app.shared.key_extraction import MAX_VALUE
from messages_app.shared.xml_paths import MAX_PATH

MAX_NAME = 40


class KeyDefinition(models.Model):
    """
    A key of the messages of one operation, such as their order number.

    Attributes:
        sensitive: its values are found and shown only to users with view_payload.
        read: the number of messages that the pass has read. unreadable: of these, the messages whose payload
            or path could not be read; missing: without a value; unusable: with a value that cannot be stored.
        problem, problem_msg_id, problem_at: the last fault, in words without a value of the payload.
        deleted_at: from then on it is not shown, and the pass deletes its values and at last the row.
    """

    definition_id = models.BigAutoField(primary_key=True)
    service_name = models.CharField(max_length=30)
    operation_name = models.CharField(max_length=100)
    name = models.CharField(max_length=MAX_NAME)
    path = models.CharField(max_length=MAX_PATH)
    sensitive = models.BooleanField(default=False, db_default=False)
    active = models.BooleanField(default=True, db_default=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    read = models.BigIntegerField(db_default=0, default=0, editable=False)
    unreadable = models.BigIntegerField(db_default=0, default=0, editable=False)
    missing = models.BigIntegerField(db_default=0, default=0, editable=False)
    unusable = models.BigIntegerField(db_default=0, default=0, editable=False)
    problem = models.CharField(max_length=300, db_default="", default="", blank=True, editable=False)
    problem_msg_id = models.BigIntegerField(null=True, editable=False)
    problem_at = models.DateTimeField(null=True, editable=False)
    deleted_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        db_table = "business_key_definition"
        default_permissions = ("change",)
        constraints = [
            models.UniqueConstraint(
                fields=["service_name", "operation_name", "name", "path"],
                name="uq_business_key_definition",
                condition=Q(deleted_at__isnull=True),
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.service_name} {self.operation_name}"


class BusinessKey(PlainModel):
    """
    A value of a key in one message. The table is partitioned by the month of `receive_timestamp`.

    The definition is first in the primary key, so that a search without the permission for payloads reads no
    row of a sensitive key, however many there are.
    """

    pk = models.CompositePrimaryKey("definition_id", "value", "msg_id", "receive_timestamp")
    definition_id = models.BigIntegerField()
    value = models.CharField(max_length=MAX_VALUE, db_collation="C")
    msg_id = models.BigIntegerField()
    receive_timestamp = models.DateTimeField()

    class Meta(PlainModel.Meta):
        db_table = "business_key"
        # The keys of a message: its page, and erasing.
        indexes = [models.Index(fields=["msg_id"], name="business_key_msg_idx")]


class ErasedValue(PlainModel):
    """The digest of a value that was erased with a subject; it is not stored as a key again."""

    digest = models.CharField(primary_key=True, max_length=64)

    class Meta(PlainModel.Meta):
        db_table = "business_key_erased"


class KeyPass(PlainModel):
    """
    The position of the pass over new messages: one row, or none before the first pass.

    Attributes:
        front: the highest id that was read.
        safe: no transaction that can still commit has a message up to this id.
        mark: the next `safe`, as soon as all transactions before `mark_xid` have ended.
        swept: the last message that was looked for, to delete the values of messages that no longer exist.
        hub_schema, archive_schema: where an attached hub last had its tables and archive tables; empty: it
            never had them.
    """

    id = models.SmallIntegerField(primary_key=True, default=1)
    front = models.BigIntegerField()
    safe = models.BigIntegerField()
    mark = models.BigIntegerField()
    mark_xid = models.BigIntegerField()
    swept = models.BigIntegerField(default=0, db_default=0)
    hub_schema = models.TextField(blank=True, default="", db_default="")
    archive_schema = models.TextField(blank=True, default="", db_default="")
    done_at = models.DateTimeField(db_default=Now())

    class Meta(PlainModel.Meta):
        db_table = "business_key_pass"
        constraints = [models.CheckConstraint(condition=Q(id=1), name="business_key_pass_is_one")]


class ReadMessage(PlainModel):
    """A message after `safe` that the pass has read, so that it is read and counted once."""

    msg_id = models.BigIntegerField(primary_key=True)

    class Meta(PlainModel.Meta):
        db_table = "business_key_read"
