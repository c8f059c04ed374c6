"""`manage.py cancel FILTER`. Source: spec/interfaces.md 3."""

from messages_app.jobs.states import JobKind
from messages_app.management.job_commands import JobCommand


class Command(JobCommand):
    kind = JobKind.CANCEL
    does = "Cancel the messages of a filter."
    examples = ("cancel 'state=POSTPONED&funnel_value=account-7' --reason 'the account is closed' --wait",)
