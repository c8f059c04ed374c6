"""The order that a list has when its address names none."""

from messages_app.messages.filtering.filters import MessageFilter


def natural_order(filters: MessageFilter) -> str:
    """Return the order that the filter's own index has: of a long range of receipt, by receipt."""
    return "-receive_timestamp" if "receive_timestamp" in filters.ranges else "-msg_id"
