"""The jobs of one item or of a failure group, as parts of their pages."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.actors import Caller
from messages_app.access.decorators import requires_permission
from messages_app.jobs.kinds.registry import kinds_of, spec_of
from messages_app.jobs.labels import outcome_words, title_of
from messages_app.jobs.models import Job, JobItem, LedgerRow
from messages_app.jobs.permissions import has_hidden_messages
from messages_app.jobs.repairs import repairs_of_groups
from messages_app.jobs.stores.message_store import ITEMS as MESSAGE_STORE
from messages_app.jobs.stores.messages import ITEMS as MESSAGES
from messages_app.jobs.stores.store import Store, items_of

MAX_JOBS = 20


@dataclass(frozen=True, kw_only=True)
class JobOfItem:
    """One job that included the item. `kind` is done, skipped, failed or empty, `why` the reason in words."""

    job: Job
    title: str
    old_state: str
    new_state: str | None
    kind: str
    why: str


@require_safe
@requires_permission(roles.CAN_VIEW_JOBS)
def jobs_of_message(request: HttpRequest, msg_id: int) -> HttpResponse:
    return _answer_with_jobs(request, MESSAGES, msg_id)


@require_safe
@requires_permission(roles.CAN_VIEW_JOBS)
def jobs_of_stored(request: HttpRequest, identifier: str) -> HttpResponse:
    """Render the jobs that included a message of the message store."""
    number = MESSAGE_STORE.find(identifier)
    if number is None:
        raise Http404("This message is not in the message store.")
    return _answer_with_jobs(request, MESSAGE_STORE, number)


@require_safe
@requires_permission(roles.CAN_VIEW_JOBS)
def jobs_of_group(request: HttpRequest, group_id: int) -> HttpResponse:
    """Render the jobs that restarted or cancelled messages of a failure group after they failed."""
    jobs = repairs_of_groups([group_id])[group_id]
    context = {"group_id": group_id, "repairs": [(job, title_of(job)) for job in jobs[:MAX_JOBS]]}
    is_part = "HX-Request" in request.headers
    template = "_of_group.html" if is_part else "of_group.html"
    return render(request, f"messages_app/jobs/{template}", context)


def _answer_with_jobs(request: HttpRequest, store: Store[Any], item_id: int) -> HttpResponse:
    visible = [one for one in jobs_with(store, item_id) if not _is_hidden(one.job, request.user)]
    item = items_of(store, [item_id])[item_id]
    context = {"item": item, "jobs": visible[:MAX_JOBS], "is_cut": len(visible) > MAX_JOBS}
    is_part = "HX-Request" in request.headers
    template = "_of_message.html" if is_part else "of_message.html"
    return render(request, f"messages_app/jobs/{template}", context)


def _is_hidden(job: Job, user: Caller) -> bool:
    """Whether a job would reveal that a payload search found the item, because it only exported the item."""
    return spec_of(job.kind).makes_file and has_hidden_messages(job, user)


def jobs_with(store: Store[Any], item_id: int) -> list[JobOfItem]:
    """Return the newest jobs that included an item of a store, at most MAX_JOBS + 1."""
    of_store = Job.objects.filter(pk=OuterRef("job_id"), kind__in=kinds_of(store.name))
    newest = JobItem.objects.filter(Exists(of_store), msg_id=item_id).order_by("-job_id")
    job_ids = list(newest.values_list("job_id", flat=True)[: MAX_JOBS + 1])
    jobs = Job.objects.in_bulk(job_ids)
    rows = LedgerRow.objects.filter(msg_id=item_id, job_id__in=job_ids).order_by("-job_id")
    return [_describe_outcome(jobs[row.job_id], row) for row in rows if row.job_id in jobs]


def _describe_outcome(job: Job, row: LedgerRow) -> JobOfItem:
    kind, why = outcome_words(row.outcome)
    return JobOfItem(
        job=job,
        title=title_of(job),
        old_state=row.old_state,
        new_state=row.new_state,
        kind=kind,
        why=why,
    )
