"""The names of the list's filters as people read and write them: keys of the query line, labels, hints."""

from messages_app.messages.filtering.filter_values import ANYWHERE, FAMILIES
from messages_app.messages.filtering.filters import ARCHIVED, CONTENT, FAMILY, FILTERS, STATE, TIME_COLUMNS
from messages_app.messages.query_line.moments import ZONE
from messages_app.messages.states import MessageState

# The short name in the query line; a filter that is not here goes by its own.
_KEYS = {
    "source_system": "source",
    "service_name": "service",
    "operation_name": "operation",
    "correlation_id": "correlation",
    "process_id": "process",
    "object_id": "object",
    "entity_type": "entity",
    "funnel_value": "funnel",
    "funnel_component_id": "component",
    "failed_error_code": "error",
    "parent_msg_id": "parent",
    CONTENT: "payload",
}
_TIME_KEYS = dict(zip(TIME_COLUMNS, ("sent", "received", "processed"), strict=True))
_TIME_LABELS = dict(zip(TIME_COLUMNS, ("Sent", "Received", "Last processed"), strict=True))

BOUNDS = tuple((f"{column}_from", f"{column}_to") for column in TIME_COLUMNS)
STARTS, ENDS = (frozenset(names) for names in zip(*BOUNDS, strict=True))
TIMES = STARTS | ENDS

LABELS = {
    STATE: "State",
    "source_system": "Source system",
    "service_name": "Service",
    "operation_name": "Operation",
    "correlation_id": "Correlation id",
    "process_id": "Process id",
    "object_id": "Object id",
    "entity_type": "Entity type",
    "funnel_value": "Funnel value",
    "funnel_component_id": "Funnel component id",
    "failed_error_code": "Error code",
    "parent_msg_id": "Children of message id",
    **{f"{column}_from": f"{label} from ({ZONE})" for column, label in _TIME_LABELS.items()},
    **{f"{column}_to": f"{label} to ({ZONE})" for column, label in _TIME_LABELS.items()},
    CONTENT: "Payload contains",
    FAMILY: "Family",
    ARCHIVED: "In the archive",
}

# What a key's value may be, where that is a short list.
CHOICES = {STATE: tuple(MessageState), FAMILY: FAMILIES, ARCHIVED: ("true", ANYWHERE)}


def column_of(name: str) -> str:
    """Return the time column of which a filter is one end."""
    return name.removesuffix("_from").removesuffix("_to")


def key_of(name: str) -> str:
    """Return the key in the query line of a filter, or of anything else that stands in an address."""
    return _TIME_KEYS[column_of(name)] if name in TIMES else _KEYS.get(name, name)


def label_of(name: str) -> str:
    """Return what a chip calls the filter; both ends of a time are one."""
    return _TIME_LABELS[column_of(name)] if name in TIMES else LABELS.get(name, name)


# By every key that the line knows: the names of the filters that it may set.
NAMES_BY_KEY: dict[str, tuple[str, ...]] = {
    **{name: (name,) for name in FILTERS},
    **{_KEYS.get(name, name): (name,) for name in FILTERS if name not in TIMES},
    **{key: (f"{column}_from", f"{column}_to") for column, key in _TIME_KEYS.items()},
}
SHORT_KEYS = tuple(dict.fromkeys(key_of(name) for name in FILTERS))
