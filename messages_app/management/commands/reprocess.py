"""`manage.py reprocess FILTER`. Source: docs/spec/interfaces.md, "Commands"."""

from messages_app.management.job_commands import JobCommand
from messages_app.shared.job_states import JobKind


class Command(JobCommand):
    kind = JobKind.REPROCESS
    does = "Reprocess the message-store messages of a filter."
    filter_help = "the query string of the message store's list, such as 'status=26&missing_entity=customer'"
    examples = ("reprocess 'status=26&missing_entity=customer' --reason 'the customers came' --wait",)
