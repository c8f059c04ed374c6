"""`manage.py archive [FILTER]`. Source: docs/contributing/spec/interfaces.md, "Commands"."""

from messages_app.jobs.kinds.registry import ARCHIVE
from messages_app.management.job_commands import JobCommand


class Command(JobCommand):
    spec = ARCHIVE
    does = "Move old final messages, or the messages of a filter, to the archive with all related rows."
    examples = (
        "archive --older-than-months 2 --dry-run --wait",
        "archive --older-than-months 6 --to parquet --json --wait",
    )
