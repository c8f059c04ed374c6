"""`manage.py analyse FILTER`: compares failing messages with processed ones, on Spark."""

from messages_app.jobs.kinds.registry import ANALYSE
from messages_app.management.job_commands import JobCommand


class Command(JobCommand):
    spec = ANALYSE
    does = "Find what the failing messages of a filter have in common."
    examples = ("analyse 'state=FAILED&service_name=billing' --wait",)
