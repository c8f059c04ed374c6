"""
States of CP messages, outcomes of dispatches, standings of services, and the queues that the vendor
documents.

The only list of each. Does not import Django.

Source: docs/contributing/spec/cp_queue.md, "Table", "Life cycle", "Operations", "Pickup", "Known queues",
"Decisions".
"""

from dataclasses import dataclass
from enum import StrEnum

from messages_app.core.badges import Badge, Tone

# Characters of a queue's or a service's name; of a GUID without separators
# (docs/contributing/spec/cp_queue.md, "Table").
MAX_NAME = 128
MAX_GUID = 32
MAX_REASON = 1000
# Object ids and types are 32 bits wide. Services send none below 0, but rows of others can have one.
MIN_INT, MAX_INT = -(2**31), 2**31 - 1
# An object type is its main type times this, and a sub type (docs/contributing/spec/cp_queue.md, "Table").
SUB_TYPES = 65_536


class State(StrEnum):
    """
    The state of a message, which is not a column (docs/contributing/spec/cp_queue.md, "Table").

    The vendor has only the first two. Deferred and parked messages are free too, and are collapsed like free
    ones. They wait in a side table, until they are due or until an operator sends them on.
    """

    FREE = "free"
    RESERVED = "reserved"
    DEFERRED = "deferred"
    PARKED = "parked"


# How pages show a state. static/css/tokens.css has a colour for each of these codes.
STATES = {
    State.FREE: Badge(State.FREE, "inbox", "free", "Waiting for a service to pick it up."),
    State.RESERVED: Badge(
        State.RESERVED, "user", "reserved", "Held by a service until it is dispatched or reset."
    ),
    State.DEFERRED: Badge(State.DEFERRED, "clock", "deferred", "Waiting after a retry."),
    State.PARKED: Badge(State.PARKED, "pause", "parked", "No attempts left: an operator must send it on."),
}


def state_of(*, service: str | None, waits: bool, not_before: object) -> State:
    """
    Return a message's state.

    Args:
        service: its holder.
        waits: it is in the side table of messages that wait after a retry.
        not_before: when it is due; None: it waits for an operator.
    """
    if service is not None:
        return State.RESERVED
    if not waits:
        return State.FREE
    return State.PARKED if not_before is None else State.DEFERRED


class Outcome(StrEnum):
    """The result of a dispatch, as its log has it."""

    DONE = "done"
    FAILED = "failed"
    DEFERRED = "deferred"
    PARKED = "parked"


OUTCOMES = {
    Outcome.DONE: Badge(Outcome.DONE, "check", "done", "Dispatched with OK and removed."),
    Outcome.FAILED: Badge(Outcome.FAILED, "warning", "failed", "Dispatched with another reason and removed."),
    Outcome.DEFERRED: Badge(
        Outcome.DEFERRED, "clock", "deferred", "Dispatched with RETRY: it waits and can be picked up again."
    ),
    Outcome.PARKED: Badge(Outcome.PARKED, "pause", "parked", "Dispatched with RETRY on its last attempt."),
}


class ServiceStanding(StrEnum):
    """Whether a service works, judged by its messages and its last poll."""

    DEAD = "probably dead"
    WORKING = "working"
    POLLING = "polling"
    AWAY = "away"


STANDINGS = {
    ServiceStanding.DEAD: Badge(
        Tone.BAD,
        "warning",
        "probably dead",
        "It holds messages and has not polled for a while. Other services cannot get them.",
    ),
    ServiceStanding.WORKING: Badge(
        Tone.ACTIVE, "play", "working", "It holds messages and has polled recently."
    ),
    ServiceStanding.POLLING: Badge(
        Tone.GOOD, "check", "polling", "It has polled recently and holds no messages."
    ),
    ServiceStanding.AWAY: Badge(
        Tone.INACTIVE, "state-stopped", "away", "It has not polled for a while and holds no messages."
    ),
}


class Released(StrEnum):
    """The result of resetting one message (docs/contributing/spec/cp_queue.md, "Operations")."""

    RELEASED = "released"
    NOT_RESERVED = "not_reserved"


@dataclass(frozen=True, kw_only=True)
class Queue:
    """
    A queue that the vendor documents.

    Args:
        consumer: the service that usually pulls from it; nothing enforces this.
        purpose: the work that its messages request.
    """

    consumer: str
    purpose: str


_INDEXER, _CACHE = "Full-text indexer", "Rendition cache"

# Source: docs/contributing/spec/cp_queue.md, "Known queues". Any other name is a queue as well, and is marked
# as unknown.
QUEUES = {
    "FULLTEXTIDX": Queue(consumer=_INDEXER, purpose="Index an object's full text"),
    "FULLTEXTDOC": Queue(consumer=_INDEXER, purpose="Index a document's text from the full-text cache"),
    "FULLTEXTFILTER": Queue(consumer=_INDEXER, purpose="Filter before indexing"),
    "FULLTEXTLOCATION": Queue(consumer=_INDEXER, purpose="Index a location or container, such as a folder"),
    "FULLTEXTDELETE": Queue(consumer=_INDEXER, purpose="Remove a deleted object from the index"),
    "RENDITION": Queue(consumer=_CACHE, purpose="Make a rendition of a document"),
    "RENRESET": Queue(consumer=_CACHE, purpose="Reset and rebuild the rendition cache"),
    "PAGECOUNT": Queue(consumer="Page-count service", purpose="Count a document's pages"),
}
# If an object has messages in both, the newest goes first: it may leave the index before it is added
# (docs/contributing/spec/cp_queue.md, "Hard cases" case 11).
CONTRADICTING = frozenset({"FULLTEXTIDX", "FULLTEXTDELETE"})
# Queues of the flags of std.CreateCPMessages (docs/contributing/spec/cp_queue.md, "Operations").
FLAGGED_QUEUES = {
    "CreateFulltextIdxMessages": "FULLTEXTIDX",
    "CreateFulltextFilterMessages": "FULLTEXTFILTER",
    "CreateRenditionMessages": "RENDITION",
}
# The queue of std.ProcessPageCountCPMessages.
PAGE_COUNT_QUEUE = "PAGECOUNT"


class RenditionChange(StrEnum):
    """
    The part of an object's rendition that has changed, for std.CPRenditionChanged
    (docs/contributing/spec/cp_queue.md, "Operations").
    """

    TEXT = "TEXT"
    PAGECOUNT = "PAGECOUNT"
    PREVIEW = "PREVIEW"


# The queues in which the object gets a message. Pages are counted again at each request.
REINDEXED_AFTER = {
    RenditionChange.TEXT: ("FULLTEXTDOC",),
    RenditionChange.PAGECOUNT: (),
    RenditionChange.PREVIEW: (),
}


# Effects of the reason of a dispatch on its message.
#
# The vendor does not list the reasons. RETRY, in any case of letters, keeps the message; OK is a success;
# any other one removes it and is logged as a failure.
#
# Source: docs/contributing/spec/cp_queue.md, "Decisions".
OK = "OK"
RETRY = "RETRY"


def is_retry(reason: str) -> bool:
    return reason.casefold() == RETRY.casefold()


def ended_as(reason: str) -> Outcome:
    """Return the outcome of a message that a dispatch removes."""
    return Outcome.DONE if reason.casefold() == OK.casefold() else Outcome.FAILED


def delay_seconds(attempts: int, *, first: float, longest: float) -> float:
    """Return how many seconds a message waits after this many attempts, at least one; doubled each time."""
    return min(longest, first * 2 ** min(attempts - 1, 30))
