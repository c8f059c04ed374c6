"""`manage.py reprocess FILTER`. Source: spec/interfaces.md 3."""

from messages_app.jobs.states import JobKind
from messages_app.management.job_commands import JobCommand


class Command(JobCommand):
    kind = JobKind.REPROCESS
    does = "Have the message store's messages of a filter processed anew."
