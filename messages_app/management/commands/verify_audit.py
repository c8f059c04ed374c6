"""`manage.py verify_audit`: whether the audit is as it was sealed."""

import re
from argparse import ArgumentParser, ArgumentTypeError

from django.core.management.base import CommandError

from messages_app.audit import sealing
from messages_app.audit.models import AuditSeal, AuditTombstone
from messages_app.management.telling import TellingCommand
from messages_app.web.words import clock


def _seal(text: str) -> tuple[int, str]:
    found = re.fullmatch(r"(\d{1,18}):([0-9a-f]{64})", text)
    if found is None:
        raise ArgumentTypeError("give a seal's number and its digest, as 17:6f0c...")
    return int(found[1]), found[2]


def _removed(stone: AuditTombstone) -> str:
    return f"Removed for their age at {clock(stone.made_at)}: entries {stone.first_id} to {stone.last_id}."


class Command(TellingCommand):
    help = (
        "Compare every entry of the audit with the seals over it: an entry that was changed, removed or put"
        " in by a database role that could is found; what forget_audit removed is told. With --expect also"
        " that no seal was taken away at the end: give one that the log of the workers has. Exit status: 0"
        " as sealed, 1 not."
    )

    examples = ("verify_audit", "verify_audit --expect 17:6f0c...")

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--expect", type=_seal, metavar="SEAL:DIGEST", help="a seal as a log outside the database has it"
        )

    def handle(self, *, expect: tuple[int, str] | None, **options: object) -> None:
        if faults := list(sealing.faults(expect)):
            raise CommandError("\n".join(faults))
        last = AuditSeal.objects.order_by("-seal_id").first()
        if last is None:
            self.tell("There is no seal yet.", seals=0)
            return
        words = f"{last.seal_id} seals hold, up to entry {last.last_id}: {last.seal_id}:{last.digest}"
        stones = AuditTombstone.objects.order_by("first_seal")
        self.tell(
            "\n".join([words, *map(_removed, stones)]),
            seals=last.seal_id,
            last_entry=last.last_id,
            digest=last.digest,
            removed=list(stones.values("first_id", "last_id", "entries", "made_at")),
        )
