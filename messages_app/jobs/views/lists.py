"""The list of jobs: who asked for what, when, why, and what came of it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.actors import Caller
from messages_app.access.decorators import requires
from messages_app.core.charts.bars import Share
from messages_app.core.problems import bad_field, shown
from messages_app.jobs import selectors
from messages_app.jobs.kinds.registry import kind_specs, spec_of
from messages_app.jobs.labels import filter_words, shares_of, title_of
from messages_app.jobs.models import Job
from messages_app.jobs.selectors import JobProgress, progress_of_jobs
from messages_app.jobs.validation.permissions import shown_filter
from messages_app.shared.job_states import JobState

_MINE, _KIND, _STATE, _CURSOR = "mine", "kind", "state", "cursor"


@dataclass(frozen=True, kw_only=True)
class Line:
    """One job in a list; `words` is its filter."""

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
    """Return jobs as a list shows them to `user`, in their order."""
    return [_line(progress, user) for progress in progress_of_jobs(jobs)]


def _line(progress: JobProgress, user: Caller) -> Line:
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
@requires(roles.CAN_VIEW_JOBS)
def job_list(request: HttpRequest) -> HttpResponse:
    params = request.GET
    kind, state = _choice(params, _KIND, kind_specs), _choice(params, _STATE, JobState)
    mine = _choice(params, _MINE, ("true",))
    page = selectors.job_page(
        cursor=params.get(_CURSOR),
        kind=kind,
        state=state,
        created_by=request.user.get_username() if mine else None,
    )
    kinds = [(spec.words.verb, spec.kind) for spec in kind_specs.values()]
    context = {
        "page": page,
        "lines": job_lines(page.rows, request.user),
        "people": _links(params, _MINE, [("Everybody's", None), ("Mine", "true")]),
        "kinds": _links(params, _KIND, [("All", None), *kinds]),
        "states": [("", "Any state"), *((each, each) for each in JobState)],
        "state": state or "",
        "kept": [(name, value) for name, value in ((_MINE, mine), (_KIND, kind)) if value],
        "is_narrowed": any((mine, kind, state)),
    }
    return render(request, "messages_app/jobs/list.html", context)


def _choice(params: QueryDict, name: str, known: Collection[str]) -> str | None:
    value = params.get(name) or None
    if value is None or value in set(known):
        return value
    raise bad_field(name, "invalid_value", f"{name} must be one of {', '.join(known)}, not {shown(value)}.")


def _links(params: QueryDict, name: str, choices: Sequence[tuple[str, str | None]]) -> list[Link]:
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
