"""
The dry run of `attach`: the statements that it would run and the missing rights. It writes nothing.

`doctor` also gets the missing parts of an attachment here: views, triggers, indexes and rights.
"""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from shlex import quote
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from psycopg import sql
from psycopg.rows import TupleRow

from messages_app.attach import rights
from messages_app.attach.indexes import (
    analyze_statements,
    index_statements,
    replaced_indexes,
    unusable_indexes,
)
from messages_app.attach.owner import archive_statements
from messages_app.attach.recognition import Hub, find_viewed_tables, statements
from messages_app.attach.triggers import FUNCTIONS, trigger_scripts
from messages_app.attach.views import view_columns, view_statements
from messages_app.attach.zones import newest_time
from messages_app.messages.attachment import SETTINGS_TABLE, Attachment, read_settings
from messages_app.messages.hub_times import CODES, HubTimes, describe_times, times_from, with_overrides
from messages_app.messages.suspension import SCHEMA
from messages_app.shared.hub_zones import mark_of_instants

# Newest first: the key of configuration_item that only this release of OpenHub and newer ones have.
_RELEASES = (
    ("ohf.mail.admin.enabled", "2.2 or newer"),
    ("ohf.asynch.finalMessages.ok.saveTimeInSec", "2.1"),
    ("", "2.0"),
)
_AHEAD = sql.SQL("SELECT at - timezone({zone}, clock_timestamp()) FROM ({newest}) AS newest")
_CREATED_TRIGGER = re.compile(r"CREATE TRIGGER (\w+).*?EXECUTE FUNCTION \w+\.(\w+)", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Report:
    """
    Args:
        ahead: the seconds by which the hub's newest time is later than now in the zone; None without times.
        tables: (schema, table, rows, bytes).
        times: a line for each time and limit that explanations use, with its value and where it is from.
        archive_tables: the statements that create missing archive tables.
        replaced_indexes: those of the console that it does not need, each with the hub's index instead.
        missing: for each tier, the statements that give the role what it lacks.
    """

    database: str
    server: str
    role: str
    release: str
    schema: str
    archives: list[dict[str, Any]]
    zone: str
    ahead: float | None
    tables: list[TupleRow]
    times: list[str]
    missing: dict[str, list[str]]
    views: list[str]
    archive_tables: list[str]
    triggers: list[str]
    indexes: list[str]
    replaced_indexes: dict[str, str]
    warnings: list[str]


def report_of(hub: Hub, *, zone: str, archive_schema: str | None = None) -> Report:
    """
    Describe a hub in one read-only transaction.

    Args:
        archive_schema: where to create archive tables; None: in the schema of the live tables.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION READ ONLY")
        cursor.execute("SELECT current_database(), current_setting('server_version'), current_user")
        database, server, role = cursor.fetchone()
        missing = rights.missing_privileges(hub)
        may_read = not any(each.tier is rights.Tier.READ for each in missing)
        times = _read_times(hub)
        tables = find_viewed_tables(hub)
        figures = {"schemas": list(tables.values()), "tables": list(tables)}
        scripts = trigger_scripts(hub, zone=zone)
        place = archive_schema or hub.schema
        return Report(
            database=database,
            server=server,
            role=role,
            release=_read_release(hub),
            schema=hub.schema,
            archives=[asdict(archive) for archive in hub.archives],
            zone=zone,
            ahead=_measure_newest_time(cursor, hub, zone) if may_read else None,
            tables=statements.fetch_rows("table_figures", figures),
            times=describe_times(times),
            missing=_list_missing_rights(
                missing, role, tiers={each.tier for each in rights.needed_privileges(hub)}
            ),
            views=[f"CREATE SCHEMA {SCHEMA}", *view_statements(hub, zone=zone)],
            archive_tables=[] if hub.archives else archive_statements(hub, place=place, role=role),
            triggers=[scripts.functions, scripts.triggers],
            indexes=[*index_statements(hub, zone=zone), *analyze_statements(hub)],
            replaced_indexes=replaced_indexes(hub),
            warnings=[f"unknown column {name}" for name in hub.extra]
            + [f"missing {name}" for name in hub.missing]
            + ([times.note] if times.note else []),
        )


def _list_missing_rights(
    privileges: list[rights.Privilege], role: str, *, tiers: set[rights.Tier]
) -> dict[str, list[str]]:
    """Return the missing statements of these tiers. Without the console's schema, nothing can be read."""
    missing = {
        tier.name.lower(): [each.grant(role) for each in privileges if each.tier is tier]
        for tier in rights.Tier
        if tier in tiers
    }
    if statement := rights.statement_of_schema(role):
        missing[rights.Tier.READ.name.lower()].insert(0, statement)
    return missing


def _read_release(hub: Hub) -> str:
    codes = [code for code, _ in _RELEASES if code]
    settings = read_settings(hub.schema, codes) if SETTINGS_TABLE in hub.family.tables else None
    if settings is None:
        return hub.family.label
    release = next(release for code, release in _RELEASES if not code or code in settings)
    return f"{hub.family.label} ({release})"


def _read_times(hub: Hub) -> HubTimes:
    has_table = SETTINGS_TABLE in hub.family.tables
    return with_overrides(times_from(read_settings(hub.schema, CODES)) if has_table else HubTimes())


def _measure_newest_time(cursor: CursorWrapper, hub: Hub, zone: str) -> float | None:
    cursor.execute(_AHEAD.format(zone=sql.Literal(zone), newest=newest_time(hub)))
    (ahead,) = cursor.fetchone()
    return ahead.total_seconds() if ahead is not None else None


def faults_of(attachment: Attachment, hub: Hub) -> tuple[list[str], list[str]]:
    """Return clauses about what is missing on an attached hub, and sentences that say what to do."""
    clauses = [
        f"{what} are missing: {', '.join(names)}"
        for what, names in (
            ("views of this version", _stale_views(attachment, hub)),
            ("triggers", _missing_triggers(attachment, hub) if attachment.has_triggers else []),
            ("indexes", unusable_indexes(hub, zone=attachment.time_zone) if attachment.has_indexes else []),
        )
        if names
    ]
    to_do = (
        [f"Run `{settings.COMMAND_LINE} {_write_command(attachment)}`, then `rebuild_counts`."]
        if clauses
        else []
    )
    if revoked := _revoked_grants(attachment, hub):
        clauses.append(f"{len(revoked)} rights on the hub's tables were revoked")
        to_do.append(f"As the owner of these tables: {'; '.join(revoked)};")
    return clauses, to_do


def _revoked_grants(attachment: Attachment, hub: Hub) -> list[str]:
    """Return the statements that give back what the role had when it was attached, if that is known."""
    before = attachment.missing_grants
    return [] if before is None else [grant for grant in rights.missing_grants(hub) if grant not in before]


def _write_command(attachment: Attachment) -> str:
    """Return the command that repairs an attachment, with the options that it was made with."""
    options = {"--create-triggers": attachment.has_triggers, "--create-indexes": attachment.has_indexes}
    return " ".join(
        ["attach", quote(attachment.hub_schema), *(option for option, is_used in options.items() if is_used)]
    )


def _stale_views(attachment: Attachment, hub: Hub) -> list[str]:
    tables = list(find_viewed_tables(hub))
    obsolete = _obsolete_definitions(attachment, views=tables)
    columns: dict[str, set[str]] = {}
    for _, view, _, column, *_ in statements.fetch_rows(
        "table_columns", {"schemas": [SCHEMA], "relations": tables}
    ):
        columns.setdefault(view, set()).add(column)
    return [table for table in tables if columns.get(table) != view_columns(table) or table in obsolete]


def _missing_triggers(attachment: Attachment, hub: Hub) -> list[str]:
    script = trigger_scripts(hub, zone=attachment.time_zone).triggers
    existing = set(statements.fetch_column("own_triggers", {"schema": hub.schema}))
    obsolete = _obsolete_definitions(attachment, functions=FUNCTIONS)
    return [
        name
        for name, function in _CREATED_TRIGGER.findall(script)
        if name not in existing or function in obsolete
    ]


def _obsolete_definitions(
    attachment: Attachment, *, views: Sequence[str] = (), functions: Sequence[str] = ()
) -> set[str]:
    """Return those of these views and functions with the times of another zone or of an earlier version."""
    values = {
        "schema": SCHEMA,
        "views": list(views),
        "functions": list(functions),
        "time": mark_of_instants(attachment.time_zone),
    }
    return set(statements.fetch_column("obsolete_definitions", values))
