"""
The tables of the hubs have the facts of docs/contributing/spec/hub_versions.md, written out here a second
time.

On 2026-11-25 columns, constraints and indexes were equal to those of the hubs' own scripts on PostgreSQL 15.
"""

from collections.abc import Iterator

import pytest
from django.db import connection

from messages_app.shared.message_states import MessageState
from tests.support.hubs import LAYOUTS, hub_database

MESSAGE = """
msg_id bigint not null
correlation_id character varying(100) not null
process_id character varying(100)
msg_timestamp timestamp without time zone not null
receive_timestamp timestamp without time zone not null
service character varying(30) not null
source_system character varying(15) not null
state character varying(15) not null
start_process_timestamp timestamp without time zone
object_id character varying(50)
entity_type character varying(30)
operation_name character varying(100) not null
payload text not null
envelope text
failed_desc text
failed_error_code character varying(5)
failed_count integer not null
last_update_timestamp timestamp without time zone
custom_data character varying(20000)
business_error character varying(20000)
parent_msg_id bigint
funnel_value character varying(50)
parent_binding_type character varying(25)
guaranteed_order boolean not null default false
exclude_failed_state boolean not null default false
funnel_component_id character varying(50)
"""
OF_OPENHUB_2 = """
node_id bigint
start_in_queue_timestamp timestamp without time zone
"""
EXTERNAL_CALL = """
call_id bigint not null
creation_timestamp timestamp without time zone not null
entity_id character varying(150) not null
failed_count integer not null
last_update_timestamp timestamp without time zone not null
msg_timestamp timestamp without time zone not null
msg_id bigint not null
operation_name character varying(100) not null
state character varying(20) not null
"""
REQUEST = """
req_id bigint not null
msg_id bigint
res_join_id character varying(100) not null
uri character varying(400) not null
req_envelope text not null
req_timestamp timestamp without time zone not null
"""
RESPONSE = """
res_id bigint not null
req_id bigint
res_envelope text
failed_reason text
res_timestamp timestamp without time zone
failed boolean not null default false
msg_id bigint
"""
FUNNEL = """
funnel_id bigint not null
msg_id bigint not null
funnel_value character varying(50) not null
"""
NODE = """
node_id bigint not null
code character varying(64) not null
name character varying(256) not null
description character varying(2056)
state character varying(64) not null
"""
CONFIGURATION_ITEM = """
code character varying(100) not null
category_code character varying(100) not null
current_value character varying(1000)
default_value character varying(1000)
data_type character varying(20) not null
mandatory boolean not null default true
description character varying(1000)
validation character varying(100)
"""
LIVE = {
    "public.message": MESSAGE,
    "public.external_call": EXTERNAL_CALL,
    "public.request": REQUEST,
    "public.response": RESPONSE,
}
CLEVERBUS_2 = LIVE | {"public.funnel": FUNNEL}
OPENHUB_2 = {name.replace("public", "openhub"): columns for name, columns in LIVE.items()} | {
    "openhub.message": MESSAGE.rstrip() + OF_OPENHUB_2,
    "openhub.node": NODE,
    "openhub.configuration_item": CONFIGURATION_ITEM,
}

KEYS = {
    "external_call_pkey",
    "fk_external_call_message",
    "fk_request_message",
    "fk_response_request",
    "message_pkey",
    "request_pkey",
    "response_pkey",
    "uq_correlation_system",
    "uq_ext_call_operation_entity_id",
}
OF_FUNNEL = {"fk_funnel_message", "funnel_pkey"}
OF_NODES = {
    "configuration_item_pkey",
    "fk_message_node",
    "node_code_key",
    "node_name_key",
    "node_pkey",
    "uq_node_code",
    "uq_node_name",
}
INDEXES = {
    "external_call (operation_name)",
    "external_call (state)",
    "message (funnel_value)",
    "message (state)",
}
OF_ARCHIVE_0_6 = {"external_call (msg_id)", "request (msg_id)", "response (req_id)"}
OF_OPENHUB = {"configuration_item (category_code)", "message (node_id)", "node (code)"}


def archive(schema: str) -> dict[str, str]:
    return {f"{schema}.archive_{name.split('.')[1]}": columns for name, columns in LIVE.items()}


# For each layout: tables and their columns, constraints, indexes, sequences, functions.
EXPECTED = {
    "CleverBus 1.1": (LIVE | archive("public"), KEYS, INDEXES, {"hibernate_sequence"}, {"archive_records"}),
    "CleverBus 1.1 without archive": (LIVE, KEYS, INDEXES, {"hibernate_sequence"}, set()),
    "CleverBus 2.0": (
        CLEVERBUS_2 | archive("public"),
        KEYS | OF_FUNNEL,
        INDEXES,
        {"hibernate_sequence"},
        {"archive_records"},
    ),
    "CleverBus 2.0 with archive 0.5": (
        CLEVERBUS_2 | archive("arch"),
        KEYS | OF_FUNNEL,
        INDEXES,
        {"hibernate_sequence"},
        set(),
    ),
    "CleverBus 2.0 with archive 0.6": (
        CLEVERBUS_2 | archive("cleverbus_archive"),
        KEYS | OF_FUNNEL,
        INDEXES | OF_ARCHIVE_0_6,
        {"hibernate_sequence"},
        set(),
    ),
    "CleverBus 2.0 without archive": (CLEVERBUS_2, KEYS | OF_FUNNEL, INDEXES, {"hibernate_sequence"}, set()),
    "OpenHub 1.0": (LIVE | archive("public"), KEYS, INDEXES, {"hibernate_sequence"}, {"archive_records"}),
    "OpenHub 2.3": (
        OPENHUB_2 | archive("openhub"),
        KEYS | OF_NODES,
        INDEXES | OF_OPENHUB,
        {"openhub_sequence", "openhub_node_sequence"},
        {"archive_records"},
    ),
}

_COLUMNS = """
SELECT attrelid::regclass::text, attname || ' ' || format_type(atttypid, atttypmod)
       || CASE WHEN attnotnull THEN ' not null' ELSE '' END
       || coalesce(' default ' || pg_get_expr(adbin, adrelid), '')
  FROM pg_attribute
  JOIN pg_class ON pg_class.oid = attrelid AND relkind = 'r' AND relnamespace = ANY (%s::regnamespace[])
  LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
 WHERE attnum > 0
 ORDER BY attrelid, attnum
"""
_CONSTRAINTS = (
    "SELECT conname FROM pg_constraint WHERE connamespace = ANY (%s::regnamespace[]) AND contype <> 'n'"
)
_INDEXES = r"""
SELECT relname || ' ' || substring(pg_get_indexdef(indexrelid) FROM '\(.*\)')
  FROM pg_index
  JOIN pg_class ON pg_class.oid = indrelid AND relnamespace = ANY (%s::regnamespace[])
 WHERE NOT indisunique
"""
_SEQUENCES = "SELECT relname FROM pg_class WHERE relkind = 'S' AND relnamespace = ANY (%s::regnamespace[])"
_FUNCTIONS = "SELECT proname FROM pg_proc WHERE pronamespace = ANY (%s::regnamespace[])"


@pytest.fixture(scope="module", params=LAYOUTS)
def layout(request: pytest.FixtureRequest, django_db_setup, django_db_blocker) -> Iterator[str]:
    with django_db_blocker.unblock(), hub_database(request.param):
        yield request.param


def rows(query: str, values: object = None) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        return cursor.fetchall()


def schemas(layout: str) -> list[str]:
    described = LAYOUTS[layout]
    return sorted({described.schema} | ({described.archive} if described.archive else set()))


def names(query: str, layout: str) -> set[str]:
    return {name for (name,) in rows(query, [schemas(layout)])}


def test_every_layout_is_expected():
    assert set(EXPECTED) == set(LAYOUTS)


def test_has_the_tables_and_columns_of_its_release(layout: str):
    with connection.cursor() as cursor:
        cursor.execute("SET search_path = pg_catalog")
    found: dict[str, list[str]] = {}
    for table, column in rows(_COLUMNS, [schemas(layout)]):
        found.setdefault(table, []).append(column)
    tables, *_ = EXPECTED[layout]
    live = {name: columns.split("\n")[1:-1] for name, columns in tables.items() if ".archive_" not in name}
    assert {name: found.get(name) for name in live} == live
    # The order of the columns differs in archive_message: process_id is later.
    assert {name: sorted(columns) for name, columns in found.items()} == {
        name: sorted(columns.split("\n")[1:-1]) for name, columns in tables.items()
    }


def test_has_the_keys_and_indexes_of_its_release(layout: str):
    _, keys, indexes, sequences, functions = EXPECTED[layout]
    assert names(_CONSTRAINTS, layout) == keys
    assert names(_INDEXES, layout) == indexes
    assert names(_SEQUENCES, layout) == sequences
    assert names(_FUNCTIONS, layout) == functions


def test_has_rows_of_every_state(layout: str):
    schema = LAYOUTS[layout].schema
    states = {state for (state,) in rows(f"SELECT state FROM {schema}.message")}
    of_queue = {MessageState.NEW, MessageState.IN_QUEUE}
    assert states == set(MessageState) - (set() if layout.startswith("OpenHub 2") else of_queue)
    calls = {state for (state,) in rows(f"SELECT state FROM {schema}.external_call")}
    assert calls == {"PROCESSING", "OK", "FAILED", "FAILED_END"}
    linked = rows(
        "SELECT count(*) FILTER (WHERE request.msg_id IS NULL), count(*) FILTER (WHERE failed), count(*)"
        f" FROM {schema}.request FULL JOIN {schema}.response USING (req_id)"
    )
    assert linked == [(2, 2, 12)]


def test_keeps_funnel_values_if_its_release_has_them(layout: str):
    schema = LAYOUTS[layout].schema
    waiting = rows(f"SELECT funnel_value FROM {schema}.message WHERE msg_id = 8")
    if "CleverBus 2" not in layout:
        assert waiting == [("value-2",)]
        return
    assert waiting == [(None,)]
    assert rows("SELECT funnel_value FROM public.funnel WHERE msg_id = 8 ORDER BY 1") == [
        ("value-2",),
        ("value-8",),
    ]


def test_archives_by_truncating_as_the_procedure_of_its_release(layout: str):
    described = LAYOUTS[layout]
    if "archive_by_truncating" not in described.live_files:
        return
    with connection.cursor() as cursor:
        cursor.execute(f"SET search_path = {described.schema}")
        cursor.execute("SELECT archive_records(2)")
    left = {state for (state,) in rows("SELECT state FROM message")}
    moved = {state for (state,) in rows("SELECT state FROM archive_message")}
    assert moved == {"OK", "FAILED", "CANCEL"}
    assert not left & moved
    # The defect of the procedure: the rows that it should have kept are gone.
    assert rows("SELECT count(*) FROM request") == rows("SELECT count(*) FROM external_call") == [(0,)]
    assert rows("SELECT count(*) FROM archive_request") == [(5,)]
