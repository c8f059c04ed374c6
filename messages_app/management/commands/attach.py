"""`manage.py attach SCHEMA`: attaches the console to a hub that already runs."""

import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator
from dataclasses import asdict
from datetime import timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.management.base import CommandError
from django.db import ProgrammingError

from hubconsole.suitability import refusal_of_server, refusal_of_standby
from messages_app.attach import owner, services, zones
from messages_app.attach.indexes import create_indexes
from messages_app.attach.leaving import job_at_work
from messages_app.attach.owner import NotTheOwner
from messages_app.attach.recognition import Hub, NoHub, recognize_hub
from messages_app.attach.report import Report, report_of
from messages_app.attach.rights import Tier
from messages_app.attach.status import attached_hub, kept_of
from messages_app.core.formatting import format_duration, format_time_since
from messages_app.management.base import ReportingCommand
from messages_app.messages.attachment import Attachment
from messages_app.messages.suspension import is_suspended

_GIVE_ZONE = "give the time zone of the hub's Java process with --time-zone, for example Europe/Prague."
_RECOUNT = (
    f"`{settings.COMMAND_LINE} rebuild_counts` and `group_failures` for the messages that are already there."
)
_RECOUNT_AFTER_RESUME = (
    f"`{settings.COMMAND_LINE} rebuild_counts`: changes of the hub in between were not recorded."
)
# The clocks of the hub and the database may differ by this much.
_MAX_AHEAD_SECONDS = 300


def _parse_zone(text: str) -> str:
    try:
        return ZoneInfo(text).key
    except (KeyError, ValueError, OSError):
        raise ArgumentTypeError(f"unknown time zone {text!r}; for example Europe/Prague") from None


class Command(ReportingCommand):
    help = (
        "Attach the console to the hub whose tables are in a schema of its database. The console's tables are"
        " created in the schema hubconsole; nothing is added to a hub table without an option that says so."
        " A second run repairs views and adds what is missing."
        " Exit status: 0 done, 1 refused, and nothing was changed."
    )
    examples = (
        "attach openhub --dry-run",
        "attach public --time-zone Europe/Prague --create-triggers",
        "attach --suspend",
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("schema", nargs="?", help="the schema of the hub's tables")
        parser.add_argument(
            "--dry-run", action="store_true", help="only print what would be created, and the missing rights"
        )
        parser.add_argument(
            "--time-zone",
            type=_parse_zone,
            default=settings.HUB_TIME_ZONE or None,
            metavar="ZONE",
            help="time zone of the hub's Java process (default: HUB_TIME_ZONE, the previous one, or the"
            " one in which the hub is writing now; otherwise the command asks)",
        )
        parser.add_argument("--archive-schema", metavar="S", help="the schema of its archive tables")
        parser.add_argument(
            "--create-triggers",
            action="store_true",
            help="record the hub's changes as it makes them, instead of polling",
        )
        parser.add_argument(
            "--create-indexes",
            action="store_true",
            help="create indexes on the hub's tables; for more than about 100 000 messages",
        )
        parser.add_argument(
            "--create-archive",
            action="store_true",
            help="create the archive tables of the hub's release, unless it has archive tables",
        )
        parser.add_argument(
            "--suspend", action="store_true", help="drop views and triggers for an upgrade of the hub"
        )
        parser.add_argument("--resume", action="store_true", help="create them again as they were")

    def handle(
        self,
        *,
        schema: str | None,
        dry_run: bool,
        time_zone: str | None,
        archive_schema: str | None,
        create_triggers: bool,
        create_indexes: bool,
        create_archive: bool,
        suspend: bool,
        resume: bool,
        **options: object,
    ) -> None:
        warnings = _check_server(only_reads=dry_run)
        if suspend:
            self._suspend_attachment()
            return
        if resume:
            before = _current_attachment()
            schema, archive_schema = before.hub_schema, before.archive_schema or None
            time_zone, create_triggers = before.time_zone, before.has_triggers
        if schema is None:
            raise CommandError("Name the schema of the hub's tables.", returncode=2)
        hub = _find_hub(schema, archive_schema)
        zone, evidence = _find_zone(hub, time_zone)
        hub_report = report_of(hub, zone=zone or zones.UTC, archive_schema=archive_schema)
        hub_report.warnings.extend(warnings)
        if zone:
            _check_time(hub_report)
        else:
            hub_report.warnings.append(f"{_GIVE_ZONE} {evidence}")
        if dry_run:
            self.report("\n".join(_describe_hub(hub_report)), **asdict(hub_report))
            return
        _check_rights(hub_report, triggers=create_triggers)
        if not zone:
            hub_report = report_of(hub, zone=self._ask_zone(evidence), archive_schema=archive_schema)
            _check_time(hub_report)
        nothing = "Nothing was created"
        if create_archive and hub_report.archive_tables:
            _create_archive(hub_report)
            nothing = "Only the archive tables were created"
            hub = _find_hub(schema, archive_schema)
        try:
            services.attach_hub(hub, zone=hub_report.zone, triggers=create_triggers)
        except services.HubBusy as error:
            raise CommandError(f"{nothing}: {error}") from None
        except ProgrammingError as error:
            raise CommandError(f"{nothing}: {str(error).splitlines()[0]}") from None
        created = self._create_indexes(hub, hub_report.zone) if create_indexes else 0
        self.report(
            f"{'Resumed: attached' if resume else 'Attached'} to {hub_report.release} in the schema {schema},"
            f" with times of {hub_report.zone}: {_describe_newest(hub_report)}. Start the console, then run"
            f" {_RECOUNT_AFTER_RESUME if resume else _RECOUNT}",
            schema=schema,
            release=hub_report.release,
            rules=hub.family.rules,
            has_triggers=create_triggers,
            indexes=created,
        )

    def _ask_zone(self, evidence: str) -> str:
        """
        Ask for the zone on a terminal.

        Raises:
            CommandError: there is no terminal, or the answer is not a zone.
        """
        text = f"{_GIVE_ZONE} {evidence}"
        if not sys.stdin.isatty():
            raise CommandError(f"Nothing was created: {text}")
        self.stderr.write(f"{text}\nTime zone of the hub's Java process:", ending=" ")
        try:
            return _parse_zone(sys.stdin.readline().strip())
        except ArgumentTypeError as error:
            raise CommandError(f"Nothing was created: {error}.") from None

    def _suspend_attachment(self) -> None:
        attached = _current_attachment()
        if not is_suspended() and (job := job_at_work()):
            raise CommandError(f"Job {job.pk} is not finished yet. Stop the console first.")
        try:
            services.suspend_views()
        except services.HubBusy as error:
            raise CommandError(f"Nothing was changed: {error}") from None
        self.report(
            f"Suspended: the views and triggers of {attached} are gone, and its changes are not recorded."
            f" After the upgrade run `{settings.COMMAND_LINE} attach --resume`.",
            schema=attached.hub_schema,
        )

    def _create_indexes(self, hub: Hub, zone: str) -> int:
        count = 0
        try:
            for statement in create_indexes(hub, zone=zone):
                self.stderr.write(statement)
                count += statement.startswith("CREATE")
        except NotTheOwner as error:
            raise CommandError(
                f"The console is attached, but indexes are missing: {error}. Only the owner of the tables may"
                " create them: set HUBCONSOLE_OWNER_DATABASE_URL, or give the statements of --dry-run to the"
                " owner."
            ) from None
        return count


def _check_server(*, only_reads: bool) -> list[str]:
    """
    Refuse a server, or a way to it, with which the console cannot work.

    Returns:
        Warnings about a server on which a dry run works, but nothing else.
    """
    refused = refusal_of_server()
    if refused is None:
        return []
    if only_reads and refused == refusal_of_standby():
        return [". ".join(refused)]
    raise CommandError(f"Nothing was created: {'. '.join(refused)}")


def _create_archive(hub_report: Report) -> None:
    try:
        owner.run_by_owner(hub_report.archive_tables)
    except NotTheOwner as error:
        raise CommandError(
            f"Nothing was created: {error}. Only the owner of the hub's tables may create archive tables: set"
            " HUBCONSOLE_OWNER_DATABASE_URL, or give these statements to the owner and run this again:\n"
            + "".join(f"{statement};\n" for statement in hub_report.archive_tables)
        ) from None


def _current_attachment() -> Attachment:
    attached = attached_hub()
    if attached is None:
        raise CommandError("The console is not attached to a hub.")
    return attached


def _find_zone(hub: Hub, name: str | None) -> tuple[str | None, str]:
    """Return the given zone, that of an earlier run or the one in which the hub writes; and what is known."""
    before = attached_hub()
    if zone := name or (before.time_zone if before else None):
        return zone, ""
    evidence = zones.read_evidence(hub)
    return evidence.zone, evidence.describe()


def _find_hub(schema: str, archive_schema: str | None) -> Hub:
    before = attached_hub()
    if before and before.hub_schema != schema:
        raise CommandError(f"Nothing was created: the console is attached to {before}. Detach it first.")
    if (hub_of_data := kept_of()) not in (None, schema):
        raise CommandError(
            f"Nothing was created: the schema hubconsole has the data of a console of the hub in the schema"
            f" {hub_of_data}. Attach to that hub, or drop this schema."
        )
    hub = recognize_hub(schema, archive_schema=archive_schema)
    if isinstance(hub, NoHub):
        raise CommandError(f"Nothing was created: {hub.text}.")
    if len(hub.archives) > 1:
        places = ", ".join(archive.schema for archive in hub.archives)
        raise CommandError(
            f"Nothing was created: there are archive tables in {places}. Choose with --archive-schema."
        )
    return hub


def _check_time(hub_report: Report) -> None:
    if hub_report.ahead is not None and hub_report.ahead > _MAX_AHEAD_SECONDS:
        ahead = format_duration(timedelta(seconds=hub_report.ahead))
        raise CommandError(
            f"Nothing was created: the hub's newest time is {ahead} in the future of {hub_report.zone}."
            f" Name the time zone of its Java process with --time-zone."
        )


def _check_rights(hub_report: Report, *, triggers: bool) -> None:
    needed = [Tier.READ, *([Tier.LIVE] if triggers else [])]
    grants = [grant for tier in needed for grant in hub_report.missing[tier.name.lower()]]
    if grants:
        raise CommandError(f"Nothing was created: the role {hub_report.role} needs {'; '.join(grants)}.")


def _describe_newest(hub_report: Report) -> str:
    return (
        "no times"
        if hub_report.ahead is None
        else f"the newest is {format_time_since(timedelta(seconds=-hub_report.ahead))}"
    )


def _describe_hub(hub_report: Report) -> Iterator[str]:
    yield f"database   {hub_report.database}, PostgreSQL {hub_report.server}, role {hub_report.role}"
    yield f"hub        {hub_report.release} in schema {hub_report.schema}"
    for archive in hub_report.archives:
        lacks = f"; without {', '.join(archive['missing'])}" if archive["missing"] else ""
        yield f"archive    schema {archive['schema']}, script {archive['script'] or 'unknown'}{lacks}"
    yield f"time zone  {hub_report.zone}: {_describe_newest(hub_report)}"
    for schema, name, rows, size in hub_report.tables:
        yield f"table      {schema}.{name}: {'?' if rows is None else rows} rows, {size} bytes"
    yield from (f"times      {line}" for line in hub_report.times)
    for tier, grants in hub_report.missing.items():
        yield f"rights     {tier}: {'missing' if grants else 'all'}"
        yield from (f"           {grant};" for grant in grants)
    yield from (f"warning    {warning}" for warning in hub_report.warnings)
    yield from ("", "-- views", *(f"{view};" for view in hub_report.views))
    if hub_report.archive_tables:
        yield from ("", "-- archive tables, only with --create-archive")
        yield from (f"{statement};" for statement in hub_report.archive_tables)
    yield from ("", "-- triggers, only with --create-triggers", *hub_report.triggers)
    yield from ("", "-- indexes, only with --create-indexes", *(f"{index};" for index in hub_report.indexes))
    yield from (f"-- {ours} exists already as {hubs}" for ours, hubs in hub_report.replaced_indexes.items())
