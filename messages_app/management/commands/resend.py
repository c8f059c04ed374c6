"""`manage.py resend FILTER`: sends failed messages with corrected payloads as new ones, on Spark."""

from messages_app.jobs.kinds.registry import RESEND
from messages_app.management.job_commands import JobCommand


class Command(JobCommand):
    spec = RESEND
    does = "Replace a text or a value in the payloads of a filter, and send them as new messages."
    examples = (
        "resend 'state=FAILED&service_name=billing' --find CHF --replace EUR --dry-run --wait",
        "resend 'state=FAILED' --path //currency --value EUR --reason 'the tariff is in EUR' --wait",
    )
