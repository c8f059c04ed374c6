"""`manage.py verify_audit`: checks that the audit log matches its seals."""

import re
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator
from datetime import timedelta

from django.core.management.base import CommandError

from messages_app.audit.models import AuditSeal, AuditTombstone
from messages_app.audit.verification import MAX_SECONDS, Unsealed, count_unsealed, find_faults
from messages_app.core.formatting import format_duration, format_moment
from messages_app.management.base import ReportingCommand


def _parse_seal(text: str) -> tuple[int, str]:
    match = re.fullmatch(r"(\d{1,18}):([0-9a-f]{64})", text)
    if match is None:
        raise ArgumentTypeError("give a seal's number and its digest, as 17:6f0c...")
    return int(match[1]), match[2]


def _describe_removed(stone: AuditTombstone) -> str:
    return (
        f"Removed for their age at {format_moment(stone.made_at)}: entries {stone.first_id} "
        f"to {stone.last_id}."
    )


def _describe_late(waiting: Unsealed) -> Iterator[str]:
    if waiting.is_too_old:
        most = format_duration(timedelta(seconds=MAX_SECONDS))
        yield (
            f"Sealing has stopped: {waiting}. More than {most} are too long: check that beat and the worker"
            " for the short queue are running."
        )


class Command(ReportingCommand):
    help = (
        "Compare every entry of the audit log with its seal, to find entries that were changed, removed or"
        " inserted in the database, and report what forget_audit removed. With --expect, also check that no"
        " seal was removed at the end: give a seal from the log of the workers. Also report entries that are"
        " not sealed yet. Exit status: 0 all entries match and none waits for more than ten minutes, 1 not."
    )

    examples = ("verify_audit", "verify_audit --expect 17:6f0c...")

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--expect", type=_parse_seal, metavar="SEAL:DIGEST", help="a seal from a log outside the database"
        )

    def handle(self, *, expect: tuple[int, str] | None, **options: object) -> None:
        waiting = count_unsealed()
        if problems := [*find_faults(expect), *_describe_late(waiting)]:
            raise CommandError("\n".join(problems))
        last = AuditSeal.objects.order_by("-seal_id").first()
        counted = {"unsealed": waiting.entries, "unsealed_seconds": round(waiting.seconds)}
        if last is None:
            self.report(f"There is no seal yet; {waiting}.", seals=0, **counted)
            return
        words = f"{last.seal_id} seals hold, up to entry {last.last_id}: {last.seal_id}:{last.digest}"
        stones = AuditTombstone.objects.order_by("first_seal")
        self.report(
            "\n".join([f"{words}\nUnsealed: {waiting}.", *map(_describe_removed, stones)]),
            seals=last.seal_id,
            last_entry=last.last_id,
            digest=last.digest,
            removed=list(stones.values("first_id", "last_id", "entries", "made_at")),
            **counted,
        )
