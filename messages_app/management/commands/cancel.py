"""`manage.py cancel FILTER`. Source: docs/contributing/spec/interfaces.md, "Commands"."""

from messages_app.jobs.kinds.registry import CANCEL
from messages_app.management.job_commands import JobCommand


class Command(JobCommand):
    spec = CANCEL
    does = "Cancel the messages of a filter."
    examples = ("cancel 'state=POSTPONED&funnel_value=account-7' --reason 'the account is closed' --wait",)
