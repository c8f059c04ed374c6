"""
The privileges on a hub's tables that each part of the console needs, and the ones that a role lacks.

Source: docs/contributing/spec/hub_versions.md, "Views of a hub's tables".
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from operator import itemgetter

from psycopg import sql

from messages_app.attach.recognition import ARCHIVE_PREFIX, Hub, find_viewed_tables, statements
from messages_app.audit.privileges import Part
from messages_app.messages.attachment import RIGHTS, SETTINGS_TABLE, Feature
from messages_app.messages.suspension import SCHEMA
from messages_app.shared.hub_names import LOCKED_BY

_OF_SETTINGS = ("code", "current_value", "default_value")


class Tier(StrEnum):
    """Steps of rights, each in addition to READ. The values describe them for users."""

    READ = "read: lists, details, explanations, funnels, exports"
    TIMES = "times: the hub's own intervals and limits in explanations"
    ACT = "act: cancel and restart, one or many"
    RESEND = "resend: correct payloads and send them as new messages"
    ARCHIVE = "archive, restore and erase"
    LIVE = "live: history, counts and failure groups as the hub writes"


# The parts use the console's views of the hub's tables. Previews also read samples of the tables themselves,
# tasks of Spark move their rows, and a resend stores the new ones there.
_TIERS_OF_PARTS: Mapping[Part | None, frozenset[Tier]] = {
    Part.WEB: frozenset({Tier.READ, Tier.TIMES, Tier.RESEND}),
    Part.WORKER: frozenset({Tier.READ, Tier.TIMES}),
    Part.SPARK: frozenset({Tier.READ, Tier.ARCHIVE}),
    Part.ERASE: frozenset(),
    None: frozenset({Tier.READ, Tier.TIMES, Tier.RESEND, Tier.ARCHIVE}),
}


@dataclass(frozen=True)
class Privilege:
    """
    A privilege on one table, or on a schema.

    Args:
        table: empty for the schema itself; with `is_sequence`, the sequence.
        columns: only on these, or on all.
    """

    tier: Tier
    schema: str
    table: str
    word: str
    columns: tuple[str, ...] = ()
    is_sequence: bool = False

    def grant(self, role: str) -> str:
        """Return the statement that grants it."""
        columns = f" ({', '.join(self.columns)})" if self.columns else ""
        place = quote_name(self.schema, self.table) if self.table else f"SCHEMA {quote_name(self.schema)}"
        kind = "SEQUENCE " if self.is_sequence else ""
        return f"GRANT {self.word}{columns} ON {kind}{place} TO {quote_name(role)}"


def quote_name(*parts: str) -> str:
    """Return a name for a statement, with its schema before it. A name may contain quotes, too."""
    return sql.Identifier(*parts).as_string(None)


def needed_privileges(hub: Hub) -> Iterator[Privilege]:
    """Yield every privilege that the console can use on the tables of a hub."""
    tables = find_viewed_tables(hub)
    for schema in dict.fromkeys(tables.values()):
        yield Privilege(Tier.READ, schema, "", "USAGE")
    for table, schema in tables.items():
        yield Privilege(Tier.READ, schema, table, "SELECT")
    if SETTINGS_TABLE in hub.family.tables:
        yield Privilege(Tier.TIMES, hub.schema, SETTINGS_TABLE, "SELECT", _OF_SETTINGS)
    for (table, word), rights in groupby(RIGHTS[Feature.ACT], key=itemgetter(0, 1)):
        columns = tuple(column for *_, column in rights if column)
        yield Privilege(Tier.ACT, hub.schema, table, word, columns)
    yield from _privileges_of_resends(hub, tables)
    for table, schema in tables.items():
        yield Privilege(Tier.ARCHIVE, schema, table, "INSERT")
        yield Privilege(Tier.ARCHIVE, schema, table, "DELETE")
        locked_by = LOCKED_BY[table.removeprefix(ARCHIVE_PREFIX)]
        yield Privilege(Tier.ARCHIVE, schema, table, "UPDATE", (locked_by,))
    yield Privilege(Tier.LIVE, hub.schema, "message", "TRIGGER")


def _privileges_of_resends(hub: Hub, tables: Mapping[str, str]) -> Iterator[Privilege]:
    """Yield what a resend needs. A hub without a table of funnels needs nothing for it."""
    for table, word, column in RIGHTS[Feature.RESEND]:
        if table in tables:
            yield Privilege(Tier.RESEND, hub.schema, table, word, (column,) if column else ())
    yield Privilege(Tier.RESEND, hub.schema, hub.family.sequence, "USAGE", is_sequence=True)


def missing_privileges(hub: Hub, *, role: str | None = None) -> list[Privilege]:
    """
    Return the privileges that a role lacks.

    Args:
        role: None: the role of this connection.
    """
    privileges = list(needed_privileges(hub))
    values = {
        "schemas": [each.schema for each in privileges],
        "tables": [each.table for each in privileges],
        "words": [each.word for each in privileges],
        "columns": [",".join(each.columns) for each in privileges],
        "role": role,
    }
    return [privileges[place] for (place,) in statements.fetch_rows("missing_privileges", values)]


def missing_grants(hub: Hub) -> list[str]:
    """
    Return the statements that give the console's role every right on the hub's tables that it lacks, without
    the right that only `attach` needs, and those of resends, which attachments of older versions never had.
    """
    role = console_role()
    left_out = {Tier.LIVE, Tier.RESEND}
    grants = (each.grant(role) for each in missing_privileges(hub, role=role) if each.tier not in left_out)
    return list(dict.fromkeys(grants))  # Two tiers can have the same privilege.


def write_revocations(schemas: Iterable[str], *roles: str) -> list[str]:
    """Return the statements that take away what roles were granted in these schemas."""
    revocations: list[str] = []
    for role in roles:
        values = {"schemas": sorted(schemas), "role": role}
        revocations += statements.fetch_column("revocations", values)
    return revocations


def task_roles() -> list[str]:
    """Return the roles of tasks of Spark, which `grant` gave rights on the hub's tables."""
    return statements.fetch_column("task_roles", {})


def statements_of_part(hub: Hub, *, role: str, part: Part | None) -> list[str]:
    """
    Return the GRANTs that the owner of the hub's tables must run so that a role can do its part.

    Args:
        part: None: all parts.
    """
    # Two tiers can have the same privilege.
    grants = {each.grant(role) for each in needed_privileges(hub) if _is_needed_by(part, each)}
    lacking = [each.grant(role) for each in missing_privileges(hub, role=role)]
    has_more = any(each.grant(role) not in {*grants, *lacking} for each in needed_privileges(hub))
    if has_more and (revoked := write_revocations(set(find_viewed_tables(hub).values()), role)):
        return [*revoked, *sorted(grants)]
    return [statement for statement in dict.fromkeys(lacking) if statement in grants]


def _is_needed_by(part: Part | None, privilege: Privilege) -> bool:
    """
    Whether a part needs a privilege itself. Except for the new message, a resend uses views and a function.
    """
    if privilege.tier is Tier.RESEND and (privilege.table, privilege.word) != ("message", "INSERT"):
        return False
    return privilege.tier in _TIERS_OF_PARTS[part]


def console_role() -> str:
    """Return the role that attached the console. Its rights are those of the views."""
    role: str = statements.only_row("console_role", {"schema": SCHEMA})[0]
    return role


def statement_of_schema(role: str) -> str | None:
    """Return the statement that creates the console's schema; None if the role has or may create it."""
    (is_possible,) = statements.only_row("own_schema", {"schema": SCHEMA})
    return None if is_possible else f"CREATE SCHEMA {SCHEMA} AUTHORIZATION {quote_name(role)}"
