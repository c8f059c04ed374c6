from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector
from django.db import models

from messages_app.core.plain_model import PlainModel

# The words of a reason, as they are indexed. Only letters and digits: the number in INC-4711 is a word.
REASON_WORDS = SearchVector(
    models.Func(
        models.F("reason"),
        models.Value("[^[:alnum:]]+"),
        models.Value(" "),
        models.Value("g"),
        function="regexp_replace",
        output_field=models.TextField(),
    ),
    config="simple",
)


class AuditEntry(models.Model):
    """
    One action of an operator, allowed or refused, on one target. Entries are never changed.

    A trigger assigns the id, the time and the transaction (migrations/sql/audit_insert.sql).
    """

    class Outcome(models.TextChoices):
        DONE = "done"
        REFUSED = "refused"

    entry_id = models.BigAutoField(primary_key=True)
    at = models.DateTimeField(db_default=models.functions.Now())
    # The id of a user decides; the name is as it was then. NULL: no user, or an entry of an older version.
    actor = models.CharField(max_length=150)
    actor_id = models.BigIntegerField(null=True)
    token_name = models.CharField(max_length=60, blank=True)
    address = models.GenericIPAddressField(null=True)
    request_id = models.CharField(max_length=36, blank=True)
    action = models.CharField(max_length=40)
    outcome = models.CharField(max_length=10, choices=Outcome.choices)
    msg_id = models.BigIntegerField(null=True)
    job_id = models.BigIntegerField(null=True)
    # Another target than a message or job: a kind of subject (audit/subjects.py), and its key.
    subject_kind = models.CharField(max_length=20, blank=True, default="", db_default="")
    subject = models.CharField(max_length=200, blank=True, default="", db_default="")
    before_state = models.CharField(max_length=20, blank=True)
    after_state = models.CharField(max_length=20, blank=True)
    reason = models.CharField(max_length=1000, blank=True)
    details = models.JSONField(default=dict)
    # NULL for entries of an older version.
    transaction_id = models.BigIntegerField(null=True)

    class Meta:
        db_table = "audit_entry"
        default_permissions = ("view",)
        constraints = [
            models.CheckConstraint(condition=models.Q(entry_id__gt=0), name="audit_entry_id_check")
        ]
        indexes = [
            # Message page: the actions of operators on a message.
            models.Index(
                "msg_id", "entry_id", name="audit_msg_idx", condition=models.Q(msg_id__isnull=False)
            ),
            # Job page: the actions on a job.
            models.Index(
                "job_id", "entry_id", name="audit_job_idx", condition=models.Q(job_id__isnull=False)
            ),
            # Pages of other subjects: the actions on a subject.
            models.Index(
                "subject_kind",
                "subject",
                "entry_id",
                name="audit_subject_idx",
                condition=~models.Q(subject=""),
            ),
            # The list, which is sorted by time, and its filters.
            models.Index("at", "entry_id", name="audit_at_idx"),
            models.Index("actor", "at", "entry_id", name="audit_actor_idx"),
            models.Index("action", "at", "entry_id", name="audit_action_idx"),
            models.Index(
                "token_name",
                "at",
                "entry_id",
                name="audit_token_idx",
                condition=~models.Q(token_name=""),
            ),
            models.Index(
                "request_id",
                "at",
                "entry_id",
                name="audit_request_idx",
                condition=~models.Q(request_id=""),
            ),
            models.Index(
                "outcome",
                "at",
                "entry_id",
                name="audit_refused_idx",
                condition=models.Q(outcome="refused"),
            ),
            GinIndex(REASON_WORDS, name="audit_reason_idx", condition=~models.Q(reason="")),
        ]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M:%S} {self.actor} {self.action} {self.outcome}"


class AuditSeal(PlainModel):
    """
    A digest of all entries between two ids, chained to the previous seal. Seals are never changed.

    Transactions that are open while entries are sealed may add entries later whose ids lie between those.
    Such a seal names the ids without an entry and the transactions; the seal that covers a late entry names
    its id.
    """

    seal_id = models.BigIntegerField(primary_key=True)  # 1, 2, 3, ...
    first_id = models.BigIntegerField()
    last_id = models.BigIntegerField()
    entries = models.IntegerField()
    digest = models.CharField(max_length=64)
    sealed_at = models.DateTimeField()
    # Ids of entries in the spans of earlier seals. NULL: no such entries, as in the columns below.
    late = ArrayField(models.BigIntegerField(), null=True)
    # The first and last ids of spans without entries.
    gaps_from = ArrayField(models.BigIntegerField(), null=True)
    gaps_to = ArrayField(models.BigIntegerField(), null=True)
    open_transactions = ArrayField(models.BigIntegerField(), null=True)

    class Meta(PlainModel.Meta):
        db_table = "audit_seal"
        indexes = [
            # Late entries, which are under another seal than their neighbours.
            models.Index("seal_id", name="audit_seal_late_idx", condition=models.Q(late__isnull=False)),
            # Page of an entry: the seal of its span.
            models.Index("last_id", name="audit_seal_span_idx"),
        ]

    def __str__(self) -> str:
        return f"{self.seal_id}:{self.digest}"


class AuditTombstone(PlainModel):
    """
    A record of entries under some seals, which were removed because of their age. Tombstones are never
    changed.
    """

    first_seal = models.BigIntegerField(primary_key=True)
    last_seal = models.BigIntegerField()
    first_id = models.BigIntegerField()
    last_id = models.BigIntegerField()
    entries = models.IntegerField()
    digest = models.CharField(max_length=64)
    made_at = models.DateTimeField()

    class Meta(PlainModel.Meta):
        db_table = "audit_tombstone"

    def __str__(self) -> str:
        return f"entries {self.first_id} to {self.last_id}"
