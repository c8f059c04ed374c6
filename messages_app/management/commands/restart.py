"""`manage.py restart FILTER`. Source: spec/interfaces.md 3."""

from messages_app.jobs.states import JobKind
from messages_app.management.job_commands import JobCommand


class Command(JobCommand):
    kind = JobKind.RESTART
    does = "Hand the messages of a filter back to the hub for another try."
