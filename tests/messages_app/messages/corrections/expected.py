"""
The oracle of a resend: the columns of the new message, worked out from those of its original.

It follows docs/contributing/spec/cleverbus.md, "Correct and resend", and shares no code with the product.
"""

from datetime import datetime

# The columns that a new message has from its original, whatever they are.
COPIED = (
    "process_id",
    "msg_timestamp",
    "service_name",
    "source_system",
    "object_id",
    "entity_type",
    "operation_name",
    "envelope",
    "parent_msg_id",
    "parent_binding_type",
    "funnel_value",
    "funnel_component_id",
    "guaranteed_order",
    "exclude_failed_state",
)
# The columns that only the hub's processing fills.
EMPTY = (
    "failed_desc",
    "failed_error_code",
    "custom_data",
    "business_error",
    "node_id",
    "start_in_queue_timestamp",
)


def expected_message(
    original: dict[str, object], *, msg_id: int, payload: str, now: datetime
) -> dict[str, object]:
    """Return every column of the message that corrects `original`, sent at `now`."""
    suffix = f"_r{msg_id}"
    is_child = original["parent_msg_id"] is not None
    return {
        "msg_id": msg_id,
        "correlation_id": str(original["correlation_id"])[: 100 - len(suffix)] + suffix,
        "state": "POSTPONED",
        "payload": payload,
        "failed_count": 0,
        "receive_timestamp": original["receive_timestamp"] if is_child else now,
        "start_process_timestamp": now,
        "last_process_timestamp": now,
        **{name: original[name] for name in COPIED},
        **dict.fromkeys(EMPTY),
    }
