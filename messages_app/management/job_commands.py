"""
The base of all commands that create jobs, and the results of their jobs as lines of text.

Source: docs/contributing/spec/interfaces.md, "Commands"; docs/contributing/spec/bad_input.md, J68 to J70.
"""

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from django.core.management.base import CommandError
from django.db import InterfaceError, OperationalError, connection
from django.template.defaultfilters import filesizeformat

from messages_app.access.actors import actor_of_command
from messages_app.core.filters.address import as_query
from messages_app.core.representation import represent_value
from messages_app.jobs.api.serializers import JobSerializer
from messages_app.jobs.errors import AlreadyRunning, InvalidJob
from messages_app.jobs.exports import export_storage, file_of
from messages_app.jobs.kinds.options import whole_number
from messages_app.jobs.kinds.registry import spec_of
from messages_app.jobs.kinds.spec import KindSpec, Selects
from messages_app.jobs.models import Job
from messages_app.jobs.selectors import JobProgress, progress_of
from messages_app.jobs.services.create import create_job
from messages_app.jobs.stores import store_of
from messages_app.jobs.validation import checked_filter, filter_of_query
from messages_app.management.base import ReportingCommand
from messages_app.management.job_progress import NoAnswer, watch_job
from messages_app.messages.attachment import NotAttachedForThis
from messages_app.shared.job_records import Given
from messages_app.shared.job_states import JobState


def add_options(parser: ArgumentParser, kind: str) -> None:
    """Add the options of this kind of job."""
    for name, option in spec_of(kind).options.items():
        parser.add_argument(f"--{name.replace('_', '-')}", dest=name, **option.argument)


def chosen_options(kind: str, arguments: Mapping[str, object]) -> dict[str, object]:
    """Return the options that the user gave."""
    return {name: arguments[name] for name in spec_of(kind).options if arguments[name] is not None}


def filter_argument(text: str) -> Given:
    try:
        return filter_of_query(text)
    except InvalidJob as error:
        raise ArgumentTypeError(error.errors[0].message) from None


# A job with more messages requires a reason (docs/contributing/spec/bad_input.md, J73).
_MAX_WITHOUT_REASON = 1000
_LOOK_MS = 2000

_EXIT = "Exit status: 0 done, 1 failed or refused, 2 bad arguments."


class JobCommand(ReportingCommand):
    """
    Creates a job of one kind, and waits for it on request.

    A subclass sets the `spec` of the kind, and `does`, a sentence about the job.
    """

    spec: KindSpec
    does = ""

    @property
    def help(self) -> str:  # type: ignore[override]  # Django only reads it
        return f"{self.does} {_EXIT}"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "filter",
            metavar="FILTER",
            nargs=None if self.spec.needs_filter else "?",
            default={},
            type=filter_argument,
            help=self._filter_help(),
        )
        add_options(parser, self.spec.kind)
        parser.add_argument("--dry-run", action="store_true", help="only report what would be done")
        parser.add_argument(
            "--confirmed",
            type=whole_number,
            metavar="N",
            help="number of messages you agree to change; a selection over 10 %% larger waits",
        )
        parser.add_argument("--wait", action="store_true", help="show progress until the job ends")
        parser.add_argument("--reason", help=self._reason_help())

    def handle(
        self,
        *,
        filter: Given,
        dry_run: bool,
        wait: bool,
        reason: str | None,
        confirmed: int | None,
        **options: object,
    ) -> None:
        try:
            with _failures_told():
                job = create_job(
                    kind=self.spec.kind,
                    filter=filter,
                    options=chosen_options(self.spec.kind, options),
                    dry_run=dry_run,
                    reason=self._standing_reason(filter) if reason is None else reason,
                    actor=actor_of_command(),
                    user=None,
                    confirmed=confirmed,
                )
        except KeyboardInterrupt:
            raise CommandError("Interrupted; /jobs/ shows whether the job was created.") from None
        try:
            if not (wait and self._as_json):
                self.report(f"Job {job.pk} created.", **represent_value(JobSerializer, progress_of(job)))
            if wait:
                self._wait(job)
        except KeyboardInterrupt:
            text = f"No longer waiting. Job {job.pk} continues; its page is /jobs/{job.pk}/."
            raise CommandError(text) from None

    def _filter_help(self) -> str:
        if self.spec.selects is not Selects.FILTER:
            return "none: the job applies to all failures"
        return store_of(self.spec.kind).filter_help

    def _reason_help(self) -> str:
        unless = f"; required above {_MAX_WITHOUT_REASON} messages" if self.spec.needs_filter else ""
        return f"reason, recorded in the audit log (default: {self.spec.kind} command{unless})"

    def _standing_reason(self, filter: Given) -> str:
        """Return the default reason of a job without a reason, if the job is small enough for that."""
        stored, errors = checked_filter(self.spec.kind, filter, user=None)
        is_bounded = not self.spec.needs_filter or errors  # Errors are reported when the job is created.
        if not is_bounded and self._has_many(stored):
            text = (
                f"--reason is required, because the filter matches more than {_MAX_WITHOUT_REASON} messages."
            )
            raise CommandError(text, returncode=2)
        return f"{self.spec.kind} command"

    def _has_many(self, stored: Given) -> bool:
        store = store_of(self.spec.kind)
        parsed = store.parse(as_query(stored), user=None)
        return store.has_more_than(_MAX_WITHOUT_REASON, parsed, timeout_ms=_LOOK_MS)

    def _wait(self, job: Job) -> None:
        try:
            with _failures_told():
                self._tell(watch_job(job.pk, stream=self.stderr))
        except NoAnswer as error:
            raise CommandError(str(error)) from None

    def _tell(self, progress: JobProgress) -> None:
        """Print the outcome. A job that did not end well is an error of the command."""
        words = f"Job {progress.job.pk} is {progress.job.state}: {describe_counts(progress)}."
        is_well = progress.job.state not in {JobState.FAILED, JobState.STOPPED}
        if is_well or self._as_json:
            self.report(
                "\n".join([words, *describe_outcomes(progress)]), **represent_value(JobSerializer, progress)
            )
        if not is_well:
            raise CommandError(f"{words} {progress.job.error}".strip())


@contextmanager
def _failures_told() -> Iterator[None]:
    """Convert errors of the database and of services to an error message of one line."""
    try:
        yield
    except InvalidJob as error:
        raise CommandError(str(error), returncode=2) from None
    except (AlreadyRunning, NotAttachedForThis) as error:
        raise CommandError(str(error)) from None
    except (OperationalError, InterfaceError):
        raise CommandError(f"The database at {_database_place()} cannot be reached.") from None


def _database_place() -> str:
    """Return host and port of the database, without the credentials."""
    database = connection.settings_dict
    return f"{database['HOST'] or 'localhost'}:{database['PORT'] or 5432}"


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
