"""`manage.py export FILTER`. Source: docs/spec/interfaces.md, "Commands"."""

from messages_app.management.job_commands import JobCommand
from messages_app.shared.job_states import JobKind


class Command(JobCommand):
    kind = JobKind.EXPORT
    does = "Write the messages of a filter to one file."
    examples = (
        "export 'state=FAILED' --format csv --wait",
        "export 'service_name=billing&archived=any' --format parquet --json --wait",
    )
