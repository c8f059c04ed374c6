"""`manage.py group_failures`: groups failures from before the console was installed, on Spark."""

from messages_app.jobs.kinds.registry import GROUP_FAILURES
from messages_app.management.job_commands import JobCommand


class Command(JobCommand):
    spec = GROUP_FAILURES
    does = "Group all failed messages, live and archived, that are not in a group yet."
