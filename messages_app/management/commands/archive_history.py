"""`manage.py archive_history [FILTER]`: old attempts of the message store into their archive."""

from messages_app.jobs.states import JobKind
from messages_app.management.job_commands import JobCommand


class Command(JobCommand):
    kind = JobKind.ARCHIVE_HISTORY
    does = "Move attempts at the message store's messages that are old; the newest of each message stays."
    is_filter_required = False
    filter_help = "the query string of the message store's list, such as 'status=26&missing_entity=customer'"
    examples = ("archive_history --older-than-months 6 --wait",)
