"""Hostile rows in every table that others write, and the keys of the rows for addresses."""

import uuid
from collections import defaultdict
from itertools import product

from messages_app.shared.message_states import MessageState
from messages_app.shared.store_states import Status
from tests.hostile.rows import LONG_NUMBERS, NEW_NUMBERS, NUMBERS, TEXTS, TIMES, Table, table_of

Keys = dict[str, list[object]]

_CHILDREN = {"request": "req_id", "response": "res_id", "external_call": "call_id", "funnel": "funnel_id"}
_STATES = tuple(MessageState)


def store_hub_rows(
    keys: Keys, *, schema: str, prefix: str = "", is_deep: bool = False, children=tuple(_CHILDREN)
) -> None:
    """Store messages with their related rows, in the live tables or in those of the archive."""
    messages = table_of(f"{prefix}message", schema)
    for time, state in _pairs(is_deep):
        row = _message(messages, state=state, **dict.fromkeys(messages.times, time))
        if messages.insert(row):
            keys["msg_id"].append(row["msg_id"])
            for name in children:
                _store_children(keys, table_of(f"{prefix}{name}", schema), row["msg_id"], time)
    rows = [*messages.rows_at_extremes(), *(messages.rows_of_one_extreme() if is_deep else ())]
    for row in rows:
        given = _message(messages) | row | {"msg_id": next(NEW_NUMBERS)}
        if messages.insert(given):
            keys["msg_id"].append(given["msg_id"])
    for msg_id in LONG_NUMBERS:
        if messages.insert(_message(messages, msg_id=msg_id, parent_msg_id=msg_id)):
            keys["msg_id"].append(msg_id)
    for name in children:
        _store_extreme_children(keys, table_of(f"{prefix}{name}", schema), keys["msg_id"][0], is_deep)


def _pairs(is_deep: bool) -> list[tuple[str, str]]:
    """Return times and states: every pair, or each time and each state at least once."""
    if is_deep:
        return list(product(TIMES, _STATES))
    length = max(len(TIMES), len(_STATES))
    return [(TIMES[place % len(TIMES)], _STATES[place % len(_STATES)]) for place in range(length)] + [
        (time, MessageState.FAILED) for time in TIMES
    ]


def _message(table: Table, **values: object) -> dict[str, object]:
    """Return a message that shares its object, its funnel and its order with the others."""
    msg_id = values.pop("msg_id", None)
    msg_id = next(NEW_NUMBERS) if msg_id is None else msg_id
    shared = {
        "object_id": "o-1",
        "entity_type": "e-1",
        "funnel_value": "f-1",
        "funnel_component_id": "c-1",
        "guaranteed_order": True,
        "state": "FAILED",
    }
    names = {column.name for column in table.columns}
    known = {name: value for name, value in shared.items() if name in names}
    return table.usual(msg_id=msg_id, correlation_id=f"c-{msg_id}", **(known | values))


def _store_children(keys: Keys, table: Table, msg_id: object, time: str) -> None:
    """Store a row of the message with this time, and one with an ordinary time."""
    for times in (dict.fromkeys(table.times, time), {}):
        row = _child(table, msg_id) | times
        if table.insert(row):
            _note(keys, table, row)


def _store_extreme_children(keys: Keys, table: Table, msg_id: object, is_deep: bool) -> None:
    rows = [*table.rows_at_extremes(), *(table.rows_of_one_extreme() if is_deep else ())]
    for row in rows:
        # Of the message, and of none.
        for owner in (msg_id, None):
            given = _child(table, owner) | {
                name: value for name, value in row.items() if name not in ("msg_id", "req_id")
            }
            given[_key(table)] = next(NEW_NUMBERS)
            if table.insert(given):
                _note(keys, table, given)
    for number in LONG_NUMBERS:
        row = _child(table, msg_id) | {_key(table): number}
        if table.insert(row):
            _note(keys, table, row)


def _child(table: Table, msg_id: object) -> dict[str, object]:
    key = next(NEW_NUMBERS)
    row = table.usual(**{_key(table): key, "msg_id": msg_id})
    return row | ({"entity_id": f"e-{key}"} if table.name.endswith("external_call") else {})


def _key(table: Table) -> str:
    return _CHILDREN[table.name.removeprefix("archive_")]


def _note(keys: Keys, table: Table, row: dict[str, object]) -> None:
    key = row[_key(table)]
    keys[_key(table)].append(key)
    if row["msg_id"] is not None:
        keys[f"of {_key(table)}"].append((row["msg_id"], key))


def store_cp_messages(keys: Keys, *, schema: str) -> None:
    table = table_of("oscpmqueue", schema)
    rows = [row | {"messageguid": _guid()} for row in table.rows_at_extremes()]
    rows += [
        table.usual(messageguid=_guid(), queuename="RENDITION", created=time, lock_service=lock)
        for time, lock in product(TIMES, (None, "svc"))
    ]
    rows += [table.usual(messageguid=text[:32]) for text in TEXTS]
    keys["guid"] += [row["messageguid"] for row in rows if table.insert(row)]
    keys["osid"] += NUMBERS


def _guid() -> str:
    return f"{next(NEW_NUMBERS):032X}"


def store_store_messages(keys: Keys, *, schema: str) -> None:
    stored, process, history = (
        table_of(name, schema) for name in ("message_store", "message_process", "message_history")
    )
    for time, status in zip(TIMES, (*Status, *Status), strict=False):
        key = str(uuid.UUID(int=next(NEW_NUMBERS)))
        times = dict.fromkeys(stored.times, time)
        stored.insert(
            stored.usual(
                message_identifier=key, source_system="crm", source_entity="order", data="[]", **times
            )
        )
        process.insert(
            process.usual(message_identifier=key, status=status, **dict.fromkeys(process.times, time))
        )
        history.insert(history.usual(message_identifier=key, status=21, processed_timestamp=time))
        keys["identifier"].append(key)
    for table in (stored, process, history):
        for row in table.rows_at_extremes():
            # With a key that is as hostile, and with an ordinary one.
            for key in (row["message_identifier"], str(uuid.UUID(int=next(NEW_NUMBERS)))):
                if table.insert(row | {"message_identifier": key}):
                    keys["identifier"].append(key)


def store_documents(*, schema: str) -> int:
    """Store entries of documents, and return their number."""
    table = table_of("document_history", schema)
    rows = [
        row | {"status": status} for row in table.rows_at_extremes() for status in ("processing", "completed")
    ]
    for number, time in enumerate(TIMES):
        entry = {"trigger_id": "shop", "time": time, "status": "processing"}
        rows += [entry | {"document_uuid": f"open-{number}"}, entry | {"document_uuid": f"both-{number}"}]
        rows.append(entry | {"document_uuid": f"both-{number}", "status": "completed"})
    return sum(map(table.insert, rows))


def new_keys() -> Keys:
    return defaultdict(list)
