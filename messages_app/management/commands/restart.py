"""`manage.py restart FILTER`. Source: docs/contributing/spec/interfaces.md, "Commands"."""

from messages_app.jobs.kinds.registry import RESTART
from messages_app.management.job_commands import JobCommand


class Command(JobCommand):
    spec = RESTART
    does = "Restart the messages of a filter."
    examples = (
        "restart 'state=FAILED&service_name=billing' --dry-run --wait",
        "restart 'state=FAILED&failed_error_code=E103' --canary 20 --rate 50 --reason 'it is back' --wait",
    )
