"""`manage.py archive [FILTER]`. Source: spec/interfaces.md 3."""

from messages_app.jobs.states import JobKind
from messages_app.management.job_commands import JobCommand


class Command(JobCommand):
    kind = JobKind.ARCHIVE
    does = "Move final messages that are old, or those of a filter, to the archive with all that is theirs."
    is_filter_required = False
    examples = (
        "archive --older-than-months 2 --dry-run --wait",
        "archive --older-than-months 6 --to parquet --json --wait",
    )
