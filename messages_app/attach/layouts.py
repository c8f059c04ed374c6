"""
The tables of each release of a hub, as far as the console uses them.

Source: docs/contributing/spec/hub_versions.md, "Known schemas", "Message columns", "Other live tables",
"Archive tables of a hub".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """The kinds of columns. An owner may have changed the length of a text, but not its kind."""

    NUMBER = "a number"
    TEXT = "a text"
    TIME = "a timestamp without time zone"
    FLAG = "a boolean"


# The names of PostgreSQL's types of each kind.
KIND_OF_TYPE: Mapping[str, Kind] = {
    "int4": Kind.NUMBER,
    "int8": Kind.NUMBER,
    "varchar": Kind.TEXT,
    "text": Kind.TEXT,
    "timestamp": Kind.TIME,
    "bool": Kind.FLAG,
}

Columns = Mapping[str, Kind]


def _kinds_of_columns(*, number: str = "", text: str = "", time: str = "", flag: str = "") -> Columns:
    return {
        name: kind
        for kind, names in zip(Kind, (number, text, time, flag), strict=True)
        for name in names.split()
    }


# The columns of `message` that script 0.4 added. Without them a hub is too old.
SINCE_0_4 = _kinds_of_columns(
    text="parent_binding_type funnel_component_id",
    flag="guaranteed_order exclude_failed_state",
)
_MESSAGE = {
    **_kinds_of_columns(
        number="msg_id failed_count parent_msg_id",
        text="correlation_id process_id service source_system state object_id entity_type operation_name"
        " payload envelope failed_desc failed_error_code custom_data business_error funnel_value",
        time="msg_timestamp receive_timestamp start_process_timestamp last_update_timestamp",
    ),
    **SINCE_0_4,
}
# The columns that OpenHub 2 added, for which its own archive has no place.
NOT_ARCHIVED = _kinds_of_columns(number="node_id", time="start_in_queue_timestamp")
_LIVE: Mapping[str, Columns] = {
    "message": _MESSAGE,
    "external_call": _kinds_of_columns(
        number="call_id msg_id failed_count",
        text="operation_name state entity_id",
        time="creation_timestamp last_update_timestamp msg_timestamp",
    ),
    "request": _kinds_of_columns(
        number="req_id msg_id", text="res_join_id uri req_envelope", time="req_timestamp"
    ),
    "response": _kinds_of_columns(
        number="res_id req_id msg_id",
        text="res_envelope failed_reason",
        time="res_timestamp",
        flag="failed",
    ),
}
_FUNNEL: Mapping[str, Columns] = {"funnel": _kinds_of_columns(number="funnel_id msg_id", text="funnel_value")}
_NODES: Mapping[str, Columns] = {
    "message": {**_MESSAGE, **NOT_ARCHIVED},
    "node": _kinds_of_columns(number="node_id", text="code name state"),
    "configuration_item": _kinds_of_columns(text="code current_value default_value"),
}

# The primary key of each table whose rows the console changes or moves.
KEYS: Mapping[str, str] = {
    "message": "msg_id",
    "external_call": "call_id",
    "request": "req_id",
    "response": "res_id",
    "funnel": "funnel_id",
}


@dataclass(frozen=True, kw_only=True)
class Family:
    """
    Releases with the same tables and rules.

    Args:
        label: their names.
        rules: the rule set of `HUB_RULES`.
        tables: the live tables and their columns.
        sequence: the sequence of the ids of messages.
    """

    label: str
    rules: str
    tables: Mapping[str, Columns]
    sequence: str


CLEVERBUS_1 = Family(
    label="CleverBus 0.4-1.x or OpenHub 1.0",
    rules="cleverbus",
    tables=_LIVE,
    sequence="hibernate_sequence",
)
CLEVERBUS_2 = Family(
    label="CleverBus 2.x",
    rules="cleverbus",
    tables={**_LIVE, **_FUNNEL},
    sequence="hibernate_sequence",
)
OPENHUB_2 = Family(
    label="OpenHub 2.x",
    rules="openhub",
    tables={**_LIVE, **_NODES},
    sequence="openhub_sequence",
)
FAMILIES = (CLEVERBUS_1, CLEVERBUS_2, OPENHUB_2)

# Tables of settings and nodes are not archived. No hub archives its funnel values.
ARCHIVED = ("message", "external_call", "request", "response", "funnel")

# The schemas that the archive scripts create. Script 0.4 and OpenHub use that of the live tables.
ARCHIVE_SCRIPTS: Mapping[str, str] = {"arch": "0.5", "cleverbus_archive": "0.6"}
SCRIPT_IN_PLACE = "0.4"
