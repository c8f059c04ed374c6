"""Filters of lists as the API's description has them, from their tables."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter

from messages_app.messages.filtering.filter_table import Filter, Table
from messages_app.messages.filtering.filter_values import (
    ANYWHERE,
    FAMILIES,
    MAX_ID,
    parse_choice,
    parse_family,
    parse_flag,
    parse_id,
    parse_place,
    parse_state,
    parse_text,
    parse_time,
)
from messages_app.messages.filtering.filters import FILTERS
from messages_app.messages.states import MessageState

_REPEATED = "Repeated, or separated by commas."

_SHAPES = {
    parse_flag: lambda one: OpenApiParameter(one.name, OpenApiTypes.BOOL),
    parse_choice: lambda one: OpenApiParameter(one.name, **_choices(one)),
    parse_place: lambda one: OpenApiParameter(
        one.name,
        {"type": "string", "enum": ["true", "false", ANYWHERE], "default": "false"},
        description=f"{ANYWHERE}: the live table and the archive as one list.",
    ),
    parse_family: lambda one: OpenApiParameter(
        one.name,
        {"type": "string", "enum": list(FAMILIES)},
        description="roots: messages without a parent. failed: parents of a FAILED or PARTLY_FAILED message.",
    ),
    parse_id: lambda one: OpenApiParameter(one.name, {"type": "integer", "minimum": 0, "maximum": MAX_ID}),
    parse_time: lambda one: OpenApiParameter(one.name, OpenApiTypes.DATETIME, description="With its offset."),
    parse_state: lambda one: OpenApiParameter(
        one.name,
        {"type": "array", "items": {"type": "string", "enum": [str(state) for state in MessageState]}},
        description=_REPEATED,
    ),
    parse_text: lambda one: OpenApiParameter(
        one.name, {"type": "string", "minLength": 1, "maxLength": one.max_length}
    ),
}


def _choices(one: Filter) -> dict[str, object]:
    shape = {"type": "string", "enum": list(one.choices)}
    if not one.repeatable:
        return {"type": shape}
    return {"type": {"type": "array", "items": shape}, "description": _REPEATED}


def parameters(filters: Table) -> list[OpenApiParameter]:
    """Return the query parameters of a list that has these filters."""
    return [_SHAPES[one.parse](one) for one in filters.values()]


FILTER_PARAMETERS = parameters(FILTERS)
EXACT_PARAMETER = OpenApiParameter("exact", OpenApiTypes.BOOL, description="Count instead of estimating.")
