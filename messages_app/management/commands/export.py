"""`manage.py export FILTER`. Source: spec/interfaces.md 3."""

from messages_app.jobs.states import JobKind
from messages_app.management.job_commands import JobCommand


class Command(JobCommand):
    kind = JobKind.EXPORT
    does = "Write the messages of a filter to one file."
    examples = (
        "export 'state=FAILED' --format csv --wait",
        "export 'service_name=billing&archived=any' --format parquet --json --wait",
    )
