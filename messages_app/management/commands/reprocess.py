"""`manage.py reprocess FILTER`. Source: spec/interfaces.md 3."""

from messages_app.jobs.states import JobKind
from messages_app.management.job_commands import JobCommand


class Command(JobCommand):
    kind = JobKind.REPROCESS
    does = "Have the message store's messages of a filter processed anew."
    filter_help = "the query string of the message store's list, such as 'status=26&missing_entity=customer'"
    examples = ("reprocess 'status=26&missing_entity=customer' --reason 'the customers came' --wait",)
