"""
The document history, and the console's own tables about it.

`document_history` has only the vendor's four fields. Each index is next to the query that it serves.

Source: docs/contributing/spec/document_history.md, "Stored data"; docs/contributing/spec/design.md, R-11.
"""

import uuid

from django.db import models
from django.db.models.functions import Now

from messages_app.core.plain_model import PlainModel
from messages_app.document_history.states import (
    DEFAULT_TTL_SECONDS,
    MAX_UUID,
    NO_COUNT,
    EntryStatus,
    InDoubtState,
    RetryFailure,
    Verdict,
)

MAX_TRIGGER_ID = 100
# Compared byte for byte, so a prefix is a range of the index.
_BYTES = "C"


def new_trigger_id() -> str:
    return str(uuid.uuid4())


class DocumentTrigger(models.Model):
    """
    A trigger with its exactly-once properties. A deleted trigger is kept for its entries
    (docs/contributing/spec/document_history.md, "Retention").
    """

    trigger_id = models.CharField(
        max_length=MAX_TRIGGER_ID, primary_key=True, default=new_trigger_id, db_collation=_BYTES
    )
    # For display only; names may be reused.
    name = models.CharField(max_length=200)
    detect_duplicates = models.BooleanField(default=True)
    use_history = models.BooleanField(default=True)
    history_ttl_seconds = models.BigIntegerField(default=DEFAULT_TTL_SECONDS)
    # A name in resolvers.py; empty: none.
    resolver = models.CharField(max_length=100, blank=True)
    on_retry_failure = models.CharField(max_length=30, default=RetryFailure.THROW)
    # Set while a transient failure of the resolver keeps the trigger from deciding
    # (docs/contributing/spec/document_history.md, "Resolver").
    suspended_at = models.DateTimeField(null=True)
    suspended_because = models.CharField(max_length=1000, blank=True)
    # Outcomes up to this moment are cleared from the statistics (docs/contributing/spec/document_history.md,
    # "Statistics").
    cleared_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(db_default=Now())
    deleted_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "document_trigger"
        default_permissions = ("change",)
        constraints = [
            models.CheckConstraint(
                name="document_trigger_ttl_ck", condition=models.Q(history_ttl_seconds__gt=0)
            )
        ]

    def __str__(self) -> str:
        return self.name


class DocumentHistory(models.Model):
    """
    One entry: a trigger started, or ended, the processing of a document.

    The unique key decides which of several checks returns New (docs/contributing/spec/document_history.md,
    "Stored data", "Hard cases" case 1).
    """

    pk = models.CompositePrimaryKey("trigger_id", "document_uuid", "status")
    trigger_id = models.CharField(max_length=MAX_TRIGGER_ID, db_collation=_BYTES)
    document_uuid = models.CharField(max_length=MAX_UUID, db_collation=_BYTES)
    status = models.CharField(max_length=10, db_collation=_BYTES)
    # The start of the processing, the same in both entries.
    time = models.DateTimeField()

    class Meta:
        db_table = "document_history"
        default_permissions = ("view",)
        permissions = [
            ("check_documents", "Can check and complete documents"),
            ("take_documents", "Can take resubmitted documents with their contents"),
            ("resolve_documents", "Can resubmit and settle documents in doubt"),
            ("sweep_documents", "Can remove expired document history"),
        ]
        constraints = [
            models.CheckConstraint(
                name="document_history_status_ck",
                condition=models.Q(status__in=sorted(map(str, EntryStatus))),
            )
        ]
        # (trigger_id, time, hash of both keys) for the sweeper and the list of entries is in migration 0005,
        # because its expression cannot be a column of this table.

    def __str__(self) -> str:
        return f"{self.trigger_id} {self.document_uuid} {self.status}"


class HistoryLine(PlainModel):
    """A document's entries as one line: a view on `document_history` only."""

    # A number derived from trigger and UUID, which orders the lines of one moment.
    line_no = models.BigIntegerField(primary_key=True)
    trigger_id = models.CharField(max_length=MAX_TRIGGER_ID)
    document_uuid = models.CharField(max_length=MAX_UUID)
    time = models.DateTimeField()
    has_processing = models.BooleanField()
    has_completed = models.BooleanField()

    class Meta(PlainModel.Meta):
        db_table = "document_history_line"
        verbose_name_plural = "documents"
        managed = False

    def __str__(self) -> str:
        return f"{self.trigger_id} {self.document_uuid}"


class DocumentOpen(PlainModel):
    """
    A document with a processing entry and no completed one, maintained by triggers on `document_history`.

    These few documents are found without reading the whole history, whatever code writes it.
    """

    pk = models.CompositePrimaryKey("trigger_id", "document_uuid")
    trigger_id = models.CharField(max_length=MAX_TRIGGER_ID, db_collation=_BYTES)
    document_uuid = models.CharField(max_length=MAX_UUID, db_collation=_BYTES)
    time = models.DateTimeField()
    line_no = models.BigIntegerField()

    class Meta(PlainModel.Meta):
        db_table = "document_open"
        # Undetermined documents by age; the oldest of a trigger.
        indexes = [models.Index("trigger_id", "time", "line_no", name="document_open_age_idx")]


class DocumentContent(PlainModel):
    """
    The hash of a document's content, if the caller sent one, to detect a UUID that is reused for another
    content.

    It is valid only for entries with the same time; a document that was started again has no hash
    (docs/contributing/spec/promises.md, I-45).
    """

    pk = models.CompositePrimaryKey("trigger_id", "document_uuid")
    trigger_id = models.CharField(max_length=MAX_TRIGGER_ID, db_collation=_BYTES)
    document_uuid = models.CharField(max_length=MAX_UUID, db_collation=_BYTES)
    sha256 = models.CharField(max_length=64)
    time = models.DateTimeField()

    class Meta(PlainModel.Meta):
        db_table = "document_content"
        # Sweeper: a trigger's oldest.
        indexes = [models.Index("trigger_id", "time", name="document_content_time_idx")]


class DocumentInDoubt(PlainModel):
    """
    A document that was not processed because it was unknown whether it had been processed before
    (docs/contributing/spec/document_history.md, "In Doubt documents").
    """

    in_doubt_id = models.BigAutoField(primary_key=True)
    trigger_id = models.CharField(max_length=MAX_TRIGGER_ID, db_collation=_BYTES)
    # Empty if no UUID could be assigned.
    document_uuid = models.CharField(max_length=MAX_UUID, blank=True, db_collation=_BYTES)
    # The identifier as it was sent, shortened if it is very long.
    identifier = models.CharField(max_length=300, blank=True)
    document_name = models.CharField(max_length=200, blank=True)
    redelivery_count = models.IntegerField(default=NO_COUNT)
    rule = models.CharField(max_length=30)
    message = models.CharField(max_length=1000, blank=True)
    document = models.JSONField(null=True)
    # Number of further deliveries, and the time of the last one. A document has one line, however often it is
    # delivered.
    deliveries = models.IntegerField(default=1)
    received_at = models.DateTimeField(db_default=Now())
    last_received_at = models.DateTimeField(db_default=Now())
    state = models.CharField(max_length=12, default=InDoubtState.OPEN)
    resolved_at = models.DateTimeField(null=True)
    resolved_by = models.CharField(max_length=150, blank=True)
    reason = models.CharField(max_length=1000, blank=True)
    # The start that the decision gave its entry. The holder of a settled document can no longer complete it;
    # a resubmitted one is completed with this start. None: the history has no entry.
    decided_start = models.DateTimeField(null=True)
    # The time when the trigger's own code, or a person, took the resubmitted document to process it.
    taken_at = models.DateTimeField(null=True)
    taken_by = models.CharField(max_length=150, blank=True)

    class Meta(PlainModel.Meta):
        db_table = "document_in_doubt"
        constraints = [
            # For noting a further delivery: one open line for each document.
            models.UniqueConstraint(
                fields=["trigger_id", "document_uuid"],
                condition=models.Q(state=InDoubtState.OPEN) & ~models.Q(document_uuid=""),
                name="uq_document_in_doubt",
            )
        ]
        indexes = [
            # The inbox: open ones, newest first.
            models.Index("state", "in_doubt_id", name="document_in_doubt_state_idx"),
            models.Index("trigger_id", "state", "in_doubt_id", name="document_in_doubt_trig_idx"),
            # For a completion that finds the document completed: was it settled?
            models.Index(
                "trigger_id",
                "document_uuid",
                name="document_in_doubt_settled_idx",
                condition=models.Q(state=InDoubtState.SETTLED),
            ),
            # For erasing all outcomes of a document.
            models.Index("identifier", name="document_in_doubt_ident_idx"),
            # The oldest resubmitted document of a trigger that has not been taken yet.
            models.Index(
                "trigger_id",
                "in_doubt_id",
                name="document_in_doubt_free_idx",
                condition=models.Q(state=InDoubtState.RESUBMITTED, taken_at=None),
            ),
        ]


class DocumentOutcome(PlainModel):
    """
    A delivery that was Duplicate or In Doubt, for the statistics (docs/contributing/spec/document_history.md,
    "Statistics").
    """

    outcome_id = models.BigAutoField(primary_key=True)
    trigger_id = models.CharField(max_length=MAX_TRIGGER_ID, db_collation=_BYTES)
    document_name = models.CharField(max_length=200, blank=True)
    identifier = models.CharField(max_length=300, blank=True)
    status = models.CharField(max_length=10)
    at = models.DateTimeField(db_default=Now())
    redelivery_count = models.IntegerField(default=NO_COUNT)
    decided_by = models.CharField(max_length=20)
    rule = models.CharField(max_length=30)
    message = models.CharField(max_length=1000, blank=True)

    class Meta(PlainModel.Meta):
        db_table = "document_outcome"
        indexes = [
            # Statistics of a trigger, newest first, of any time.
            models.Index("trigger_id", "at", "outcome_id", name="document_outcome_trigger_idx"),
            # The number for a trigger in a period: one index for each status, which the one above is not used
            # for.
            models.Index(
                "trigger_id",
                "at",
                name="document_outcome_twice_idx",
                condition=models.Q(status=Verdict.DUPLICATE),
            ),
            models.Index(
                "trigger_id",
                "at",
                name="document_outcome_doubt_idx",
                condition=models.Q(status=Verdict.IN_DOUBT),
            ),
            # For erasing a document.
            models.Index("identifier", name="document_outcome_ident_idx"),
            # For the sweeper: outcomes older than a month.
            models.Index("at", name="document_outcome_age_idx"),
        ]


class DocumentSweep(PlainModel):
    """One run of the sweeper, with the numbers of removed entries."""

    sweep_id = models.BigAutoField(primary_key=True)
    started_at = models.DateTimeField(db_default=Now())
    # Null: the run is in progress, or its process died.
    finished_at = models.DateTimeField(null=True)
    actor = models.CharField(max_length=150)
    removed = models.BigIntegerField(default=0)
    removed_by_trigger = models.JSONField(default=dict)
    error = models.CharField(max_length=1000, blank=True)

    class Meta(PlainModel.Meta):
        db_table = "document_sweep"
