"""
Recognizes the hub whose tables are in a schema. It reads only the catalog, never rows.

Source: docs/contributing/spec/hub_versions.md, "Known schemas".
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from messages_app.attach.layouts import (
    ARCHIVE_SCRIPTS,
    ARCHIVED,
    CLEVERBUS_1,
    CLEVERBUS_2,
    FAMILIES,
    KEYS,
    KIND_OF_TYPE,
    OPENHUB_2,
    SCRIPT_IN_PLACE,
    SINCE_0_4,
    Columns,
    Family,
)
from messages_app.core.statements import Statements

statements = Statements("messages_app.attach")

_TABLE = "r"
# The prefix of the archive's tables.
ARCHIVE_PREFIX = "archive_"


class Reason(StrEnum):
    """Why a schema has no hub to attach to."""

    NO_SCHEMA = "no_schema"
    EMPTY = "empty"
    CONSOLE = "console"
    NAME = "name"
    TOO_OLD = "too_old"
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True)
class NoHub:
    """
    A schema without a hub that the console can attach to.

    Args:
        text: the reason as a clause, without a full stop.
    """

    schema: str
    reason: Reason
    text: str


@dataclass(frozen=True, kw_only=True)
class Archive:
    """
    The archive tables of a hub.

    Args:
        script: the archive script that creates such tables, or None in a schema that no script creates.
        missing: the tables and columns that would be needed to archive everything.
    """

    schema: str
    script: str | None
    missing: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Hub:
    """
    A hub whose tables the console knows.

    Args:
        archives: its archive tables, usually in one schema.
        missing: its objects that are absent, which the console does not need.
        extra: the columns of its tables that no release has.
    """

    schema: str
    family: Family
    archives: tuple[Archive, ...]
    missing: tuple[str, ...]
    extra: tuple[str, ...]


@dataclass
class _Relation:
    kind: str
    types: dict[str, str] = field(default_factory=dict)
    keys: list[str] = field(default_factory=list)


_Schema = Mapping[str, _Relation]


def recognize_hub(schema: str, *, archive_schema: str | None = None) -> Hub | NoHub:
    """
    Recognize the hub in a schema.

    Args:
        archive_schema: where its archive tables are; None: in this schema, or in one that an archive script
            creates.
    """
    places = [archive_schema] if archive_schema else [schema, *ARCHIVE_SCRIPTS]
    schemas = _read_relations(schema, *places)
    if schema not in schemas:
        return NoHub(schema=schema, reason=Reason.NO_SCHEMA, text=f"there is no schema {schema}")
    relations = schemas[schema]
    if problem := _problem_of_names(places) or _find_problem(relations):
        reason, text = problem
        return NoHub(schema=schema, reason=reason, text=text)
    family = _recognize_family(relations)
    archives = (
        _find_archive(place, schemas.get(place, {}), schema, family) for place in dict.fromkeys(places)
    )
    return Hub(
        schema=schema,
        family=family,
        archives=tuple(archive for archive in archives if archive),
        missing=() if family.sequence in relations else (family.sequence,),
        extra=tuple(_iterate_extra_columns(relations, family)),
    )


def find_hubs() -> list[Hub | NoHub]:
    """
    Return the hubs in all schemas of the database.

    A NoHub of them has tables like a hub's that the console cannot attach to.
    """
    return [recognize_hub(schema) for (schema,) in statements.fetch_rows("hub_schemas", {})]


def find_viewed_tables(hub: Hub) -> dict[str, str]:
    """Return the schema of each table of the hub that becomes a view. Other tables stay the console's own."""
    live = {table: hub.schema for table in ARCHIVED if table in hub.family.tables}
    if len(hub.archives) != 1:
        return live
    archive = hub.archives[0]
    names = (f"{ARCHIVE_PREFIX}{table}" for table in live)
    return live | {name: archive.schema for name in names if name not in archive.missing}


def _read_relations(*names: str) -> dict[str, dict[str, _Relation]]:
    """Return the relations of hubs in the schemas that exist, by schema and name."""
    live = {name for family in FAMILIES for name in (*family.tables, family.sequence)}
    relations = [*sorted(live), *(f"{ARCHIVE_PREFIX}{name}" for name in ARCHIVED)]
    by_name: dict[str, dict[str, _Relation]] = {}
    rows = statements.fetch_rows("table_columns", {"schemas": list(names), "relations": relations})
    for schema, name, kind, column, type_name, is_key in rows:
        tables = by_name.setdefault(schema, {})
        if name is None:
            continue
        relation = tables.setdefault(name, _Relation(kind))
        relation.types[column] = type_name
        relation.keys += [column] if is_key else []
    return by_name


def _problem_of_names(schemas: Iterable[str]) -> tuple[Reason, str] | None:
    """Refuse a name in which drivers of PostgreSQL would look for a parameter of the statement."""
    if odd := next((schema for schema in schemas if "%" in schema), None):
        return Reason.NAME, f"the name of the schema {odd} contains a percent sign"
    return None


def _find_problem(relations: _Schema) -> tuple[Reason, str] | None:
    """Return why these are not the tables of a known release, or None."""
    message = relations.get("message")
    if message is None or "msg_id" not in message.types:
        return Reason.EMPTY, "it has no table message of a hub"
    if "service_name" in message.types:
        return Reason.CONSOLE, "its tables are those of Hub Console"
    if "service" in message.types and not SINCE_0_4.keys() & message.types.keys():
        return Reason.TOO_OLD, "its tables are older than CleverBus 0.4: message lacks guaranteed_order"
    if "funnel" in relations and "node_id" in message.types:
        return Reason.UNKNOWN, "it has both funnel, as CleverBus 2, and message.node_id, as OpenHub 2"
    if differences := list(_iterate_differences(relations, _recognize_family(relations))):
        further = f" and {len(differences) - 3} more differences" if len(differences) > 3 else ""
        return Reason.UNKNOWN, f"its tables are of no known release: {', '.join(differences[:3])}{further}"
    return None


def _recognize_family(relations: _Schema) -> Family:
    if "node_id" in relations["message"].types:
        return OPENHUB_2
    return CLEVERBUS_2 if "funnel" in relations else CLEVERBUS_1


def _iterate_differences(relations: _Schema, family: Family) -> Iterator[str]:
    """Yield the differences that would break the console: missing tables, columns and keys, other kinds."""
    for table, columns in family.tables.items():
        relation = relations.get(table)
        if relation is None:
            yield f"{table} is missing"
        elif relation.kind != _TABLE:
            yield f"{table} is not an ordinary table"
        else:
            yield from _different_columns(table, relation, columns)


def _different_columns(table: str, relation: _Relation, columns: Columns) -> Iterator[str]:
    for column, kind in columns.items():
        type_name = relation.types.get(column)
        if type_name is None:
            yield f"{table}.{column} is missing"
        elif KIND_OF_TYPE.get(type_name) is not kind:
            yield f"{table}.{column} is {type_name} instead of {kind}"
    if table in KEYS and relation.keys != [KEYS[table]]:
        yield f"{table} has no primary key {KEYS[table]}"


def _iterate_extra_columns(relations: _Schema, family: Family) -> Iterator[str]:
    for table, columns in family.tables.items():
        if table in KEYS:
            yield from (f"{table}.{name}" for name in relations[table].types if name not in columns)


def _find_archive(place: str, relations: _Schema, schema: str, family: Family) -> Archive | None:
    """Return the archive in a schema, or None if it has no table archive_message."""
    if f"{ARCHIVE_PREFIX}message" not in relations:
        return None
    missing = []
    for table in ARCHIVED:
        name = f"{ARCHIVE_PREFIX}{table}"
        if table in family.tables and name not in relations:
            missing.append(name)
        elif table in family.tables:
            types = relations[name].types
            missing += [f"{name}.{column}" for column in family.tables[table] if column not in types]
    script = SCRIPT_IN_PLACE if place == schema else ARCHIVE_SCRIPTS.get(place)
    return Archive(schema=place, script=script, missing=tuple(missing))
