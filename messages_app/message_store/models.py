"""
The message store: the vendor's three tables, and the console's own tables about them.

`message_store`, `message_process` and `message_history` have the vendor's columns and no others, and no index
but their keys: no matter who writes them, triggers keep `message_line`, which is what monitor and lists read.
Each index is next to its query.

Source: docs/contributing/spec/message_store.md, "Tables"; docs/contributing/spec/design.md, R-11.
"""

from django.contrib.postgres.indexes import HashIndex
from django.db import models
from django.db.models.fields.json import KeyTransform
from django.db.models.functions import Now

from messages_app.core.plain_model import PlainModel
from messages_app.message_store.identifiers import LENGTH
from messages_app.shared.store_states import FIRST_ERROR, IN_WORK, Status

MAX_NAME = 255
MAX_ERROR = 255
MAX_PATH = 1024
MAX_KEY = 500
# Compared byte for byte.
BYTES = "C"
_NOT_MUTED = models.Q(muted_at=None)


def _identifier_field(*, primary_key: bool = False, unique: bool = False) -> models.CharField:
    return models.CharField(max_length=LENGTH, db_collation=BYTES, primary_key=primary_key, unique=unique)


class MessageStore(models.Model):
    """A message, kept forever; its data may live in a file."""

    message_identifier = _identifier_field(primary_key=True)
    source_system = models.CharField(max_length=MAX_NAME, null=True)
    source_entity = models.CharField(max_length=MAX_NAME, null=True)
    message_timestamp = models.DateTimeField(null=True)
    effective_timestamp = models.DateTimeField(null=True)
    user_name = models.CharField(max_length=MAX_NAME, null=True)
    refresh = models.BooleanField(null=True)
    options = models.TextField(null=True)
    data = models.TextField(null=True)
    file_path = models.CharField(max_length=MAX_PATH, null=True)

    class Meta:
        db_table = "message_store"
        verbose_name_plural = "stored messages"
        default_permissions = ("view", "add")
        permissions = [
            ("reprocess_messagestore", "Can reprocess, retry and release messages of the store"),
            ("change_sourcedefinition", "Can change source definitions"),
        ]

    def __str__(self) -> str:
        return self.message_identifier


class MessageProcess(PlainModel):
    """The status of a message. A missing row and a missing status both mean 0."""

    message_identifier = _identifier_field(primary_key=True)
    status = models.IntegerField(null=True)
    processed_timestamp = models.DateTimeField(null=True)
    next_attempt_timestamp = models.DateTimeField(null=True)
    error_message = models.CharField(max_length=MAX_ERROR, null=True)

    class Meta(PlainModel.Meta):
        db_table = "message_process"


class _AttemptColumns(PlainModel):
    """The vendor's columns of an attempt."""

    pk = models.CompositePrimaryKey("message_identifier", "processed_timestamp")
    message_identifier = _identifier_field()
    processed_timestamp = models.DateTimeField()
    status = models.IntegerField(null=True)
    error_message = models.CharField(max_length=MAX_ERROR, null=True)
    log_text = models.TextField(null=True)

    class Meta(PlainModel.Meta):
        abstract = True


class MessageHistory(_AttemptColumns):
    """One attempt, and how it ended."""

    processed_timestamp = models.DateTimeField(db_default=Now())

    class Meta(PlainModel.Meta):
        db_table = "message_history"


class ArchivedHistory(_AttemptColumns):
    """An attempt that a job of kind archive_history has moved, column by column as it was."""

    class Meta(PlainModel.Meta):
        db_table = "archive_message_history"


class MessageLine(PlainModel):
    """
    A message in one narrow row, kept by triggers on the vendor's tables (migration 0006).

    It numbers messages for the job engine, joins the columns of two tables, and has facts that the vendor's
    columns lack, such as the time since which a message is held.
    """

    number = models.BigAutoField(primary_key=True)
    message_identifier = _identifier_field(unique=True)
    has_store = models.BooleanField(db_default=False)
    has_process = models.BooleanField(db_default=False)
    # Of the message; else its effective time, or when the console first saw it: lists sort by it.
    message_timestamp = models.DateTimeField()
    source_system = models.CharField(max_length=MAX_NAME, null=True, db_collation=BYTES)
    source_entity = models.CharField(max_length=MAX_NAME, null=True, db_collation=BYTES)
    # None: it has only history.
    status = models.IntegerField(null=True)
    next_attempt_timestamp = models.DateTimeField(null=True)
    # The time since which it is queued or in process.
    claimed_at = models.DateTimeField(null=True)
    attempts = models.IntegerField(db_default=0)
    # Attempts in a row whose worker died; a message that kills its workers is set aside
    # (docs/contributing/spec/promises.md, I-33).
    abandoned = models.IntegerField(db_default=0)
    last_started_at = models.DateTimeField(null=True)
    last_ended_at = models.DateTimeField(null=True)
    # The time since which it is muted (docs/contributing/spec/message_store.md, "Operator actions"). A
    # trigger takes the mark away when its status changes.
    muted_at = models.DateTimeField(null=True)

    class Meta(PlainModel.Meta):
        db_table = "message_line"
        indexes = [
            # The list, by time; and by time of one status, system or entity.
            models.Index("message_timestamp", "number", name="message_line_time_idx"),
            models.Index("status", "message_timestamp", "number", name="message_line_status_idx"),
            models.Index("source_system", "message_timestamp", "number", name="message_line_system_idx"),
            models.Index("source_entity", "message_timestamp", "number", name="message_line_entity_idx"),
            # Monitor: messages without an attempt, in order; messages that are due; messages in work, by
            # start.
            models.Index(
                "message_timestamp",
                "message_identifier",
                name="message_line_fresh_idx",
                condition=models.Q(status=int(Status.NOT_PROCESSED)) & _NOT_MUTED,
            ),
            models.Index(
                "next_attempt_timestamp",
                name="message_line_due_idx",
                condition=models.Q(status=int(Status.REQUIRES_REPROCESSING)) & _NOT_MUTED,
            ),
            models.Index(
                "claimed_at",
                name="message_line_held_idx",
                condition=models.Q(status__in=sorted(map(int, IN_WORK))),
            ),
            # Groups of the same error: the newest errors.
            models.Index(
                "message_timestamp",
                "number",
                name="message_line_error_idx",
                condition=models.Q(status__gte=FIRST_ERROR) & _NOT_MUTED,
            ),
            # The list of muted messages, by time.
            models.Index(
                "message_timestamp",
                "number",
                name="message_line_muted_idx",
                condition=models.Q(muted_at__isnull=False),
            ),
            # Orphans.
            models.Index(
                "number",
                name="message_line_orphan_idx",
                condition=models.Q(has_store=False) | models.Q(has_process=False),
            ),
        ]


class SourceDefinition(PlainModel):
    """The format of messages of a system's entity, and how they are read."""

    definition_id = models.BigAutoField(primary_key=True)
    # "*": messages that name no system.
    system = models.CharField(max_length=MAX_NAME, db_collation=BYTES)
    entity = models.CharField(max_length=MAX_NAME, db_collation=BYTES)
    # Of one record.
    json_schema = models.JSONField(default=dict)
    key_fields = models.JSONField(default=list)
    # Field: the entity whose record it names; or, of children, of the records in it.
    references = models.JSONField(default=dict)
    children = models.JSONField(default=dict)
    # Names in extensions.py; empty: none.
    reader = models.CharField(max_length=100, blank=True, db_default="")
    processor = models.CharField(max_length=100, blank=True, db_default="")
    changed_at = models.DateTimeField(db_default=Now())

    class Meta(PlainModel.Meta):
        db_table = "source_definition"
        constraints = [
            # For the processor: one system and entity.
            models.UniqueConstraint(fields=["system", "entity"], name="uq_source_definition")
        ]
        indexes = [
            # Of a message without a system: whose is its entity?
            models.Index("entity", name="source_definition_entity_idx")
        ]

    def __str__(self) -> str:
        return f"{self.system} {self.entity}"


class TargetRecord(PlainModel):
    """
    A version of a record, valid from valid_from until valid_to (None: it is the current version).

    It does not depend on the order in which messages were processed: see services/record_versions.py.
    """

    pk = models.CompositePrimaryKey("entity", "record_key", "valid_from")
    entity = models.CharField(max_length=MAX_NAME, db_collation=BYTES)
    record_key = models.CharField(max_length=MAX_KEY, db_collation=BYTES)
    valid_from = models.DateTimeField()
    valid_to = models.DateTimeField(null=True)
    data = models.JSONField()
    source_message = _identifier_field()
    # Of the message: the later of two with the same valid_from wins.
    message_timestamp = models.DateTimeField()

    class Meta(PlainModel.Meta):
        db_table = "target_record"
        constraints = [
            models.CheckConstraint(
                name="target_record_valid_ck",
                condition=models.Q(valid_to=None) | models.Q(valid_to__gte=models.F("valid_from")),
            )
        ]
        indexes = [
            # The records that a message wrote, also to replace them when it is processed again.
            models.Index("source_message", name="target_record_message_idx"),
            # Refresh: the records of an entity that are valid at a time.
            models.Index("entity", "valid_to", name="target_record_valid_idx"),
            # The record of an object of the CP queue. A hash, because senders may store values of any size.
            HashIndex(
                KeyTransform("object_id", "data"),
                name="target_record_object_idx",
                condition=models.Q(valid_to=None),
            ),
        ]


class EntityRefresh(PlainModel):
    """
    A refresh: a message named all records of an entity at a time. Older records that are processed later end
    there.
    """

    pk = models.CompositePrimaryKey("entity", "effective_timestamp", "source_message")
    entity = models.CharField(max_length=MAX_NAME, db_collation=BYTES)
    effective_timestamp = models.DateTimeField()
    source_message = _identifier_field()
    message_timestamp = models.DateTimeField()

    class Meta(PlainModel.Meta):
        db_table = "entity_refresh"


class UnresolvedReference(PlainModel):
    """A record that a message refers to and that was missing at its last attempt."""

    pk = models.CompositePrimaryKey("message_identifier", "entity", "record_key")
    message_identifier = _identifier_field()
    entity = models.CharField(max_length=MAX_NAME, db_collation=BYTES)
    record_key = models.CharField(max_length=MAX_KEY, db_collation=BYTES)

    class Meta(PlainModel.Meta):
        db_table = "unresolved_reference"
        indexes = [
            # Finds the messages that wait for a record, and counts the ones that wait for an entity.
            models.Index("entity", "record_key", "message_identifier", name="unresolved_waiting_idx")
        ]
