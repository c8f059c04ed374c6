"""What pages call statuses and classes of them, with the colour and icon of each."""

from messages_app.drawing.badges import Badge
from messages_app.message_store.states import MEANINGS, Status, StatusClass, class_of, name_of

# (colour of tokens.css, icon) by status; else by its class.
_OF_STATUS = {
    Status.NOT_PROCESSED: ("NEW", "state-NEW"),
    Status.QUEUED: ("IN_QUEUE", "state-IN_QUEUE"),
    Status.PROCESSING: ("PROCESSING", "state-PROCESSING"),
    Status.REQUIRES_REPROCESSING: ("WAITING", "clock"),
    Status.REPROCESS_TIMEOUT: ("POSTPONED", "state-POSTPONED"),
}
_OF_CLASS = {
    StatusClass.WAITING: ("WAITING", "clock"),
    StatusClass.IN_WORK: ("PROCESSING", "state-PROCESSING"),
    StatusClass.DONE: ("OK", "state-OK"),
    StatusClass.ERROR: ("FAILED", "state-FAILED"),
    StatusClass.UNKNOWN: ("", "state-unknown"),
}
CLASS_NAMES = {
    StatusClass.WAITING: "waiting",
    StatusClass.IN_WORK: "in work",
    StatusClass.DONE: "processed",
    StatusClass.ERROR: "in error",
    StatusClass.UNKNOWN: "unknown",
}
_NO_STATUS = Badge("", "state-unknown", "history alone", "It has neither a message nor a process row.")


def badge_of(status: int | None) -> Badge:
    """Return a status of message_line as a badge; its code stands before its name. None: history alone."""
    if status is None:
        return _NO_STATUS
    tone, icon = _OF_STATUS.get(status, _OF_CLASS[class_of(status)])
    title = MEANINGS[Status(status)] if status in MEANINGS else "A code that the console does not know."
    return Badge(tone, icon, f"{status} {name_of(status)}", title)


def tone_of(what: StatusClass) -> str:
    """Return the colour of a class."""
    return _OF_CLASS[what][0]
