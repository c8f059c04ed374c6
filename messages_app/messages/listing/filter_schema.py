"""The filters of the message list as the API's description has them, from the one table of filters."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter

from messages_app.messages.listing.filter_values import (
    MAX_ID,
    parse_flag,
    parse_id,
    parse_state,
    parse_text,
    parse_time,
)
from messages_app.messages.listing.filters import FILTERS, Filter
from messages_app.messages.states import MessageState

_SHAPES = {
    parse_flag: lambda one: OpenApiParameter(one.name, OpenApiTypes.BOOL),
    parse_id: lambda one: OpenApiParameter(one.name, {"type": "integer", "minimum": 0, "maximum": MAX_ID}),
    parse_time: lambda one: OpenApiParameter(one.name, OpenApiTypes.DATETIME, description="With its offset."),
    parse_state: lambda one: OpenApiParameter(
        one.name,
        {"type": "array", "items": {"type": "string", "enum": [str(state) for state in MessageState]}},
        description="Repeated, or separated by commas.",
    ),
    parse_text: lambda one: OpenApiParameter(
        one.name, {"type": "string", "minLength": 1, "maxLength": one.max_length}
    ),
}


def _parameter(one: Filter) -> OpenApiParameter:
    return _SHAPES[one.parse](one)


FILTER_PARAMETERS = [_parameter(one) for one in FILTERS.values()]
EXACT_PARAMETER = OpenApiParameter("exact", OpenApiTypes.BOOL, description="Count instead of estimating.")
