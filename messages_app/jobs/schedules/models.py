"""Recurring jobs: what beat's periodic task of the same number has made each time."""

from django.conf import settings
from django.db import models

from messages_app.shared.job_records import JobFilter, JobOptions


class JobSchedule(models.Model):
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
