"""Filters of lists as the API's description has them, from their tables."""

from drf_spectacular.plumbing import build_basic_type
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter

from messages_app.web.filters.table import Filter, Table
from messages_app.web.filters.values import parse_flag, parse_id, parse_text, parse_time
from messages_app.web.ids import MAX_ID

EXACT_PARAMETER = OpenApiParameter("exact", OpenApiTypes.BOOL, description="Count instead of estimating.")
_REPEATED = "Repeated, or separated by commas."

_SHAPES = {
    parse_flag: lambda one: OpenApiTypes.BOOL,
    parse_id: lambda one: {"type": "integer", "minimum": 0, "maximum": MAX_ID},
    parse_time: lambda one: OpenApiTypes.DATETIME,
    parse_text: lambda one: {"type": "string", "minLength": 1, "maxLength": one.max_length},
}
_DESCRIPTIONS = {parse_time: "With its offset."}


def parameters(filters: Table) -> list[OpenApiParameter]:
    """Return the query parameters of a list that has these filters."""
    return [_parameter(one) for one in filters.values()]


def json_shapes(filters: Table) -> dict[str, dict[str, object]]:
    """Return the JSON Schema of each filter's value in a body; several values are one, or a list."""
    return {name: _json_shape(one) for name, one in filters.items()}


def _json_shape(one: Filter) -> dict[str, object]:
    shape = _shape_of_one(one)
    plain = shape if isinstance(shape, dict) else build_basic_type(shape)
    return {"anyOf": [plain, {"type": "array", "items": plain}]} if one.repeatable else plain


def _parameter(one: Filter) -> OpenApiParameter:
    words = (one.description, _DESCRIPTIONS.get(one.parse, ""), _REPEATED if one.repeatable else "")
    return OpenApiParameter(one.name, _shape(one), description=" ".join(filter(None, words)))


def _shape(one: Filter) -> object:
    shape = _shape_of_one(one)
    return {"type": "array", "items": shape} if one.repeatable else shape


def _shape_of_one(one: Filter) -> object:
    """Return the type of a filter's value: a known kind, a number, or one of its choices."""
    if kind := _SHAPES.get(one.parse):
        return kind(one)
    if one.max_length:
        return {"type": "string", "minLength": 1, "maxLength": one.max_length}
    if one.most is not None:
        return {"type": "integer", "minimum": 0, "maximum": one.most}
    return {"type": "string", "enum": [str(choice) for choice in one.choices]}
