"""`manage.py restart FILTER`. Source: spec/interfaces.md 3."""

from messages_app.jobs.states import JobKind
from messages_app.management.job_commands import JobCommand


class Command(JobCommand):
    kind = JobKind.RESTART
    does = "Hand the messages of a filter back to the hub for another try."
    examples = (
        "restart 'state=FAILED&service_name=billing' --dry-run --wait",
        "restart 'state=FAILED&failed_error_code=E103' --canary 20 --rate 50 --reason 'it is back' --wait",
    )
