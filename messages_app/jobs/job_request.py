"""A job that does not exist yet: its kind, its set and its options, for checks, previews and limits."""

from dataclasses import dataclass

from messages_app.access.actors import Caller
from messages_app.jobs.kinds.spec import KindSpec
from messages_app.shared.job_records import JobFilter, JobOptions


@dataclass(frozen=True, kw_only=True)
class JobRequest:
    """
    Args:
        filter: as a job stores it: by the names of the list's filters, with absolute times.
        user: the user whose permissions decide about the filter; None: the console itself.
    """

    spec: KindSpec
    filter: JobFilter
    options: JobOptions
    user: Caller | None = None
