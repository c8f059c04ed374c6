"""
Bulk jobs: the job, its frozen set (items), and the chunks that are each one transaction.

Source: DESIGN.md "Jobs"; spec/interfaces.md 6.
"""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from messages_app.jobs.states import ACTIVE_STATES, LIVE_STATES, JobKind, JobState


class Job(models.Model):
    job_id = models.BigAutoField(primary_key=True)
    kind = models.CharField(max_length=20)
    state = models.CharField(max_length=10, default=JobState.PLANNING)
    filter = models.JSONField(default=dict)
    options = models.JSONField(default=dict)
    dry_run = models.BooleanField(default=False)
    reason = models.CharField(max_length=1000)
    # The moment at which the set was frozen, the age limit, and the last message that may be in it.
    watermark = models.DateTimeField(db_default=Now())
    cutoff = models.DateTimeField(null=True)
    last_msg_id = models.BigIntegerField(null=True)
    # How many chunks the plan made; known when planning ends. Counts of messages come from the chunks.
    chunk_count = models.IntegerField(null=True)
    created_by = models.CharField(max_length=150)
    created_at = models.DateTimeField(db_default=Now())
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    # The fence: work of an older attempt commits nothing (reliability I-28).
    attempt = models.IntegerField(default=0)
    heartbeat_at = models.DateTimeField(null=True)
    lease_until = models.DateTimeField(null=True)
    rate = models.FloatField(null=True)
    report = models.JSONField(default=dict)
    error = models.TextField(blank=True)

    class Meta:
        db_table = "job"
        default_permissions = ("view",)
        constraints = [
            # Two archive jobs never overlap, over all hosts (reliability I-24). A dry run holds no place.
            models.UniqueConstraint(
                fields=["kind"],
                name="uq_one_active_archive",
                condition=Q(kind=JobKind.ARCHIVE, state__in=sorted(ACTIVE_STATES), dry_run=False),
            ),
        ]
        # Sweeper: live jobs whose lease has run out.
        indexes = [
            models.Index("lease_until", name="job_live_idx", condition=Q(state__in=sorted(LIVE_STATES)))
        ]
        permissions = [("archive_messages", "Can archive messages")]

    def __str__(self) -> str:
        return f"job {self.pk} ({self.kind})"


class JobChunk(models.Model):
    """
    One transaction's worth of a job, one row per (job, chunk number).

    A chunk of messages has its ids in the job's items. A chunk of orphan requests or responses, which no
    message owns, has them in `orphan_ids`.
    """

    pk = models.CompositePrimaryKey("job_id", "chunk_no")
    job_id = models.BigIntegerField()
    chunk_no = models.IntegerField()
    content = models.CharField(max_length=20)
    planned = models.IntegerField()
    orphan_ids = models.JSONField(null=True)
    # Filled by the transaction that did the chunk.
    attempt = models.IntegerField(null=True)
    # Rows of the plan, by outcome; all of `planned` once the chunk is done.
    outcomes = models.JSONField(default=dict)
    # Rows moved, by live table.
    moved = models.JSONField(default=dict)
    committed_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "job_chunk"

    def __str__(self) -> str:
        return f"chunk {self.chunk_no} of job {self.job_id}"


class JobItem(models.Model):
    """One message of a job's frozen set: the ledger's row."""

    pk = models.CompositePrimaryKey("job_id", "msg_id")
    job_id = models.BigIntegerField()
    msg_id = models.BigIntegerField()
    chunk_no = models.IntegerField()
    # The message at the head of the family, itself where it stands alone.
    root_msg_id = models.BigIntegerField()
    old_state = models.CharField(max_length=15)
    new_state = models.CharField(max_length=15, null=True)  # noqa: DJ001 (NULL: not changed)
    # NULL until decided, then done, skipped:<reason> or failed:<reason>.
    outcome = models.CharField(max_length=60, null=True)  # noqa: DJ001

    class Meta:
        db_table = "job_item"
        indexes = [
            # A chunk's transaction: its items.
            models.Index("job_id", "chunk_no", name="job_item_chunk_idx"),
            # Job page: items by outcome, in order of id.
            models.Index("job_id", "outcome", "msg_id", name="job_item_outcome_idx"),
            # Message page: the jobs of a message.
            models.Index("msg_id", name="job_item_msg_idx"),
        ]

    def __str__(self) -> str:
        return f"message {self.msg_id} in job {self.job_id}"
