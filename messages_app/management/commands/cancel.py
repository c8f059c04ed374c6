"""`manage.py cancel FILTER`. Source: spec/interfaces.md 3."""

from messages_app.jobs.states import JobKind
from messages_app.management.job_commands import JobCommand


class Command(JobCommand):
    kind = JobKind.CANCEL
    does = "Cancel the messages of a filter."
