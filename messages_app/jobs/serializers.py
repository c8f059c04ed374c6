"""What the API says of a job, and what it takes for a new one. Source: spec/interfaces.md 6."""

from rest_framework import serializers

from messages_app.jobs.queries import JobProgress
from messages_app.web.serializers import ReasonField, StrictBooleanField, StrictCharField, StrictSerializer


class JobSerializer(serializers.Serializer):
    """A `JobProgress`: the job's columns, and what its ledger adds up to."""

    job_id = serializers.IntegerField(source="job.job_id")
    kind = serializers.CharField(source="job.kind")
    state = serializers.CharField(source="job.state")
    filter = serializers.DictField(source="job.filter")
    options = serializers.DictField(source="job.options")
    dry_run = serializers.BooleanField(source="job.dry_run")
    watermark = serializers.DateTimeField(source="job.watermark", help_text="When the set was frozen.")
    planned = serializers.IntegerField()
    done = serializers.IntegerField()
    skipped = serializers.IntegerField()
    failed = serializers.IntegerField()
    outcomes = serializers.SerializerMethodField()
    attempt = serializers.IntegerField(source="job.attempt")
    created_by = serializers.CharField(source="job.created_by")
    created_at = serializers.DateTimeField(source="job.created_at")
    started_at = serializers.DateTimeField(source="job.started_at", allow_null=True)
    finished_at = serializers.DateTimeField(source="job.finished_at", allow_null=True)
    heartbeat_at = serializers.DateTimeField(source="job.heartbeat_at", allow_null=True)
    rate = serializers.FloatField(source="job.rate", allow_null=True)
    reason = serializers.CharField(source="job.reason")
    report = serializers.DictField(source="job.report")
    error = serializers.CharField(source="job.error")

    def get_outcomes(self, progress: JobProgress) -> dict[str, int]:
        return dict(progress.outcomes)


class JobItemSerializer(serializers.Serializer):
    """A row of the ledger, or a refusal."""

    msg_id = serializers.IntegerField()
    root_msg_id = serializers.IntegerField()
    old_state = serializers.CharField()
    new_state = serializers.CharField(allow_null=True, default=None, help_text="Null: not changed.")
    outcome = serializers.CharField(allow_null=True, help_text="Null: not decided yet.")


_OPTIONS = (
    "archive: older_than_months (2), to (tables). restart: total (false). restart and cancel: rate (messages"
    " a second), canary (messages), stop_at_failure_rate (0 to 1)."
)


class NewJobSerializer(StrictSerializer):
    kind = StrictCharField(help_text="archive, restart or cancel")
    filter = serializers.DictField(default=dict)
    options = serializers.DictField(default=dict, help_text=_OPTIONS)
    dry_run = StrictBooleanField(default=False, help_text="Plan and count only.")
    reason = ReasonField()


class StopSerializer(StrictSerializer):
    reason = ReasonField()
