"""`manage.py restore FILTER`. Source: spec/interfaces.md 3."""

from messages_app.jobs.states import JobKind
from messages_app.management.job_commands import JobCommand


class Command(JobCommand):
    kind = JobKind.RESTORE
    does = "Bring archived messages of a filter back, each with its whole family."
    examples = ("restore 'correlation_id=8f1c' --reason 'the customer asks' --wait",)
