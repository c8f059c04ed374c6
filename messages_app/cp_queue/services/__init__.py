"""
Every write to the CP queue.

Reservations do not expire: they last until a dispatch or a reset.

Source: docs/contributing/spec/cp_queue.md; docs/contributing/spec/interfaces.md, "CP queue";
docs/contributing/spec/promises.md, I-46 to I-52.
"""

from messages_app.cp_queue.errors import InvalidParameter, MessageConflict, MessageNotFound, TokenLost
from messages_app.cp_queue.services.create import create_messages, rendition_changed, would_create
from messages_app.cp_queue.services.dispatch import (
    MAX_AT_ONCE,
    MAX_IN_BATCH,
    Dispatched,
    Refusal,
    Result,
    dispatch_all_for_service,
    dispatch_for_service,
    dispatch_many,
    dispatch_message,
)
from messages_app.cp_queue.services.operators import (
    delete_message,
    forget_old_log,
    pause_queue,
    resume_queue,
    send_on,
    would_delete,
)
from messages_app.cp_queue.services.pickup import (
    MAX_PICKED,
    Counted,
    Picked,
    get_next,
    get_next_many,
    poll_queues,
    process_page_counts,
    service_of,
)
from messages_app.cp_queue.services.reset import Selection, reset_message, reset_selective, reset_service

__all__ = [
    "MAX_AT_ONCE",
    "MAX_IN_BATCH",
    "MAX_PICKED",
    "Counted",
    "Dispatched",
    "InvalidParameter",
    "MessageConflict",
    "MessageNotFound",
    "Picked",
    "Refusal",
    "Result",
    "Selection",
    "TokenLost",
    "create_messages",
    "delete_message",
    "dispatch_all_for_service",
    "dispatch_for_service",
    "dispatch_many",
    "dispatch_message",
    "forget_old_log",
    "get_next",
    "get_next_many",
    "pause_queue",
    "poll_queues",
    "process_page_counts",
    "rendition_changed",
    "reset_message",
    "reset_selective",
    "reset_service",
    "resume_queue",
    "send_on",
    "service_of",
    "would_create",
    "would_delete",
]
