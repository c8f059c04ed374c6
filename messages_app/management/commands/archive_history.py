"""`manage.py archive_history [FILTER]`: moves old attempts of the message store into their archive."""

from messages_app.management.job_commands import JobCommand
from messages_app.shared.job_states import JobKind


class Command(JobCommand):
    kind = JobKind.ARCHIVE_HISTORY
    does = "Archive old attempts of the message store; the newest attempt of each message is kept."
    is_filter_required = False
    filter_help = "the query string of the message store's list, such as 'status=26&missing_entity=customer'"
    examples = ("archive_history --older-than-months 6 --wait",)
