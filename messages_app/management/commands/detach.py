"""`manage.py detach`: takes everything of the console away from the database of a hub."""

import re
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from shlex import quote

from django.conf import settings
from django.core.management.base import CommandError
from django.utils import timezone

from hubconsole.suitability import refusal_of_server
from messages_app.attach import leaving, rights, services
from messages_app.attach.indexes import drop_indexes
from messages_app.attach.owner import created_tables, drop_archive
from messages_app.attach.recognition import Hub, recognize_hub
from messages_app.attach.status import attached_hub, kept_of
from messages_app.management.base import ReportingCommand
from messages_app.messages.attachment import Attachment


class Command(ReportingCommand):
    help = (
        "Detach the console from its hub: drop the schema hubconsole with all data of the console, its"
        " triggers and its indexes, or with --keep-data only the views, triggers and indexes. The hub's rows"
        " stay as they are. Jobs are stopped, and the audit log is written to a file in HUBCONSOLE_HOME. Stop"
        " the console first."
        " Statements that only the owner of the hub's tables may run are printed as a script for psql."
        " Exit status: 0 detached, 1 refused, and the console is still attached."
    )
    examples = ("detach --yes", "detach --keep-data")

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--yes", action="store_true", help="do not ask")
        parser.add_argument(
            "--keep-data",
            action="store_true",
            help="keep the console's own data, such as jobs and the audit log, for a later attach",
        )
        parser.add_argument(
            "--discard-archive",
            action="store_true",
            help="give up archived rows and values that only the console has",
        )
        parser.add_argument(
            "--leave-archive",
            action="store_true",
            help="leave archive tables of attach --create-archive that have rows to the owner of the hub",
        )

    def handle(
        self,
        *,
        yes: bool,
        keep_data: bool,
        discard_archive: bool,
        leave_archive: bool,
        **options: object,
    ) -> None:
        if refused := refusal_of_server():
            raise CommandError(f"Nothing was changed: {'. '.join(refused)}")
        attached = attached_hub()
        if attached is None:
            raise CommandError(f"The console is not attached to a hub.{_note_on_kept_data()}")
        schemas = services.schemas_of(attached)
        discard = discard_archive or keep_data
        _check_archive(schemas, discard=discard, leave=leave_archive)
        if not yes:
            self._ask_to_continue(keep_data=keep_data)
        file = settings.HUBCONSOLE_HOME / _audit_file(attached.hub_schema)
        try:
            leaving.end_jobs(waiting=keep_data)
            # Until now, a job may have archived more.
            _check_archive(schemas, discard=discard, leave=leave_archive)
            entries = leaving.export_audit(file)
        except (leaving.StillWorking, OSError) as error:
            raise CommandError(f"The console is still attached: {error}") from None
        left = [*_drop_indexes(attached), *drop_archive(schemas)]
        revocations = rights.write_revocations(schemas, rights.console_role(), *rights.task_roles())
        try:
            services.detach_hub(attached, keep_data=keep_data)
        except services.HubBusy as error:
            raise CommandError(f"The console is still attached: {error}") from None
        tables = [table for table in created_tables(schemas) if f"DROP TABLE {table}" not in left]
        after = services.fingerprint_of(schemas)
        words = [
            f"Detached from {attached}. {_describe_catalog(attached, after, is_left=bool(left))}",
            f"The audit log ({entries} entries) is in {file}.",
        ]
        if keep_data:
            words.append("Its own data stays in the schema hubconsole; `attach` finds it again.")
        if tables:
            words.append(
                f"These archive tables of the console stay, because they have rows: {', '.join(tables)}."
            )
        self.report(
            "\n".join([*map(_make_comment, words), *_list_for_owner(left), *_rights_left(revocations)]),
            schema=attached.hub_schema,
            fingerprint_before=attached.fingerprint,
            fingerprint=after,
            is_same=after == attached.fingerprint,
            audit=str(file),
            audit_entries=entries,
            archive_tables=tables,
            statements=left,
            revocations=revocations,
        )

    def _ask_to_continue(self, *, keep_data: bool) -> None:
        if not sys.stdin.isatty():
            raise CommandError("Not a terminal: run with --yes.", returncode=2)
        what = "the views and triggers" if keep_data else "all data of the console: users, audit log, jobs"
        self.stderr.write(f"This drops {what}. Type 'detach':")
        if sys.stdin.readline().strip() != "detach":
            raise CommandError("Nothing was changed.")


def _check_archive(schemas: Sequence[str], *, discard: bool, leave: bool) -> None:
    if not discard and (only_here := services.archived_by_console()):
        raise CommandError(
            f"Detaching would lose archived rows that only the console has: {only_here}. Restore them first,"
            " or give them up with --discard-archive."
        )
    filled = [table for table, has_rows in created_tables(schemas).items() if has_rows]
    if filled and not leave:
        raise CommandError(
            f"Archive tables that the console created have archived rows: {', '.join(filled)}. Restore them"
            " first, or leave these tables to the owner of the hub with --leave-archive."
        )


def _audit_file(schema: str) -> str:
    """Return the name of the file. Of the schema it has only characters without a meaning in file names."""
    name = re.sub(r"[^\w.-]+", "_", schema)
    return f"audit-{name}-{timezone.now():%Y%m%dT%H%M%S%fZ}.jsonl"


def _note_on_kept_data() -> str:
    schema = kept_of()
    return (
        f" Its data is in the schema hubconsole: `attach {quote(schema)}` finds it again." if schema else ""
    )


def _make_comment(line: str) -> str:
    """Return a line of the output that psql ignores: the whole output is a script for the owner."""
    return f"-- {line}".replace("\n", " ")


def _describe_catalog(attached: Attachment, after: str, *, is_left: bool) -> str:
    if after == attached.fingerprint:
        words = "is as it was before"
    elif is_left:
        words = "still has what the statements below remove"
    else:
        words = "was changed by its owner after it was attached, for example by a GRANT"
    return f"The catalog of the hub {words} ({attached.fingerprint}, now {after})."


def _list_for_owner(statements: Sequence[str]) -> list[str]:
    if not statements:
        return []
    intro = "The owner of the hub's tables must still run these statements, for example in psql:"
    return [_make_comment(intro), *(f"{statement};" for statement in statements)]


def _rights_left(revocations: Sequence[str]) -> list[str]:
    if not revocations:
        return [_make_comment("The console's roles were granted nothing on the hub's tables.")]
    intro = "The console's roles keep these rights until the owner of the tables takes them away:"
    return [_make_comment(intro), *(f"{statement};" for statement in revocations)]


def _drop_indexes(attached: Attachment) -> list[str]:
    """Drop the console's indexes from the hub's tables; return the statements that this role may not run."""
    hub = recognize_hub(attached.hub_schema, archive_schema=attached.archive_schema)
    return drop_indexes(hub) if isinstance(hub, Hub) else []
