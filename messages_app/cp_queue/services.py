"""
Every write to the CP queue.

Source: spec/other-systems.md 3; spec/interfaces.md 7; reliability I-46 to I-52 where the vendor does not say
otherwise: no lease runs out here, a reservation holds until its dispatch or a reset.
"""

from messages_app.cp_queue.changing.counting_pages import Counted, process_page_counts
from messages_app.cp_queue.changing.creating import create, would_create
from messages_app.cp_queue.changing.dispatching import Dispatched, dispatch, dispatch_for_service
from messages_app.cp_queue.changing.dispatching_all import MOST_AT_ONCE, dispatch_all_for_service
from messages_app.cp_queue.changing.forgetting import forget_old_log
from messages_app.cp_queue.changing.pausing import pause_queue, resume_queue
from messages_app.cp_queue.changing.picking import Picked, get_next
from messages_app.cp_queue.changing.polling import poll, service_of
from messages_app.cp_queue.changing.refusals import (
    InvalidParameter,
    MessageConflict,
    MessageNotFound,
    TokenLost,
)
from messages_app.cp_queue.changing.removing import delete, send_on, would_delete
from messages_app.cp_queue.changing.renditions import rendition_changed
from messages_app.cp_queue.changing.resetting import Selection, reset, reset_selective, reset_service

__all__ = [
    "MOST_AT_ONCE",
    "Counted",
    "Dispatched",
    "InvalidParameter",
    "MessageConflict",
    "MessageNotFound",
    "Picked",
    "Selection",
    "TokenLost",
    "create",
    "delete",
    "dispatch",
    "dispatch_all_for_service",
    "dispatch_for_service",
    "forget_old_log",
    "get_next",
    "pause_queue",
    "poll",
    "process_page_counts",
    "rendition_changed",
    "reset",
    "reset_selective",
    "reset_service",
    "resume_queue",
    "send_on",
    "service_of",
    "would_create",
    "would_delete",
]
