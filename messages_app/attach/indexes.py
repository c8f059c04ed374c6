"""
The indexes that the console's lists need on the hub's tables: those of its models, over the hub's columns.

Their names begin with hubc_, because a hub has other indexes under names of the console's.
Source: docs/contributing/spec/hub_versions.md, "Other live tables".
"""

from collections.abc import Iterator, Mapping

from django.db import connection
from django.db.models import F, Index, Model
from psycopg import sql

from messages_app.attach.layouts import Kind
from messages_app.attach.owner import NotTheOwner, owner_cursor
from messages_app.attach.recognition import ARCHIVE_PREFIX, Hub, find_viewed_tables, statements
from messages_app.attach.rights import quote_name
from messages_app.attach.views import MODELS, base_columns, text_of
from messages_app.messages.attachment import Attachment
from messages_app.shared.hub_names import base_name
from messages_app.shared.hub_zones import instant_of, mark_of_instants

PREFIX = "hubc_"
# Columns with few rows for a value: any index that begins with one of them is good enough.
_FEW_ROWS = {"msg_id", "call_id", "req_id", "res_id"}
_INCLUDED = " INCLUDE ("


def index_statements(hub: Hub, *, zone: str) -> list[str]:
    """Return the statements that create the indexes that the hub lacks, each in a transaction of its own."""
    replaced = replaced_indexes(hub)
    return [
        _write_statement(hub, model, schema, index, zone)
        for model, schema, index in _iterate_indexes(hub)
        if PREFIX + index.name not in replaced
    ]


def replaced_indexes(hub: Hub) -> dict[str, str]:
    """Return the console's indexes that it does not need, each with the index of the hub instead of it."""
    tables = find_viewed_tables(hub)
    values = {"schemas": list(tables.values()), "tables": list(tables), "prefix": PREFIX}
    existing = {
        (table, column): name for table, column, name in statements.fetch_rows("leading_columns", values)
    }
    indexes = {}
    for model, _, index in _iterate_indexes(hub):
        table, (first, *_) = model._meta.db_table, [*index.fields, *map(_name_of_column, index.expressions)]
        # Of a key, a condition is the only use.
        is_needed = first not in _FEW_ROWS or (index.condition and first == model._meta.pk.name)
        if not is_needed and (table, first) in existing:
            indexes[PREFIX + index.name] = existing[table, first]
    return indexes


def _name_of_column(expression: object) -> str:
    return expression.name if isinstance(expression, F) else ""


def _iterate_indexes(hub: Hub) -> Iterator[tuple[type[Model], str, Index]]:
    """Yield (model, schema, index). The archive tables of a hub have no keys, so theirs are added."""
    for table, schema in find_viewed_tables(hub).items():
        model = MODELS[table]
        if table.startswith(ARCHIVE_PREFIX):
            key = model._meta.pk.name
            yield model, schema, Index(fields=[key], name=f"{table}_{key}_idx")
        for index in model._meta.indexes:
            yield model, schema, index


def create_indexes(hub: Hub, *, zone: str) -> Iterator[str]:
    """
    Create the indexes one after the other while the hub writes, and yield each statement before it runs.

    Incomplete ones of an earlier run, and those with the times of another zone or version, are dropped first.

    Raises:
        NotTheOwner: the role is not the owner of the hub's tables.
    """
    Attachment.objects.update(has_indexes=True)  # `doctor` names missing ones.
    with owner_cursor() as cursor:
        for name in _obsolete_indexes(_list_schemas(hub), zone):
            cursor.execute(f"DROP INDEX CONCURRENTLY {name}")
        for statement in [*index_statements(hub, zone=zone), *analyze_statements(hub)]:
            yield statement
            cursor.execute(statement)


def unusable_indexes(hub: Hub, *, zone: str) -> list[str]:
    """Return the console's indexes that are missing, incomplete or obsolete."""
    places = {"schemas": _list_schemas(hub)}
    obsolete = _obsolete_indexes(_list_schemas(hub), zone)
    usable = {name for place, name in statements.fetch_rows("own_indexes", places) if place not in obsolete}
    replaced = replaced_indexes(hub)
    needed = {PREFIX + index.name for _, _, index in _iterate_indexes(hub)}
    return sorted(needed - usable - replaced.keys())


def _obsolete_indexes(schemas: list[str], zone: str) -> list[str]:
    """Return incomplete indexes, and those with times of another zone or of an earlier version."""
    values = {"schemas": schemas, "time": mark_of_instants(zone)}
    return statements.fetch_column("obsolete_indexes", values)


def analyze_statements(hub: Hub) -> list[str]:
    """
    Return the statements to run after the indexes: without them the planner knows nothing about the values of
    expressions, which all times are.
    """
    tables = (sql.Identifier(schema, table) for table, schema in find_viewed_tables(hub).items())
    return [text_of(sql.SQL("ANALYZE {}").format(table)) for table in tables]


def drop_indexes(hub: Hub) -> list[str]:
    """Drop the console's indexes from the hub's tables; return the statements that the role may not run."""
    names = statements.fetch_rows("own_indexes", {"schemas": _list_schemas(hub)})
    left = [f"DROP INDEX CONCURRENTLY {name}" for name, _ in names]
    try:
        with owner_cursor() as cursor:
            while left:
                cursor.execute(left[0])
                del left[0]
    except NotTheOwner:
        return left
    return []


def _list_schemas(hub: Hub) -> list[str]:
    return sorted(set(find_viewed_tables(hub).values()))


def _write_statement(hub: Hub, model: type[Model], schema: str, index: Index, zone: str) -> str:
    table = model._meta.db_table
    with connection.schema_editor(collect_sql=True, atomic=False) as editor:
        text = str(index.create_sql(model, editor, concurrently=True))
    text = text.replace("CONCURRENTLY", "CONCURRENTLY IF NOT EXISTS", 1)
    text = text.replace(f'"{index.name}"', f'"{PREFIX}{index.name}"', 1)
    head, rest = text.split(" (", 1)
    head = head.replace(f'ON "{table}"', f"ON {quote_name(schema, table)}", 1)
    values = _map_values(hub, model, zone)
    for column, (value, _) in values.items():
        rest = rest.replace(f'"{column}"', value)
    return f"{head} ({_with_raw_times(rest, values)}"


def _map_values(hub: Hub, model: type[Model], zone: str) -> Mapping[str, tuple[str, str]]:
    """Return for each column of the model the expression of its view, and for a time the hub's column."""
    table = model._meta.db_table
    columns = base_columns(hub, table)
    values = {}
    for field in model._meta.local_concrete_fields:
        base = text_of(sql.Identifier(base_name(table, field.column)))
        is_time = columns.get(base_name(table, field.column)) is Kind.TIME
        time = f"({text_of(instant_of(sql.SQL(base), zone=zone))})"
        values[field.column] = (time, base) if is_time else (base, "")
    return values


def _with_raw_times(rest: str, values: Mapping[str, tuple[str, str]]) -> str:
    """Add the hub's times to INCLUDE: without the columns of its expressions, no scan is index-only."""
    if _INCLUDED not in rest:
        return rest
    times = dict.fromkeys(raw for value, raw in values.values() if raw and value in rest)
    return rest.replace(_INCLUDED, f"{_INCLUDED}{', '.join(times)}, ") if times else rest
