"""`manage.py archive_history [FILTER]`: moves old attempts of the message store into their archive."""

from messages_app.jobs.kinds.registry import ARCHIVE_HISTORY
from messages_app.management.job_commands import JobCommand


class Command(JobCommand):
    spec = ARCHIVE_HISTORY
    does = "Archive old attempts of the message store; the newest attempt of each message is kept."
    examples = ("archive_history --older-than-months 6 --wait",)
