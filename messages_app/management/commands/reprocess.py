"""`manage.py reprocess FILTER`. Source: docs/contributing/spec/interfaces.md, "Commands"."""

from messages_app.jobs.kinds.registry import REPROCESS
from messages_app.management.job_commands import JobCommand


class Command(JobCommand):
    spec = REPROCESS
    does = "Reprocess the message-store messages of a filter."
    examples = ("reprocess 'status=26&missing_entity=customer' --reason 'the customers came' --wait",)
