"""`manage.py export FILTER`. Source: docs/contributing/spec/interfaces.md, "Commands"."""

from messages_app.jobs.kinds.registry import EXPORT
from messages_app.management.job_commands import JobCommand


class Command(JobCommand):
    spec = EXPORT
    does = "Write the messages of a filter to one file."
    examples = (
        "export 'state=FAILED' --format csv --wait",
        "export 'service_name=billing&archived=any' --format parquet --json --wait",
    )
