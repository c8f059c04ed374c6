"""`manage.py group_failures`: groups failures from before the console was installed, on Spark."""

from messages_app.management.job_commands import JobCommand
from messages_app.shared.job_states import JobKind


class Command(JobCommand):
    kind = JobKind.GROUP_FAILURES
    does = "Group all failed messages, live and archived, that are not in a group yet."
    is_filter_required = False
    filter_help = "none: the job applies to all failures"
