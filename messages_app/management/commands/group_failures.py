"""`manage.py group_failures`: failures of before the console into groups, on Spark."""

from messages_app.jobs.states import JobKind
from messages_app.management.job_commands import JobCommand


class Command(JobCommand):
    kind = JobKind.GROUP_FAILURES
    does = "Put all failed messages, live and archived, that are in no group yet into groups."
    is_filter_required = False
    filter_help = "none: the job is about all failures"
