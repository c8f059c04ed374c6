"""What pages call states, outcomes and services, and the colour and icon of each."""

from messages_app.cp_queue.queries import ServiceState
from messages_app.cp_queue.states import Outcome, State
from messages_app.drawing.badges import Badge

STATES = {
    State.FREE: Badge("free", "inbox", "free", "It waits for a service to fetch it."),
    State.RESERVED: Badge(
        "reserved", "user", "reserved", "A service holds it until its dispatch or a reset."
    ),
    State.DEFERRED: Badge("deferred", "clock", "deferred", "It waits a while after a retry."),
    State.PARKED: Badge("parked", "pause", "parked", "Its attempts are used up: somebody must send it on."),
}
OUTCOMES = {
    Outcome.DONE: Badge("done", "check", "done", "Dispatched with OK, and removed."),
    Outcome.FAILED: Badge("failed", "warning", "failed", "Dispatched with another reason, and removed."),
    Outcome.DEFERRED: Badge(
        "deferred", "clock", "retry", "Dispatched with RETRY: it waits and is handed out again."
    ),
    Outcome.PARKED: Badge("parked", "pause", "parked", "Dispatched with RETRY for the last time it may be."),
}
_DEAD = Badge(
    "failed",
    "warning",
    "probably dead",
    "It holds messages and has not polled for a while: nobody else gets them.",
)
_AT_WORK = Badge("running", "play", "at work", "It holds messages, and has polled lately.")
_POLLING = Badge("done", "check", "polling", "It has polled lately, and holds nothing.")
_AWAY = Badge("stopped", "state-stopped", "away", "It has not polled for a while, and holds nothing.")


def standing(service: ServiceState, *, is_silent: bool) -> Badge:
    """Return how a service is doing."""
    if service.is_probably_dead:
        return _DEAD
    if service.reserved:
        return _AT_WORK
    return _AWAY if is_silent else _POLLING
