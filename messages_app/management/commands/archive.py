"""`manage.py archive [FILTER]`. Source: docs/spec/interfaces.md, "Commands"."""

from messages_app.management.job_commands import JobCommand
from messages_app.shared.job_states import JobKind


class Command(JobCommand):
    kind = JobKind.ARCHIVE
    does = "Move old final messages, or the messages of a filter, to the archive with all related rows."
    is_filter_required = False
    examples = (
        "archive --older-than-months 2 --dry-run --wait",
        "archive --older-than-months 6 --to parquet --json --wait",
    )
