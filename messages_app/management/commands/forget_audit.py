"""`manage.py forget_audit`: removes audit entries that are older than the retention."""

from argparse import ArgumentParser, ArgumentTypeError

from django.core.management.base import CommandError

from messages_app.access.actors import actor_of_command
from messages_app.audit.retention import CannotForget, Forgotten, forget_entries, would_forget
from messages_app.management.base import ReportingCommand

_MAX_MONTHS = 1200


def _parse_months(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= _MAX_MONTHS):
        raise ArgumentTypeError(f"a whole number of months, from 1 to {_MAX_MONTHS}")
    return int(text)


class Command(ReportingCommand):
    help = (
        "Remove entries of the audit log that were sealed the given number of months ago, only in whole "
        "sealed spans. Each span leaves a tombstone, so that verify_audit can check the rest and report "
        "the removed span, and an entry in the audit log. Run as the owner of the tables: the console's "
        "role has no permission. A span that does not match its seal is kept, with all newer ones. Exit "
        "status: 0 done, 1 refused, 2 bad arguments."
    )

    examples = (
        "forget_audit --older-than-months 24 --dry-run",
        "forget_audit --older-than-months 24",
        "verify_audit",
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--older-than-months",
            type=_parse_months,
            required=True,
            metavar="N",
            help="only entries that were sealed this many months ago or earlier",
        )
        parser.add_argument("--dry-run", action="store_true", help="only report what would be removed")

    def handle(self, *, older_than_months: int, dry_run: bool, **options: object) -> None:
        try:
            forgotten = _forget_entries_of(older_than_months, dry_run=dry_run)
        except CannotForget as error:
            raise CommandError(str(error)) from None
        self.report(
            _describe_forgotten(forgotten, older_than_months, dry_run=dry_run),
            entries=forgotten.entries,
            seals=forgotten.seals,
            first_entry=forgotten.first_id,
            last_entry=forgotten.last_id,
            dry_run=dry_run,
        )


def _forget_entries_of(months: int, *, dry_run: bool) -> Forgotten:
    if dry_run:
        return would_forget(older_than_months=months)
    return forget_entries(older_than_months=months, actor=actor_of_command())


def _describe_forgotten(forgotten: Forgotten, months: int, *, dry_run: bool) -> str:
    if not forgotten.entries:
        return f"No entry was sealed {months} months ago or before."
    removed = "would be removed" if dry_run else "were removed"
    return (
        f"{forgotten.entries} entries {removed}, {forgotten.first_id} to {forgotten.last_id},"
        f" under {forgotten.seals} seals."
    )
