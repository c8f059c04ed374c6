"""Checks a job's row before it is worked on: somebody may have edited it by hand. Source: reliability J72."""

from collections.abc import Iterator

from messages_app.jobs.asking.checking import check_rate
from messages_app.jobs.asking.filters import checked_filter
from messages_app.jobs.asking.options import OPTIONS, checked_options
from messages_app.jobs.models import Job
from messages_app.jobs.states import JobKind
from messages_app.web.problems import FieldError


def stored_fault(job: Job) -> str:
    """Return what makes the job's stored parameters no job, in a sentence; empty where nothing does."""
    found = " ".join(_faults(job))
    return f"stored parameters invalid: {found}" if found else ""


def _faults(job: Job) -> Iterator[str]:
    if job.kind not in OPTIONS:
        yield f"kind: there is none called {job.kind!r}."
        return
    if not isinstance(job.filter, dict) or not isinstance(job.options, dict):
        yield "filter and options: both must be JSON objects."
        return
    errors = _filter_errors(job) + checked_options(job.kind, job.options)[1]
    if error := check_rate(job.rate):
        errors.append(error)
    yield from (f"{error.field}: {error.message}" for error in errors)
    if job.kind in {JobKind.ARCHIVE, JobKind.ARCHIVE_HISTORY} and job.cutoff is None:
        yield "cutoff: an archive job needs its age limit."


def _filter_errors(job: Job) -> list[FieldError]:
    """Return what is wrong with the filter; a job that follows another has its set from that one."""
    follows = job.undo_of is not None or job.retry_of is not None
    if follows and not job.filter:
        return []
    return checked_filter(job.kind, job.filter, user=None)[1]
