"""`manage.py restore FILTER`. Source: docs/contributing/spec/interfaces.md, "Commands"."""

from messages_app.jobs.kinds.registry import RESTORE
from messages_app.management.job_commands import JobCommand


class Command(JobCommand):
    spec = RESTORE
    does = "Restore the archived messages of a filter, each with its whole family."
    examples = ("restore 'correlation_id=8f1c' --reason 'the customer asks' --wait",)
