"""`manage.py index_keys`: extracts the business keys of messages that are already there, on Spark."""

from messages_app.jobs.kinds.registry import INDEX_KEYS
from messages_app.management.job_commands import JobCommand


class Command(JobCommand):
    spec = INDEX_KEYS
    does = "Extract the business keys of all messages, live and archived, or of a filter."
