"""What the API says of a job, and what it takes for a new one. Source: spec/interfaces.md 6."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from messages_app.jobs.queries import JobProgress
from messages_app.jobs.states import JobKind
from messages_app.web.serializers import ReasonField, StrictBooleanField, StrictCharField, StrictSerializer


@extend_schema_field(OpenApiTypes.OBJECT)
class _KeptField(serializers.JSONField):
    """What is stored, shown even where somebody has edited it into something else."""


class JobSerializer(serializers.Serializer):
    """A `JobProgress`: the job's columns, and what its ledger adds up to."""

    job_id = serializers.IntegerField(source="job.job_id")
    kind = serializers.CharField(source="job.kind")
    state = serializers.CharField(source="job.state")
    filter = _KeptField(source="job.filter")
    options = _KeptField(source="job.options")
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
    report = _KeptField(source="job.report")
    error = serializers.CharField(source="job.error")
    paused_for = serializers.SerializerMethodField(help_text="What a job that rests waits for, else null.")
    undo_of = serializers.IntegerField(
        source="job.undo_of", allow_null=True, help_text="Whose work it undoes."
    )
    retry_of = serializers.IntegerField(
        source="job.retry_of", allow_null=True, help_text="The job whose failed messages it tries again."
    )

    def get_outcomes(self, progress: JobProgress) -> dict[str, int]:
        return dict(progress.outcomes)

    def get_paused_for(self, progress: JobProgress) -> str | None:
        return progress.job.paused_for or None


class JobItemSerializer(serializers.Serializer):
    """A row of the ledger, or a refusal."""

    msg_id = serializers.IntegerField()
    root_msg_id = serializers.IntegerField()
    old_state = serializers.CharField()
    new_state = serializers.CharField(allow_null=True, default=None, help_text="Null: not changed.")
    outcome = serializers.CharField(allow_null=True, help_text="Null: not decided yet.")


_FILTER = "By the names of the filters of `messages/`; a list of texts where several values are taken."
_OPTIONS = (
    "archive: older_than_months (2; null with a filter), to (tables or parquet). restart: total (false)."
    " restart and cancel: rate (messages a second), canary (messages), stop_at_failure_rate (0 to 1)."
    " export: format (csv, jsonl or parquet), payload (false). restore: none."
)


class NewJobSerializer(StrictSerializer):
    kind = StrictCharField(help_text=f"One of {', '.join(JobKind)}.")
    filter = serializers.DictField(default=dict, help_text=_FILTER)
    options = serializers.DictField(default=dict, help_text=_OPTIONS)
    dry_run = StrictBooleanField(default=False, help_text="Plan and count only.")
    reason = ReasonField()


class WhySerializer(StrictSerializer):
    reason = ReasonField()


class _RateField(serializers.FloatField):
    """A number as it came; its range is the service's to check."""

    def to_internal_value(self, data: object) -> float:
        if not isinstance(data, int | float) or isinstance(data, bool):
            self.fail("invalid")
        return data


class RateSerializer(StrictSerializer):
    rate = _RateField(allow_null=True, help_text="Messages a second; null: as fast as it goes.")
    reason = ReasonField()
