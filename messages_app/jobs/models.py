"""
Bulk jobs: the job, its frozen set (items), the chunks that are each one transaction; and schedules of jobs.

Source: docs/spec/design.md, "Jobs"; docs/spec/interfaces.md, "Jobs".
"""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from messages_app.shared.job_records import JobFilter, JobOptions, JobReport
from messages_app.shared.job_states import ACTIVE_STATES, LIVE_STATES, JobKind, JobState, PauseReason


class Job(models.Model):
    job_id = models.BigAutoField(primary_key=True)
    kind = models.CharField(max_length=20)
    state = models.CharField(max_length=10, default=JobState.PLANNING)
    filter: "models.JSONField[JobFilter, JobFilter]" = models.JSONField(default=dict)
    options: "models.JSONField[JobOptions, JobOptions]" = models.JSONField(default=dict)
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
    # The fence: work of an older attempt commits nothing (docs/spec/promises.md, I-28).
    attempt = models.IntegerField(default=0)
    # The last sign of life: of its worker, or of who told it to go on.
    heartbeat_at = models.DateTimeField(null=True)
    lease_until = models.DateTimeField(null=True)
    # What holds up its plan, a PlanStep; each attempt begins without.
    step = models.CharField(max_length=20, blank=True, db_default="")
    # Messages a second; NULL: as fast as it goes. Executors book their slices in `paced_until`.
    rate = models.FloatField(null=True)
    paced_until = models.DateTimeField(null=True)
    # Why a paused or planned job waits, a PauseReason, and since when.
    paused_for = models.CharField(max_length=20, blank=True)
    paused_at = models.DateTimeField(null=True)
    # The attempt under which it was last told to go on: what failed before is not held against it.
    resumed_attempt = models.IntegerField(db_default=0)
    # The job whose work this one takes back, or whose failed messages it tries again.
    undo_of = models.BigIntegerField(null=True)
    retry_of = models.BigIntegerField(null=True)
    report: "models.JSONField[JobReport, JobReport]" = models.JSONField(default=dict)
    error = models.TextField(blank=True)

    class Meta:
        db_table = "job"
        default_permissions = ("view",)
        constraints = [
            # Two archive jobs never overlap, over all hosts (docs/spec/promises.md, I-24). A dry run holds no
            # place.
            models.UniqueConstraint(
                fields=["kind"],
                name="uq_one_active_archive",
                condition=Q(kind=JobKind.ARCHIVE, state__in=sorted(ACTIVE_STATES), dry_run=False),
            ),
            # A job is undone by one other at a time.
            models.UniqueConstraint(
                fields=["undo_of"], name="uq_one_active_undo", condition=Q(state__in=sorted(ACTIVE_STATES))
            ),
        ]
        indexes = [
            # List: filters state and kind.
            models.Index("state", "job_id", name="job_state_idx"),
            models.Index("kind", "job_id", name="job_kind_idx"),
            # Sweeper: live jobs whose lease has run out.
            models.Index("lease_until", name="job_live_idx", condition=Q(state__in=sorted(LIVE_STATES))),
            # Watcher: jobs that wait for something that may have come.
            models.Index(fields=["paused_for"], name="job_paused_idx", condition=Q(state=JobState.PAUSED)),
            # Watcher: jobs that wait for a second person, and since when.
            models.Index(
                fields=["paused_at"],
                name="job_undecided_idx",
                condition=Q(state=JobState.PLANNED, paused_for=PauseReason.SECOND_PERSON),
            ),
            # Handover: what ended during a shift.
            models.Index(
                fields=["finished_at"], name="job_finished_idx", condition=Q(finished_at__isnull=False)
            ),
            # Job page: who undoes it, and who tries its failed messages again.
            models.Index(fields=["undo_of"], name="job_undo_idx", condition=Q(undo_of__isnull=False)),
            models.Index(fields=["retry_of"], name="job_retry_idx", condition=Q(retry_of__isnull=False)),
        ]
        permissions = [("archive_messages", "Can archive messages")]

    def __str__(self) -> str:
        return f"job {self.pk} ({self.kind})"


class JobChunk(models.Model):
    """
    One executor's work, one row per (job, chunk number): one transaction, or one a slice of a paced job.

    A chunk of messages has its ids in the job's items. A chunk of orphan requests or responses, which no
    message owns, has them in `orphan_ids`.
    """

    pk = models.CompositePrimaryKey("job_id", "chunk_no")
    job_id = models.BigIntegerField()
    chunk_no = models.IntegerField()
    content = models.CharField(max_length=20)
    planned = models.IntegerField()
    orphan_ids = models.JSONField(null=True)
    # Filled by the plan for what it refuses, then by each transaction that does a part of the chunk.
    attempt = models.IntegerField(null=True)
    # Rows of the plan, by outcome; all of `planned` once the chunk is done.
    outcomes = models.JSONField(default=dict)
    # Rows moved or written, by table or file.
    moved = models.JSONField(default=dict)
    # Items up to this message id are decided; NULL: none is, or all are.
    done_through = models.BigIntegerField(null=True)
    # The state that the messages done were given, NULL where the job changes none.
    new_state = models.CharField(max_length=15, null=True)  # noqa: DJ001
    # The versions (xmin) of the rows changed: by them an undo knows what nobody has changed since.
    versions = models.JSONField(default=list)
    committed_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "job_chunk"

    def __str__(self) -> str:
        return f"chunk {self.chunk_no} of job {self.job_id}"


class JobItem(models.Model):
    """
    One message of a job's frozen set. Written once, by the plan, and never changed.

    What became of it is told by its chunk and by the refusals: see LedgerRow.
    """

    # A chunk's transaction reads its items by this key.
    pk = models.CompositePrimaryKey("job_id", "chunk_no", "msg_id")
    job_id = models.BigIntegerField()
    chunk_no = models.IntegerField()
    msg_id = models.BigIntegerField()
    # The message at the head of the family, itself where it stands alone.
    root_msg_id = models.BigIntegerField()
    old_state = models.CharField(max_length=15)

    class Meta:
        db_table = "job_item"
        constraints = [
            # Message page: the jobs of a message; and once in a job is enough (docs/spec/promises.md, I-29).
            models.UniqueConstraint(fields=["msg_id", "job_id"], name="uq_item_once_a_job"),
        ]

    def __str__(self) -> str:
        return f"message {self.msg_id} in job {self.job_id}"


class JobRefusal(models.Model):
    """One message of a job's set that was not done: skipped or failed, with the reason."""

    pk = models.CompositePrimaryKey("job_id", "msg_id")
    job_id = models.BigIntegerField()
    msg_id = models.BigIntegerField()
    root_msg_id = models.BigIntegerField()
    old_state = models.CharField(max_length=15)
    # skipped:<reason> or failed:<reason>
    outcome = models.CharField(max_length=60)

    class Meta:
        db_table = "job_refusal"
        # Job page: refusals by outcome, in order of id.
        indexes = [models.Index("job_id", "outcome", "msg_id", name="job_refusal_outcome_idx")]

    def __str__(self) -> str:
        return f"message {self.msg_id} in job {self.job_id}: {self.outcome}"


class LedgerRow(models.Model):
    """
    One message of a job's set with its outcome: a view of items, chunks and refusals.

    `outcome` is NULL until decided, then done, skipped:<reason> or failed:<reason>; `new_state` is NULL where
    nothing was changed; `chunk_has_done` says whether any message of its chunk is done.
    """

    pk = models.CompositePrimaryKey("job_id", "chunk_no", "msg_id")
    job_id = models.BigIntegerField()
    chunk_no = models.IntegerField()
    msg_id = models.BigIntegerField()
    root_msg_id = models.BigIntegerField()
    old_state = models.CharField(max_length=15)
    new_state = models.CharField(max_length=15, null=True)  # noqa: DJ001
    outcome = models.CharField(max_length=60, null=True)  # noqa: DJ001
    chunk_has_done = models.BooleanField()

    class Meta:
        managed = False
        db_table = "job_ledger"
        default_permissions = ()

    def __str__(self) -> str:
        return f"message {self.msg_id} in job {self.job_id}: {self.outcome or 'open'}"


class JobSchedule(models.Model):
    """A recurring job. Celery beat's periodic task that names its id makes the jobs."""

    schedule_id = models.BigAutoField(primary_key=True)
    kind = models.CharField(max_length=20)
    filter: "models.JSONField[JobFilter, JobFilter]" = models.JSONField(default=dict)
    # As they were asked for: defaults are filled in at each run.
    options: "models.JSONField[JobOptions, JobOptions]" = models.JSONField(default=dict)
    reason = models.CharField(max_length=1000)
    # Five columns: minute, hour, day of month, month, day of week; in the time of `zone`.
    cron = models.CharField(max_length=200)
    zone = models.CharField(max_length=64)
    enabled = models.BooleanField(default=True)
    # Who saved it last: the runs have that person's rights, as they are at the time.
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_by = models.CharField(max_length=150)
    last_run_at = models.DateTimeField(null=True)
    # The latest job that it made, and in words what came of the last run.
    last_job = models.BigIntegerField(null=True)
    last_outcome = models.CharField(max_length=1000, blank=True)

    class Meta:
        db_table = "job_schedule"
        default_permissions = ()

    def __str__(self) -> str:
        return f"schedule {self.pk} ({self.kind}, {self.cron} {self.zone})"
