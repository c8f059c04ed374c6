"""Lists of jobs: all jobs, jobs that included an item, and jobs that repaired a failure group."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import Exists, OuterRef
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.actors import Caller
from messages_app.access.decorators import requires_permission
from messages_app.core.charts.bars import Share
from messages_app.core.problems import bad_field, quote_value
from messages_app.jobs import selectors
from messages_app.jobs.kinds.registry import kind_specs, kinds_of, spec_of
from messages_app.jobs.labels import filter_words, outcome_words, shares_of, title_of
from messages_app.jobs.models import Job, JobItem, LedgerRow
from messages_app.jobs.outcomes import repairs_of_groups
from messages_app.jobs.permissions import hides_messages, shown_filter
from messages_app.jobs.selectors import JobProgress, progress_of_jobs
from messages_app.jobs.stores.message_store import MESSAGE_STORE
from messages_app.jobs.stores.messages import MESSAGES
from messages_app.jobs.stores.store import Store, items_of
from messages_app.shared.job_states import JobState

_MINE, _KIND, _STATE, _CURSOR = "mine", "kind", "state", "cursor"


@dataclass(frozen=True, kw_only=True)
class Line:
    """One job in a list; `words` is its filter in words."""

    job: Job
    progress: JobProgress
    title: str
    icon: str
    words: list[tuple[str, str]]
    shares: list[Share]


@dataclass(frozen=True, kw_only=True)
class Link:
    """A link that changes one part of the list's filter and keeps the rest."""

    text: str
    query: str
    is_on: bool


def job_lines(jobs: Sequence[Job], user: Caller) -> list[Line]:
    """Return jobs as a list shows them to `user`, in the same order."""
    return [_line_of_job(progress, user) for progress in progress_of_jobs(jobs)]


def _line_of_job(progress: JobProgress, user: Caller) -> Line:
    job = progress.job
    return Line(
        job=job,
        progress=progress,
        title=title_of(job),
        icon=spec_of(job.kind).words.icon,
        words=filter_words(job.kind, shown_filter(job.filter, user)),
        shares=shares_of(progress),
    )


@require_safe
@requires_permission(roles.CAN_VIEW_JOBS)
def job_list(request: HttpRequest) -> HttpResponse:
    params = request.GET
    kind, state = _parse_choice(params, _KIND, kind_specs), _parse_choice(params, _STATE, JobState)
    mine = _parse_choice(params, _MINE, ("true",))
    page = selectors.job_page(
        cursor=params.get(_CURSOR),
        kind=kind,
        state=state,
        creator_id=request.user.pk if mine else None,
    )
    kinds = [(spec.words.verb, spec.kind) for spec in kind_specs.values()]
    context = {
        "page": page,
        "lines": job_lines(page.rows, request.user),
        "people": _make_links(params, _MINE, [("Everybody's", None), ("Mine", "true")]),
        "kinds": _make_links(params, _KIND, [("All", None), *kinds]),
        "states": [("", "Any state"), *((each, each) for each in JobState)],
        "state": state or "",
        "kept": [(name, value) for name, value in ((_MINE, mine), (_KIND, kind)) if value],
        "is_narrowed": any((mine, kind, state)),
    }
    return render(request, "messages_app/jobs/list.html", context)


def _parse_choice(params: QueryDict, name: str, known: Collection[str]) -> str | None:
    value = params.get(name) or None
    if value is None or value in set(known):
        return value
    raise bad_field(
        name, "invalid_value", f"{name} must be one of {', '.join(known)}, not {quote_value(value)}."
    )


def _make_links(params: QueryDict, name: str, choices: Sequence[tuple[str, str | None]]) -> list[Link]:
    others = [(key, params[key]) for key in (_MINE, _KIND, _STATE) if key != name and params.get(key)]
    chosen = params.get(name) or None
    return [
        Link(
            text=text,
            query=f"?{urlencode([*others, *([(name, value)] if value else [])])}",
            is_on=chosen == value,
        )
        for text, value in choices
    ]


# The jobs of one item or of a failure group, as parts of their pages.


MAX_JOBS = 20


@dataclass(frozen=True, kw_only=True)
class Had:
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
    found = [had for had in jobs_with(store, item_id) if not _is_hidden(had.job, request.user)]
    item = items_of(store, [item_id])[item_id]
    context = {"item": item, "had": found[:MAX_JOBS], "is_cut": len(found) > MAX_JOBS}
    is_part = "HX-Request" in request.headers
    template = "_of_message.html" if is_part else "of_message.html"
    return render(request, f"messages_app/jobs/{template}", context)


def _is_hidden(job: Job, user: Caller) -> bool:
    """Whether a job would reveal that a payload search found the item, because it only exported the item."""
    return spec_of(job.kind).makes_file and hides_messages(job, user)


def jobs_with(store: Store[Any], item_id: int) -> list[Had]:
    """Return the newest jobs that included an item of a store, at most MAX_JOBS + 1."""
    of_store = Job.objects.filter(pk=OuterRef("job_id"), kind__in=kinds_of(store.name))
    newest = JobItem.objects.filter(Exists(of_store), msg_id=item_id).order_by("-job_id")
    job_ids = list(newest.values_list("job_id", flat=True)[: MAX_JOBS + 1])
    jobs = Job.objects.in_bulk(job_ids)
    rows = LedgerRow.objects.filter(msg_id=item_id, job_id__in=job_ids).order_by("-job_id")
    return [_describe_outcome(jobs[row.job_id], row) for row in rows if row.job_id in jobs]


def _describe_outcome(job: Job, row: LedgerRow) -> Had:
    kind, why = outcome_words(row.outcome)
    return Had(
        job=job,
        title=title_of(job),
        old_state=row.old_state,
        new_state=row.new_state,
        kind=kind,
        why=why,
    )
