"""
The filter, the options and the report of a job in the API description.

A new job takes no other members. Stored jobs are shown as they are: a later release may add members.
"""

from collections.abc import Mapping
from typing import Any

from messages_app.core.filters.table import json_shapes
from messages_app.jobs.kinds.registry import kind_specs
from messages_app.jobs.stores import item_stores

Shape = dict[str, Any]

_COUNTS: Shape = {"type": "object", "additionalProperties": {"type": "integer"}}
_INTEGER: Shape = {"type": "integer"}
_TEXT: Shape = {"type": "string"}
_TIME: Shape = {"type": "string", "format": "date-time"}


def _accept_any(shapes: list[Shape]) -> Shape:
    """Return a schema that accepts any of these shapes. Most names have one shape in all kinds of jobs."""
    different = [shape for number, shape in enumerate(shapes) if shape not in shapes[:number]]
    return different[0] if len(different) == 1 else {"anyOf": different}


def _merge_by_name(tables: list[Mapping[str, Shape]]) -> dict[str, Shape]:
    names = dict.fromkeys(name for each in tables for name in each)
    return {name: _accept_any([each[name] for each in tables if name in each]) for name in names}


def _or_null(shape: Shape) -> Shape:
    """Return a schema that also accepts null, which earlier releases stored for some options."""
    if "enum" in shape:
        return shape
    types = shape["type"] if isinstance(shape["type"], list) else [shape["type"]]
    return {**shape, "type": list(dict.fromkeys([*types, "null"]))}


_FILTERS = _merge_by_name([json_shapes(store.vocabulary.filters) for store in item_stores().values()])
_OPTIONS = _merge_by_name(
    [{name: dict(one.shape) for name, one in spec.options.items()} for spec in kind_specs.values()]
)

NEW_FILTER: Shape = {"type": "object", "properties": _FILTERS, "additionalProperties": False}
NEW_OPTIONS: Shape = {"type": "object", "properties": _OPTIONS, "additionalProperties": False}
# Stored filters have the values of the list's query string.
FILTER: Shape = {
    "type": "object",
    "properties": dict.fromkeys(_FILTERS, _TEXT),
    "additionalProperties": True,
}
OPTIONS_KEPT: Shape = {
    "type": "object",
    "properties": {name: _or_null(shape) for name, shape in _OPTIONS.items()},
    "additionalProperties": True,
}

_FILE: Shape = {
    "type": "object",
    "properties": {
        "name": _TEXT,
        "rows": _INTEGER,
        "bytes": _INTEGER,
        "sha256": _TEXT,
        "download": {"type": "string", "format": "uri"},
    },
    "additionalProperties": True,
}
_CANARY: Shape = {
    "type": "object",
    "properties": {
        **dict.fromkeys(("size", "ok", "failed", "open", "other"), _INTEGER),
        "decided_at": {"type": ["string", "null"], "format": "date-time"},
    },
    "additionalProperties": True,
}
_FAILURE_RATE: Shape = {
    "type": "object",
    "properties": {"tried": _INTEGER, "failed": _INTEGER, "limit": {"type": "number"}},
    "additionalProperties": True,
}
_FINDING: Shape = {
    "type": "object",
    "properties": {
        **dict.fromkeys(("field", "value", "sentence", "same_as"), _TEXT),
        **dict.fromkeys(("failing", "failing_total", "passing", "passing_total"), _INTEGER),
        "lift": {"type": ["number", "null"]},
    },
    "additionalProperties": True,
}
_COMPARISON: Shape = {
    "type": "object",
    "properties": {
        **dict.fromkeys(
            ("failing", "passing", "uncompared", "days", "archived", "unreadable", "comparisons"), _INTEGER
        ),
        **dict.fromkeys(("start", "end"), _TIME),
        "services": {"type": "array", "items": _TEXT},
        "is_comparable": {"type": "boolean"},
    },
    "additionalProperties": True,
}
REPORT: Shape = {
    "type": "object",
    "properties": {
        **dict.fromkeys(
            (
                *("planned", "confirmed", "to_do", "parts_left_in_parquet", "grouped", "parquet_bytes"),
                *("second_rows_removed", "read", "to_read"),
            ),
            _INTEGER,
        ),
        **dict.fromkeys(
            ("by_state", "by_service", "by_error", "by_funnel", "by_system", "by_entity"), _COUNTS
        ),
        **dict.fromkeys(("skipped", "moved", "would_move", "would_free_bytes", "freed_bytes"), _COUNTS),
        "samples": {"type": "array", "items": {"type": ["integer", "string"]}},
        "orphans": {"type": "object", "additionalProperties": _COUNTS},
        "seconds": {"type": ["number", "null"]},
        "rate": {"type": ["number", "null"]},
        "rate_is_chosen": {"type": "boolean"},
        "canary": _CANARY,
        "failure_rate": _FAILURE_RATE,
        "findings": {"type": "array", "items": _FINDING},
        "comparison": _COMPARISON,
        "files": {"type": "array", "items": _FILE},
        "expires_at": _TIME,
        "removed_at": _TIME,
        "approved_by": _TEXT,
        "approved_at": _TIME,
    },
    "additionalProperties": True,
}
