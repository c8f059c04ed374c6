"""
The serializers of stored jobs and of the bodies that create them.

Source: docs/contributing/spec/interfaces.md, "Jobs".
"""

import json
from typing import Any, NotRequired, TypedDict

from django.http import HttpRequest
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from messages_app.core.api_schema import CodeField
from messages_app.core.parameters import MAX_ID
from messages_app.core.serializers import (
    ReasonField,
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
    StrictSerializer,
)
from messages_app.core.stores import installed_stores
from messages_app.jobs.api import schema
from messages_app.jobs.findings import FINDINGS, has_findings, represent_findings
from messages_app.jobs.kinds.registry import kind_specs, kinds_of
from messages_app.jobs.kinds.spec import KindSpec
from messages_app.jobs.models import Job, JobRefusal, LedgerRow
from messages_app.jobs.permissions import masked_filter, shown_filter, shown_options
from messages_app.jobs.selectors import JobProgress
from messages_app.jobs.stores import item_stores
from messages_app.messages.api_fields import message_state
from messages_app.shared.job_records import Given
from messages_app.shared.job_states import (
    FailReason,
    JobState,
    Outcome,
    PauseReason,
    PlanStep,
    SkipReason,
    outcome_kind,
)


@extend_schema_field(schema.FILTER)
class FilterField(serializers.JSONField):
    """
    The stored filter, even if someone edited it in the database. Payload searches are masked for users
    without the permission.
    """

    def to_representation(self, filter: Any) -> Any:
        request = self.context.get("request")
        if request is None:
            return masked_filter(filter) if isinstance(filter, dict) else filter
        return shown_filter(filter, request.user)


@extend_schema_field(schema.OPTIONS_KEPT)
class OptionsField(serializers.JSONField):
    """
    The stored options of a job or a schedule, even if someone edited them in the database. Sensitive ones are
    masked for users without the permission.
    """

    def to_representation(self, of_kind: Any) -> Any:
        request = self.context.get("request")
        if not isinstance(of_kind.options, dict):
            return of_kind.options
        return shown_options(of_kind.kind, of_kind.options, request.user if request else None)


@extend_schema_field(schema.REPORT)
class _ReportField(serializers.JSONField):
    """
    The report of a job. In the answer to a request, the addresses of files are absolute. Findings are masked
    for users without the right to payloads.
    """

    def to_representation(self, job: Any) -> Any:
        request = self.context.get("request")
        report: Any = job.report
        if not isinstance(report, dict):
            return report
        if FINDINGS in report:
            report = report | _report_findings(job, request)
        if request is None or not isinstance(report.get("files"), list):
            return report
        return report | {"files": [_with_address(each, request) for each in report["files"]]}


def _report_findings(job: Job, request: HttpRequest | None) -> dict[str, object]:
    if request is None:
        return {FINDINGS: represent_findings(job, None)}
    return {FINDINGS: represent_findings(job, request.user) if has_findings(job, request.user) else []}


def _with_address(file: object, request: HttpRequest) -> object:
    if not isinstance(file, dict) or not isinstance(file.get("download"), str):
        return file
    return file | {"download": request.build_absolute_uri(file["download"])}


class JobSerializer(serializers.Serializer):
    """A `JobProgress`: the columns of the job and the sums of its ledger."""

    job_id = serializers.IntegerField(source="job.job_id")
    kind = CodeField("JobKind", kind_specs, is_open=True, source="job.kind")
    state = CodeField("JobState", JobState, source="job.state")
    step = serializers.SerializerMethodField(
        help_text="The step that delays the planning of a claimed job: starting_spark, warming_up or null."
    )
    filter = FilterField(source="job.filter")
    options = OptionsField(source="job")
    dry_run = serializers.BooleanField(source="job.dry_run")
    watermark = serializers.DateTimeField(source="job.watermark", help_text="When the selection was frozen.")
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
    report = _ReportField(source="job")
    error = serializers.CharField(source="job.error")
    paused_for = serializers.SerializerMethodField(help_text="Why a paused job waits; null for other jobs.")
    undo_of = serializers.IntegerField(
        source="job.undo_of", allow_null=True, help_text="The job that it undoes."
    )
    retry_of = serializers.IntegerField(
        source="job.retry_of", allow_null=True, help_text="The job whose failed messages it retries."
    )

    def get_outcomes(self, progress: JobProgress) -> dict[str, int]:
        return dict(progress.outcomes)

    @extend_schema_field(CodeField("PlanStep", PlanStep, is_open=True, allow_null=True))
    def get_step(self, progress: JobProgress) -> str | None:
        job = progress.job
        return (job.step or None) if job.state == JobState.PLANNING else None

    @extend_schema_field(CodeField("PauseReason", PauseReason, is_open=True, allow_null=True))
    def get_paused_for(self, progress: JobProgress) -> str | None:
        return progress.job.paused_for or None


_OUTCOME = "^(done|(skipped|failed):.+)$"
_REASONS = [*SkipReason, *FailReason]


class JobItemSerializer(serializers.Serializer):
    """A row of the ledger, including refused messages."""

    msg_id = serializers.IntegerField()
    root_msg_id = serializers.IntegerField()
    old_state = message_state(help_text="For a message of the message store, its status.")
    new_state = message_state(allow_null=True, default=None, help_text="null: not changed.")
    resent_as = serializers.IntegerField(
        allow_null=True, help_text="The new message that a job of kind resend has sent for it, or null."
    )
    outcome = serializers.SerializerMethodField(
        help_text="null: not decided yet. Otherwise `done`, `skipped:<reason>` or `failed:<reason>`."
    )
    outcome_kind = serializers.SerializerMethodField(help_text="The outcome without its reason.")
    outcome_reason = serializers.SerializerMethodField(
        help_text=(
            "The reason of the outcome, or null. The reason of a failure can be the name of a constraint."
        )
    )

    @extend_schema_field({"type": "string", "pattern": _OUTCOME, "nullable": True})
    def get_outcome(self, item: LedgerRow | JobRefusal) -> str | None:
        return item.outcome

    @extend_schema_field(CodeField("OutcomeKind", Outcome, allow_null=True))
    def get_outcome_kind(self, item: LedgerRow | JobRefusal) -> str | None:
        return item.outcome and str(outcome_kind(item.outcome))

    @extend_schema_field(CodeField("OutcomeReason", _REASONS, is_open=True, allow_null=True))
    def get_outcome_reason(self, item: LedgerRow | JobRefusal) -> str | None:
        return ((item.outcome or "").partition(":")[2]) or None


def _filter_names() -> str:
    """Return the calls whose filters the kinds of jobs use."""
    addresses = [store.address for store in installed_stores() if store.job_items]
    of_others = (
        f"; for {' and '.join(kinds_of(name))} those of `{address}`"
        for name, address in zip(item_stores(), addresses, strict=True)
        if address
    )
    return f"Uses the filter names of `messages/`{''.join(of_others)}."


_FILTER = f"{_filter_names()} Use a list for several values."


def _options_of(spec: KindSpec) -> str:
    named = (
        name if option.default is None else f"{name} ({json.dumps(option.default).strip(chr(34))})"
        for name, option in spec.options.items()
    )
    return f"{spec.kind}: {', '.join(named) or 'none'}."


_OPTIONS = " ".join(["By kind, with defaults.", *map(_options_of, kind_specs.values())])


_CONFIRMED = (
    "The number of messages you agree to change. If the selection is over 10 % larger, the job pauses with"
    " `paused_for` `confirmation`, and `report.to_do` has the actual number. null: no confirmation."
)


@extend_schema_field(CodeField("JobKind", kind_specs))
class KindField(StrictCharField):
    """A kind of job. The service checks that it exists."""


@extend_schema_field(schema.NEW_FILTER)
class NewFilterField(serializers.DictField):
    """A filter. The service parses it as the list of the kind's store does."""


@extend_schema_field(schema.NEW_OPTIONS)
class NewOptionsField(serializers.DictField):
    """Options. The service checks them for the kind of job."""


class NewJob(TypedDict):
    kind: str
    filter: Given
    options: Given
    dry_run: bool
    reason: str
    confirmed: NotRequired[int | None]


class NewJobSerializer(StrictSerializer):
    kind = KindField()
    filter = NewFilterField(default=dict, help_text=_FILTER)
    options = NewOptionsField(default=dict, help_text=_OPTIONS)
    dry_run = StrictBooleanField(default=False, help_text="Only plan and count.")
    confirmed = StrictIntegerField(
        required=False, allow_null=True, min_value=0, max_value=MAX_ID, help_text=_CONFIRMED
    )
    reason = ReasonField()


class WhySerializer(StrictSerializer):
    reason = ReasonField()


class ResumeSerializer(StrictSerializer):
    reason = ReasonField()
    confirmed = StrictIntegerField(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=MAX_ID,
        help_text="Required if `paused_for` is `confirmation`: the number of messages the job may change.",
    )


class _RateField(serializers.FloatField):
    """A number of any size. The service checks the range."""

    def to_internal_value(self, data: object) -> float:
        if not isinstance(data, int | float) or isinstance(data, bool):
            self.fail("invalid")
        return data


class RateSerializer(StrictSerializer):
    rate = _RateField(allow_null=True, help_text="Messages per second; null: no limit.")
    reason = ReasonField()
