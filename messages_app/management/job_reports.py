"""The result of a job as lines of text. With --json, the report is printed as it is."""

from collections.abc import Iterator, Mapping

from django.template.defaultfilters import filesizeformat

from messages_app.jobs.exports import export_storage, file_of
from messages_app.jobs.selectors import JobProgress

# The counts above already show these, or exact figures replace them.
_SHOWN_ABOVE = frozenset({"planned", "skipped", "estimate"})
_BYTES = "_bytes"


def report_lines(report: Mapping[str, object]) -> Iterator[str]:
    """Yield a line for each figure of a job's report, by name, without unknown or empty figures."""
    for name, value in sorted(report.items()):
        if name not in _SHOWN_ABOVE and value not in (None, False, {}, []):
            yield f"{name}: {_describe_figure(value, is_size=name.endswith(_BYTES))}"


def _describe_figure(value: object, *, is_size: bool) -> str:
    if isinstance(value, Mapping):
        parts = [f"{key or '-'} {_describe_figure(each, is_size=is_size)}" for key, each in value.items()]
        return ", ".join(parts)
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if is_size and isinstance(value, int | float):
        return filesizeformat(value).replace("\N{NO-BREAK SPACE}", " ")
    return str(value)


def describe_counts(progress: JobProgress) -> str:
    grouped = progress.job.report.get("grouped")
    if grouped is not None:  # such a job has no messages of its own
        return f"{grouped} failures grouped"
    return (
        f"{progress.planned} messages planned, {progress.done} done, {progress.skipped} skipped, "
        f"{progress.failed} failed"
    )


def describe_outcomes(progress: JobProgress) -> Iterator[str]:
    for table, rows in sorted(progress.moved.items()):
        yield f"{table}: {rows} rows moved"
    for outcome, rows in progress.outcomes:
        yield f"{outcome}: {rows} messages"
    if progress.job.report.get("files"):
        yield f"File: {export_storage().uri}/{file_of(progress.job)}"
    if progress.job.dry_run:
        yield from report_lines(progress.job.report)
