"""The list of jobs."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.actors import Caller
from messages_app.access.decorators import requires_permission
from messages_app.core.charts.bars import Share
from messages_app.core.page_parameters import takes_parameters
from messages_app.core.parameters import read_choice
from messages_app.jobs import selectors
from messages_app.jobs.kinds.registry import kind_specs
from messages_app.jobs.labels import filter_words, icon_of, shares_of, title_of
from messages_app.jobs.models import Job
from messages_app.jobs.permissions import may_make, shown_filter
from messages_app.jobs.selectors import JobProgress, progress_of_jobs
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
        icon=icon_of(job),
        words=filter_words(job.kind, shown_filter(job.filter, user)),
        shares=shares_of(progress),
    )


@require_safe
@requires_permission(roles.CAN_VIEW_JOBS)
@takes_parameters(_KIND, _STATE, _MINE, _CURSOR)
def job_list(request: HttpRequest) -> HttpResponse:
    params = request.GET
    kind, state = read_choice(params, _KIND, kind_specs), read_choice(params, _STATE, JobState)
    mine = read_choice(params, _MINE, ("true",))
    page = selectors.jobs_in(
        states=[state] if state else (),
        kinds=[kind] if kind else (),
        creator_id=request.user.pk if mine else None,
        cursor=params.get(_CURSOR),
    )
    kinds = [(spec.kind, spec.name) for spec in kind_specs.values()]
    context = {
        "page": page,
        "lines": job_lines(page.rows, request.user),
        "people": _make_links(params, _MINE, [("Everyone's", None), ("Mine", "true")]),
        "kind": kind,
        "kinds": [("", "Any kind"), *kinds],
        "states": [("", "Any state"), *((each, each) for each in JobState)],
        "state": state or "",
        "kept": [(name, value) for name, value in ((_MINE, mine),) if value],
        "is_narrowed": any((mine, kind, state)),
        "may_start": any(may_make(request.user, kind, {}) for kind in kind_specs),
    }
    return render(request, "messages_app/jobs/list.html", context)


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
