"""The changes that a resend job would make, as pages show them: by kind, with an example each."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.http import HttpRequest

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.audit import services as audit
from messages_app.core.charts.bars import Bar, make_bars
from messages_app.jobs.kinds.registry import spec_of
from messages_app.jobs.labels import reason_words
from messages_app.jobs.models import Job, JobItem
from messages_app.jobs.preview.changes import (
    MAX_PAYLOADS,
    leave_out_skipped,
    preview_changes,
    read_payloads,
    replacement_of,
)
from messages_app.jobs.preview.deadline import Deadline
from messages_app.jobs.preview.quick import SECONDS
from messages_app.shared.job_records import ChangesReport
from messages_app.shared.job_states import JobState, PauseReason
from messages_app.shared.replacements import Excerpt


@dataclass(frozen=True, kw_only=True)
class ChangeLine:
    """One kind of change. Users who do not see payloads get no excerpt."""

    place: str
    messages: int
    example: int
    excerpt: Excerpt | None


@dataclass(frozen=True, kw_only=True)
class PayloadChanges:
    """The kinds of changes, the most frequent first; `hidden` more are left out."""

    looked_at: int
    changed: int
    refused: list[Bar]
    lines: list[ChangeLine]
    hidden: int


def show_changes(
    request: HttpRequest, report: ChangesReport | None, options: Mapping[str, object]
) -> PayloadChanges | None:
    """
    Return the changes of a report, with an example of each kind for users who see payloads.

    The examples are read now, because no report has contents. The audit log has who saw them.
    """
    if not report:
        return None
    may_see = request.user.has_perm(roles.CAN_VIEW_PAYLOAD)
    payloads = dict(read_payloads([kind["example"] for kind in report["kinds"]])) if may_see else {}
    for msg_id in payloads:
        audit.record_entry(actor=actor_of(request), action="view_payload", msg_id=msg_id)
    replacement = replacement_of(options)
    return PayloadChanges(
        looked_at=report["looked_at"],
        changed=report["changed"],
        refused=make_bars((reason_words(name), count, "") for name, count in report["refused"].items()),
        lines=[
            ChangeLine(
                **kind, excerpt=replacement.find_excerpt(payloads.get(kind["example"], ""), kind["place"])
            )
            for kind in report["kinds"]
        ],
        hidden=report["hidden"],
    )


def changes_of_job(request: HttpRequest, job: Job) -> PayloadChanges | None:
    """Return the changes that a dry run counted, or the first ones of a job that waits for approval."""
    if not spec_of(job.kind).changes_payloads:
        return None
    if job.dry_run:
        changes = leave_out_skipped(job.report.get("changes"), job.report.get("skipped", {}))
        return show_changes(request, changes, job.options)
    if job.state != JobState.PLANNED or job.paused_for != PauseReason.SECOND_PERSON:
        return None
    items = JobItem.objects.filter(job_id=job.pk).order_by("chunk_no", "msg_id")
    ids = list(items.values_list("msg_id", flat=True)[:MAX_PAYLOADS])
    return show_changes(request, preview_changes(job.options, ids, Deadline(SECONDS)), job.options)
