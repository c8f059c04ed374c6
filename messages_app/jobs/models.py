"""
Bulk jobs: the job, its frozen set (items), its chunks, each one transaction, and schedules of jobs.

Source: docs/contributing/spec/design.md, "Jobs"; docs/contributing/spec/interfaces.md, "Jobs".
"""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from messages_app.core.plain_model import PlainModel
from messages_app.shared.job_records import JobFilter, JobOptions, JobReport, RecentRun
from messages_app.shared.job_states import ACTIVE_STATES, LIVE_STATES, JobKind, JobState, PauseReason


class Job(models.Model):
    job_id = models.BigAutoField(primary_key=True)
    kind = models.CharField(max_length=20)
    state = models.CharField(max_length=10, default=JobState.PLANNING)
    filter: "models.JSONField[JobFilter, JobFilter]" = models.JSONField(default=dict)
    options: "models.JSONField[JobOptions, JobOptions]" = models.JSONField(default=dict)
    dry_run = models.BooleanField(default=False)
    reason = models.CharField(max_length=1000)
    # The time when the set was frozen, its age limit, and the last message that may be in it.
    watermark = models.DateTimeField(db_default=Now())
    cutoff = models.DateTimeField(null=True)
    last_msg_id = models.BigIntegerField(null=True)
    # The number of chunks, known when planning ends. Counts of messages come from the chunks.
    chunk_count = models.IntegerField(null=True)
    # The id of its user decides about permissions; the name is as it was then. NULL: no user.
    created_by = models.CharField(max_length=150)
    creator_id = models.BigIntegerField(null=True)
    created_at = models.DateTimeField(db_default=Now())
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    # The fence: an older attempt cannot commit anything (docs/contributing/spec/promises.md, I-28).
    attempt = models.IntegerField(default=0)
    # The last heartbeat of its worker, or the last resume.
    heartbeat_at = models.DateTimeField(null=True)
    lease_until = models.DateTimeField(null=True)
    # The PlanStep that delays its plan; empty at the start of each attempt.
    step = models.CharField(max_length=20, blank=True, db_default="")
    # Messages per second; NULL: no limit. Executors reserve their time slots in `paced_until`.
    rate = models.FloatField(null=True)
    paced_until = models.DateTimeField(null=True)
    # The PauseReason of a paused or planned job, and the time since when it waits.
    paused_for = models.CharField(max_length=20, blank=True)
    paused_at = models.DateTimeField(null=True)
    # The attempt at the last resume. Failed attempts before it do not count.
    resumed_attempt = models.IntegerField(db_default=0)
    # The job that this one undoes, or whose failed messages it retries.
    undo_of = models.BigIntegerField(null=True)
    retry_of = models.BigIntegerField(null=True)
    report: "models.JSONField[JobReport, JobReport]" = models.JSONField(default=dict)
    error = models.TextField(blank=True)
    # Whether its end was noted for webhooks.
    is_end_noted = models.BooleanField(default=False, db_default=False)

    class Meta:
        db_table = "job"
        default_permissions = ("view",)
        constraints = [
            # Two archive jobs never overlap, on any host (docs/contributing/spec/promises.md, I-24). Dry runs
            # do not count.
            models.UniqueConstraint(
                fields=["kind"],
                name="uq_one_active_archive",
                condition=Q(kind=JobKind.ARCHIVE, state__in=sorted(ACTIVE_STATES), dry_run=False),
            ),
            # Only one job at a time undoes a job.
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
            # Watcher: jobs that may be able to continue.
            models.Index(fields=["paused_for"], name="job_paused_idx", condition=Q(state=JobState.PAUSED)),
            # Watcher: jobs that wait for a second person, with the time since when.
            models.Index(
                fields=["paused_at"],
                name="job_undecided_idx",
                condition=Q(state=JobState.PLANNED, paused_for=PauseReason.SECOND_PERSON),
            ),
            # Handover: jobs that ended during a shift.
            models.Index(
                fields=["finished_at"], name="job_finished_idx", condition=Q(finished_at__isnull=False)
            ),
            # Webhooks: ended jobs that were not noted yet.
            models.Index(
                fields=["job_id"],
                name="job_end_idx",
                condition=Q(finished_at__isnull=False, is_end_noted=False),
            ),
            # Job page: the jobs that undo this job, or retry its failed messages.
            models.Index(fields=["undo_of"], name="job_undo_idx", condition=Q(undo_of__isnull=False)),
            models.Index(fields=["retry_of"], name="job_retry_idx", condition=Q(retry_of__isnull=False)),
        ]
        permissions = [("archive_messages", "Can archive messages")]

    def __str__(self) -> str:
        return f"job {self.pk} ({self.kind})"

    def is_by(self, user_id: int | None, username: str) -> bool:
        """
        Whether this person created the job. A job without a user's id may be by anyone of its creator's name.
        """
        return self.created_by == username if self.creator_id is None else self.creator_id == user_id


class JobChunk(models.Model):
    """
    The work of one executor, one row per (job, chunk number): one transaction, or one per slice of a paced
    job.

    The ids of a chunk of messages are in the job's items. Those of a chunk of orphan requests or responses,
    which belong to no message, are in `orphan_ids`.
    """

    pk = models.CompositePrimaryKey("job_id", "chunk_no")
    job_id = models.BigIntegerField()
    chunk_no = models.IntegerField()
    content = models.CharField(max_length=20)
    planned = models.IntegerField()
    orphan_ids = models.JSONField(null=True)
    # Filled by the plan for messages that it skips, then by each transaction that processes a part of the
    # chunk.
    attempt = models.IntegerField(null=True)
    # Planned rows by outcome. They add up to `planned` when the chunk is done.
    outcomes = models.JSONField(default=dict)
    # Rows that were moved or written, by table or file.
    moved = models.JSONField(default=dict)
    # Items up to this message id have an outcome; NULL: no item, or every item.
    done_through = models.BigIntegerField(null=True)
    # The new state of the messages that were done; NULL if the job changes no states.
    new_state = models.CharField(max_length=15, null=True)  # noqa: DJ001
    # The versions (xmin) of the changed rows. By them an undo finds the rows that have not changed again.
    versions = models.JSONField(default=list)
    # When its first transaction began; NULL until it commits.
    began_at = models.DateTimeField(null=True)
    committed_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "job_chunk"

    def __str__(self) -> str:
        return f"chunk {self.chunk_no} of job {self.job_id}"


class JobItem(models.Model):
    """
    One message of a job's frozen set. The plan writes it once, and it never changes.

    Its outcome follows from its chunk and the refusals: see LedgerRow.
    """

    # The transaction of a chunk reads its items by this key.
    pk = models.CompositePrimaryKey("job_id", "chunk_no", "msg_id")
    job_id = models.BigIntegerField()
    chunk_no = models.IntegerField()
    msg_id = models.BigIntegerField()
    # The head of the message's family, or the message itself if it has no family.
    root_msg_id = models.BigIntegerField()
    old_state = models.CharField(max_length=15)

    class Meta:
        db_table = "job_item"
        constraints = [
            # Message page: the jobs of a message. A message is in a job only once
            # (docs/contributing/spec/promises.md, I-29).
            models.UniqueConstraint(fields=["msg_id", "job_id"], name="uq_item_once_a_job"),
        ]

    def __str__(self) -> str:
        return f"message {self.msg_id} in job {self.job_id}"


class JobRefusal(models.Model):
    """One message of a job's set that was skipped or failed, with the reason."""

    pk = models.CompositePrimaryKey("job_id", "msg_id")
    job_id = models.BigIntegerField()
    msg_id = models.BigIntegerField()
    root_msg_id = models.BigIntegerField()
    old_state = models.CharField(max_length=15)
    # skipped:<reason> or failed:<reason>
    outcome = models.CharField(max_length=60)
    # As of LedgerRow; nothing was sent for a refused message.
    resent_as: int | None = None

    class Meta:
        db_table = "job_refusal"
        # Job page: refusals by outcome, in the order of their ids.
        indexes = [models.Index("job_id", "outcome", "msg_id", name="job_refusal_outcome_idx")]

    def __str__(self) -> str:
        return f"message {self.msg_id} in job {self.job_id}: {self.outcome}"


class LedgerRow(PlainModel):
    """
    One message of a job's set with its outcome: a view of items, chunks and refusals.

    `outcome` is NULL while the message is open, then done, skipped:<reason> or failed:<reason>. `new_state`
    is NULL if nothing was changed. `chunk_has_done` is true if any message of its chunk is done.

    Attributes:
        resent_as: the new message that the job has sent for it, if `selectors.note_sent_messages` looked.
    """

    resent_as: int | None = None

    pk = models.CompositePrimaryKey("job_id", "chunk_no", "msg_id")
    job_id = models.BigIntegerField()
    chunk_no = models.IntegerField()
    msg_id = models.BigIntegerField()
    root_msg_id = models.BigIntegerField()
    old_state = models.CharField(max_length=15)
    new_state = models.CharField(max_length=15, null=True)  # noqa: DJ001
    outcome = models.CharField(max_length=60, null=True)  # noqa: DJ001
    chunk_has_done = models.BooleanField()

    class Meta(PlainModel.Meta):
        managed = False
        db_table = "job_ledger"


class JobSchedule(PlainModel):
    """A recurring job. The periodic task of Celery beat that has its id creates the jobs."""

    schedule_id = models.BigAutoField(primary_key=True)
    kind = models.CharField(max_length=20)
    filter: "models.JSONField[JobFilter, JobFilter]" = models.JSONField(default=dict)
    # The options as given. Each run adds the defaults.
    options: "models.JSONField[JobOptions, JobOptions]" = models.JSONField(default=dict)
    reason = models.CharField(max_length=1000)
    # Five columns: minute, hour, day of month, month, day of week, in the time zone `zone`.
    cron = models.CharField(max_length=200)
    zone = models.CharField(max_length=64)
    enabled = models.BooleanField(default=True)
    # The user who saved the schedule last. Each run has the permissions that this user has at that time.
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_by = models.CharField(max_length=150)
    last_run_at = models.DateTimeField(null=True)
    # The latest job that it created, and the result of the last run in words.
    last_job = models.BigIntegerField(null=True)
    last_outcome = models.CharField(max_length=1000, blank=True)
    # The last runs, newest first: {"at", "outcome", "job"} (schedules/runs.py).
    recent_runs: "models.JSONField[list[RecentRun], list[RecentRun]]" = models.JSONField(default=list)

    class Meta(PlainModel.Meta):
        db_table = "job_schedule"

    def __str__(self) -> str:
        return f"schedule {self.pk} ({self.kind}, {self.cron} {self.zone})"
