"""`manage.py cancel FILTER`. Source: docs/spec/interfaces.md, "Commands"."""

from messages_app.management.job_commands import JobCommand
from messages_app.shared.job_states import JobKind


class Command(JobCommand):
    kind = JobKind.CANCEL
    does = "Cancel the messages of a filter."
    examples = ("cancel 'state=POSTPONED&funnel_value=account-7' --reason 'the account is closed' --wait",)
