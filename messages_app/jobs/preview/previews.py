"""The quick previews of jobs, for all stores."""

from collections.abc import Callable
from importlib import import_module
from typing import Protocol

from django.db import OperationalError

from messages_app.access.actors import Caller
from messages_app.jobs.stores import store_of
from messages_app.shared.job_records import Given, JobOptions, JobReport, SetReport


class Preview(Protocol):
    """The quick preview of a job."""

    def as_report(self) -> SetReport: ...


PreviewFunction = Callable[..., Preview]


def preview_of(*, kind: str, filter: Given, options: JobOptions, user: Caller | None) -> Preview:
    """Return the effect of a job, as exactly as two seconds allow: see `quick_preview`."""
    preview: PreviewFunction = import_module(store_of(kind).preview_module).PREVIEW
    return preview(kind=kind, filter=filter, options=options, user=user)


def first_estimate(*, kind: str, filter: Given, options: JobOptions) -> JobReport:
    """
    Return the report of a dry run until it has counted: its `estimate`, or an empty report if time ran out.

    Args:
        filter, options: the checked parameters of the job.
    """
    try:
        return {"estimate": preview_of(kind=kind, filter=filter, options=options, user=None).as_report()}
    except OperationalError:
        return {}
