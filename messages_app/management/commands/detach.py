"""`manage.py detach`: takes everything of the console away from the database of a hub."""

import sys
from argparse import ArgumentParser

from django.conf import settings
from django.core.management.base import CommandError
from django.utils import timezone

from messages_app.attach import leaving, rights, services
from messages_app.attach.indexes import drop_indexes
from messages_app.attach.recognition import Hub, recognize
from messages_app.attach.status import attached_hub
from messages_app.management.base import ReportingCommand
from messages_app.messages.attachment import Attachment


class Command(ReportingCommand):
    help = (
        "Detach the console from its hub: drop the schema hubconsole with all data of the console, its"
        " triggers and its indexes. The hub's rows stay as they are. Jobs are stopped, and the audit log is"
        " written to a file in HUBCONSOLE_HOME. Stop the console first."
        " Exit status: 0 detached, 1 refused, or the owner must still drop indexes."
    )
    examples = ("detach --yes",)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--yes", action="store_true", help="do not ask")
        parser.add_argument(
            "--discard-archive",
            action="store_true",
            help="give up archived rows and values that only the console has",
        )

    def handle(self, *, yes: bool, discard_archive: bool, **options: object) -> None:
        found = attached_hub()
        if found is None:
            raise CommandError("The console is not attached to a hub.")
        if not discard_archive:
            _check_archive()
        if not yes:
            self._ask()
        schemas = services.schemas_of(found)
        file = settings.HUBCONSOLE_HOME / f"audit-{found.hub_schema}-{timezone.now():%Y%m%dT%H%M%SZ}.jsonl"
        try:
            leaving.end_jobs()
            if not discard_archive:
                _check_archive()  # Until now, a job may have archived more.
            entries = leaving.export_audit(file)
        except (leaving.StillWorking, OSError) as error:
            raise CommandError(f"The console is still attached: {error}") from None
        revocations = rights.revocations(schemas)
        left = _drop_indexes(found)
        try:
            services.detach()
        except services.HubBusy as error:
            raise CommandError(f"The console is still attached: {error}") from None
        after = services.fingerprint_of(schemas)
        is_same = after == found.fingerprint
        if left:
            self.stderr.write(f"The audit log is in {file}.\n{_rights_left(revocations)}")
            raise CommandError(f"Detached. The owner of the hub's tables must still run: {'; '.join(left)};")
        words = "is as it was before" if is_same else "has been changed by its owner since it was attached"
        self.report(
            f"Detached from {found}. The catalog of the hub {words} ({found.fingerprint}, now {after}).\n"
            f"The audit log ({entries} entries) is in {file}.\n" + _rights_left(revocations),
            schema=found.hub_schema,
            fingerprint_before=found.fingerprint,
            fingerprint=after,
            is_same=is_same,
            audit=str(file),
            audit_entries=entries,
            revocations=revocations,
        )

    def _ask(self) -> None:
        if not sys.stdin.isatty():
            raise CommandError("Not a terminal: run with --yes.", returncode=2)
        self.stderr.write("This drops all data of the console: users, audit log, jobs. Type 'detach':")
        if sys.stdin.readline().strip() != "detach":
            raise CommandError("Nothing was changed.")


def _check_archive() -> None:
    if kept := services.archived_by_console():
        raise CommandError(
            f"Detaching would lose archived rows that only the console has: {kept}. Restore them first,"
            " or give them up with --discard-archive."
        )


def _rights_left(revocations: list[str]) -> str:
    if not revocations:
        return "The role was granted nothing on the hub's tables."
    return "\n".join(["The role keeps these rights until their owner takes them away:", *revocations])


def _drop_indexes(found: Attachment) -> list[str]:
    """Drop the console's indexes from the hub's tables; return the statements that this role may not run."""
    hub = recognize(found.hub_schema, archive_schema=found.archive_schema or None)
    return drop_indexes(hub) if isinstance(hub, Hub) else []
