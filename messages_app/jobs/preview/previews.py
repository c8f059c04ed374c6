"""The quick previews of jobs, for all stores."""

from collections.abc import Callable
from importlib import import_module

from django.db import OperationalError

from messages_app.jobs.job_request import JobRequest
from messages_app.jobs.stores import item_stores
from messages_app.shared.job_records import JobReport, SetReport

PreviewFunction = Callable[[JobRequest], SetReport]


def preview_job(request: JobRequest) -> SetReport:
    """Return the effect of a job, as exactly as two seconds allow: see `quick_preview`."""
    preview: PreviewFunction = import_module(item_stores()[request.spec.store].preview_module).PREVIEW
    return preview(request)


def first_estimate(request: JobRequest) -> JobReport:
    """
    Return the report of a dry run until it has counted: its `estimate`, or an empty report if time ran out.
    """
    try:
        return {"estimate": preview_job(request)}
    except OperationalError:
        return {}
