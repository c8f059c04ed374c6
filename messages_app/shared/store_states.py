"""
The only list of the statuses of messages of the store, with their meanings and transitions.

Imports no Django code.

Source: docs/contributing/spec/message_store.md, "Statuses", "Monitor and retries", "Operator actions".
"""

from enum import IntEnum, StrEnum


class Status(IntEnum):
    """The vendor's codes. Unknown codes are shown as they are, and never count as a success."""

    NOT_PROCESSED = 0
    PROCESSING = 1
    REQUIRES_REPROCESSING = 2
    QUEUED = 3
    PROCESSED = 10
    GENERAL_ERROR = 20
    MESSAGE_NOT_FOUND = 21
    MESSAGE_INVALID = 22
    SYSTEM_NOT_FOUND = 23
    ENTITY_NOT_FOUND = 24
    DATA_INVALID = 25
    REPROCESS_TIMEOUT = 26


class StatusClass(StrEnum):
    """The meaning of a status for an operator."""

    WAITING = "waiting"
    IN_WORK = "in_work"
    DONE = "done"
    ERROR = "error"
    UNKNOWN = "unknown"


NAMES = {
    Status.NOT_PROCESSED: "not processed",
    Status.PROCESSING: "processing",
    Status.REQUIRES_REPROCESSING: "requires reprocessing",
    Status.QUEUED: "queued",
    Status.PROCESSED: "processed",
    Status.GENERAL_ERROR: "general error",
    Status.MESSAGE_NOT_FOUND: "message not found",
    Status.MESSAGE_INVALID: "message invalid",
    Status.SYSTEM_NOT_FOUND: "system not found",
    Status.ENTITY_NOT_FOUND: "entity not found",
    Status.DATA_INVALID: "data invalid",
    Status.REPROCESS_TIMEOUT: "reprocess timeout",
}
MEANINGS = {
    Status.NOT_PROCESSED: "Waiting for its first attempt, or for one requested by an operator.",
    Status.PROCESSING: "An attempt is in progress, or died and has not timed out yet.",
    Status.REQUIRES_REPROCESSING: "Refers to missing records; retried at its next attempt.",
    Status.QUEUED: "Queued by the monitor; its attempt has not started.",
    Status.PROCESSED: "Its records have been written.",
    Status.GENERAL_ERROR: "Failed with an error without a specific code.",
    Status.MESSAGE_NOT_FOUND: "The store has no message with this identifier.",
    Status.MESSAGE_INVALID: "The message is not valid: it has no entity, or its options are not an object.",
    Status.SYSTEM_NOT_FOUND: "Its system has no source definition.",
    Status.ENTITY_NOT_FOUND: "There is a source definition for its system, but not for its entity.",
    Status.DATA_INVALID: "Its data cannot be read, or does not match the schema of its entity.",
    Status.REPROCESS_TIMEOUT: "Referred to records that did not arrive in time; not retried automatically.",
}

WAITING = frozenset({Status.NOT_PROCESSED, Status.REQUIRES_REPROCESSING})
IN_WORK = frozenset({Status.PROCESSING, Status.QUEUED})
# Codes from here on are errors, including unknown ones.
FIRST_ERROR = 20

# The statuses in which an attempt can end. GENERAL_ERROR also ends an abandoned attempt.
OUTCOMES = frozenset(Status) - WAITING - IN_WORK | {Status.REQUIRES_REPROCESSING}
# For the actions "retry now" and "release stuck" of operators.
RETRIED_FROM = frozenset({Status.REQUIRES_REPROCESSING})
RELEASED_FROM = IN_WORK


def effective_status(status: int | None) -> int:
    """
    Return the status, with 0 for a missing one (docs/contributing/spec/message_store.md, "Hard cases" case
    19).
    """
    return Status.NOT_PROCESSED if status is None else status


def class_of(status: int | None) -> StatusClass:
    """Return the class of a status, also for unknown codes."""
    status = effective_status(status)
    if status in WAITING:
        return StatusClass.WAITING
    if status in IN_WORK:
        return StatusClass.IN_WORK
    if status == Status.PROCESSED:
        return StatusClass.DONE
    return StatusClass.ERROR if status >= FIRST_ERROR else StatusClass.UNKNOWN


def name_of(status: int | None) -> str:
    """Return the name of a status, or the class of an unknown code in words."""
    status = effective_status(status)
    if status in NAMES:
        return NAMES[Status(status)]
    return f"error {status}" if status >= FIRST_ERROR else f"unknown {status}"


# Messages that operators cannot mute: in progress or processed.
NEVER_MUTED = IN_WORK | {Status.PROCESSED}


def may_mute(status: int | None) -> bool:
    """
    Whether an operator may mute a message in this status (docs/contributing/spec/message_store.md, "Operator
    actions").
    """
    return effective_status(status) not in NEVER_MUTED


def may_reprocess(status: int | None) -> bool:
    """
    Whether an operator may reprocess a message in this status: 2, 10 and every error
    (docs/contributing/spec/message_store.md, "Operator actions").
    """
    status = effective_status(status)
    return status in (Status.REQUIRES_REPROCESSING, Status.PROCESSED) or status >= FIRST_ERROR
