"""
How pages show the statuses of messages, and the classes of statuses: their colours, icons and names.

The statuses themselves, which Spark uses too, are in messages_app/shared/store_states.py.
"""

from messages_app.core.badges import Badge, Tone
from messages_app.shared.store_states import MEANINGS, Status, StatusClass, class_of, name_of

CLASS_NAMES = {
    StatusClass.WAITING: "waiting",
    StatusClass.IN_WORK: "in progress",
    StatusClass.DONE: "processed",
    StatusClass.ERROR: "in error",
    StatusClass.UNKNOWN: "unknown",
}
CLASS_TONES = {
    StatusClass.WAITING: Tone.WAITING,
    StatusClass.IN_WORK: Tone.ACTIVE,
    StatusClass.DONE: Tone.GOOD,
    StatusClass.ERROR: Tone.BAD,
    StatusClass.UNKNOWN: Tone.NONE,
}
_CLASS_ICONS = {
    StatusClass.WAITING: "clock",
    StatusClass.IN_WORK: "state-PROCESSING",
    StatusClass.DONE: "state-OK",
    StatusClass.ERROR: "state-FAILED",
    StatusClass.UNKNOWN: "state-unknown",
}
# Statuses that are not shown as their class is.
_OF_STATUS: dict[int, tuple[Tone, str]] = {
    Status.NOT_PROCESSED: (Tone.ACTIVE, "state-NEW"),
    Status.QUEUED: (Tone.ACTIVE, "state-IN_QUEUE"),
    Status.REPROCESS_TIMEOUT: (Tone.DOUBTFUL, "state-POSTPONED"),
}
_NO_STATUS = Badge(Tone.NONE, "state-unknown", "history only", "It has neither a message nor a process row.")


def badge_of(status: int | None) -> Badge:
    """Return the badge of a line's status, with the vendor's code; None is a line that has only history."""
    if status is None:
        return _NO_STATUS
    status_class = class_of(status)
    tone, icon = _OF_STATUS.get(status, (CLASS_TONES[status_class], _CLASS_ICONS[status_class]))
    title = MEANINGS[Status(status)] if status in MEANINGS else "The console does not know this code."
    return Badge(tone, icon, f"{status} {name_of(status)}", title)
