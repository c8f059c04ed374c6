"""
Statuses of entries, verdicts of checks, and the rules that lead to them.

The only list of each. Does not import Django.

Source: docs/contributing/spec/document_history.md, "Stored data", "Identifiers", "Redelivery count",
"Decision", "Resolver", "History not available".
"""

from dataclasses import dataclass
from enum import StrEnum

from messages_app.core.badges import Badge, Tone

# A longer identifier is not a UUID; one of 96 characters (not bytes) is
# (docs/contributing/spec/document_history.md, "Identifiers" rules 4 and 5).
MAX_UUID = 96
# The transport does not count; a missing count means the same (docs/contributing/spec/document_history.md,
# "Redelivery count").
NO_COUNT = -1
# Two days, because the vendor's default cannot be read (docs/contributing/spec/document_history.md, "Stored
# data").
DEFAULT_TTL_SECONDS = 172_800
MAX_TTL_SECONDS = 10 * 365 * 86_400


class EntryStatus(StrEnum):
    """
    The two entries of a document, each made with the time at which processing started
    (docs/contributing/spec/document_history.md, "Stored data").
    """

    PROCESSING = "processing"
    COMPLETED = "completed"


class Pair(StrEnum):
    """The entries that a document has."""

    PROCESSING_ONLY = "processing"
    BOTH = "both"
    COMPLETED_ONLY = "completed"

    @classmethod
    def of_entries(cls, *, processing: bool, completed: bool) -> "Pair | None":
        """Return the pair; None if there is no entry."""
        if not completed:
            return cls.PROCESSING_ONLY if processing else None
        return cls.BOTH if processing else cls.COMPLETED_ONLY


PAIRS = {
    Pair.BOTH: Badge(
        Tone.GOOD, "state-OK", "processed", "Processing started and ended, successfully or not."
    ),
    Pair.PROCESSING_ONLY: Badge(
        Tone.DOUBTFUL,
        "state-unknown",
        "undetermined",
        "Processing started and has not ended: it may still be running, or the process died.",
    ),
    Pair.COMPLETED_ONLY: Badge(
        Tone.INACTIVE,
        "state-OK",
        "completed only",
        "Processing ended after the sweeper had removed the entry of its start.",
    ),
}


class Verdict(StrEnum):
    """
    The status of one delivery, which is not a column (docs/contributing/spec/document_history.md, "Terms").
    """

    NEW = "NEW"
    DUPLICATE = "DUPLICATE"
    IN_DOUBT = "IN_DOUBT"


# How pages show a verdict. static/css/tokens.css has a colour for each of these codes.
VERDICTS = {
    Verdict.NEW: Badge(Verdict.NEW, f"state-{Verdict.NEW}", "New", "It will be processed."),
    Verdict.DUPLICATE: Badge(
        Verdict.DUPLICATE, "copy", "Duplicate", "Already processed: acknowledged, not processed again."
    ),
    Verdict.IN_DOUBT: Badge(
        Verdict.IN_DOUBT,
        "state-unknown",
        "In doubt",
        "Unknown whether it was processed: acknowledged, not processed, kept for an operator.",
    ),
}


class DecidedBy(StrEnum):
    REDELIVERY_COUNT = "redelivery_count"
    HISTORY = "history"
    RESOLVER = "resolver"
    UUID = "uuid"


class RetryFailure(StrEnum):
    """
    A trigger's property "On retry failure"; it also determines the effect of a failure before processing
    (docs/contributing/spec/document_history.md, "History not available").
    """

    THROW = "throw_exception"
    SUSPEND = "suspend_and_retry_later"


class Rule(StrEnum):
    """The rule that decided about a delivery. `RULES` has the meaning of each."""

    NOT_GUARANTEED = "not_guaranteed"
    DETECTION_OFF = "detection_off"
    FIRST_DELIVERY = "first_delivery"
    NO_DELIVERY_COUNT = "no_delivery_count"
    REDELIVERED = "redelivered"
    NO_ENTRY = "no_entry"
    BOTH_ENTRIES = "both_entries"
    COMPLETED_ONLY = "completed_only"
    PROCESSING_ONLY = "processing_only"
    UUID_TOO_LONG = "uuid_too_long"
    NO_UUID = "no_uuid"
    HISTORY_UNAVAILABLE = "history_unavailable"
    ASK_RESOLVER = "ask_resolver"
    RESOLVER_SAID = "resolver_said"
    RESOLVER_INVALID = "resolver_invalid"
    RESOLVER_FAILED = "resolver_failed"
    OVERTAKEN = "overtaken"


@dataclass(frozen=True)
class Meaning:
    """
    The verdict of a rule, and its meaning.

    Args:
        verdict: None if the resolver decides.
        decided_by: the method of duplicate detection that decided, with its name in
        docs/contributing/spec/interfaces.md,
            "Document history". If no method is used, it is the first one, where the decision ended.
        words: the reason as a sentence.
    """

    verdict: Verdict | None
    decided_by: DecidedBy
    words: str


_COUNT, _HISTORY = DecidedBy.REDELIVERY_COUNT, DecidedBy.HISTORY
_RESOLVER, _UUID = DecidedBy.RESOLVER, DecidedBy.UUID

RULES = {
    Rule.NOT_GUARANTEED: Meaning(Verdict.NEW, _COUNT, "Volatile documents are never checked."),
    Rule.DETECTION_OFF: Meaning(Verdict.NEW, _COUNT, "The trigger does not detect duplicates."),
    Rule.FIRST_DELIVERY: Meaning(
        Verdict.NEW, _COUNT, "Delivered for the first time; nothing else is checked."
    ),
    Rule.NO_DELIVERY_COUNT: Meaning(
        Verdict.NEW, _COUNT, "The transport does not count deliveries; nothing else is checked."
    ),
    Rule.REDELIVERED: Meaning(
        Verdict.IN_DOUBT, _COUNT, "Delivered again; neither the history nor a resolver can decide."
    ),
    Rule.NO_ENTRY: Meaning(Verdict.NEW, _HISTORY, "The history has no entry for it."),
    Rule.BOTH_ENTRIES: Meaning(Verdict.DUPLICATE, _HISTORY, "The history shows that it was processed."),
    Rule.COMPLETED_ONLY: Meaning(Verdict.DUPLICATE, _HISTORY, "The history shows that it was completed."),
    Rule.PROCESSING_ONLY: Meaning(
        Verdict.IN_DOUBT,
        _HISTORY,
        "Processing started and did not end: it may still be running, or the process died.",
    ),
    Rule.UUID_TOO_LONG: Meaning(
        Verdict.IN_DOUBT, _UUID, f"Its identifier has more than {MAX_UUID} characters, so it has no UUID."
    ),
    Rule.NO_UUID: Meaning(Verdict.IN_DOUBT, _UUID, "It has no UUID, no track id and no event id."),
    Rule.HISTORY_UNAVAILABLE: Meaning(
        Verdict.IN_DOUBT,
        _HISTORY,
        "The history was unavailable and the trigger does not wait for it: the document may be lost.",
    ),
    Rule.ASK_RESOLVER: Meaning(None, _RESOLVER, "The trigger's resolver decides."),
    Rule.RESOLVER_SAID: Meaning(None, _RESOLVER, "The trigger's resolver decided."),
    Rule.RESOLVER_INVALID: Meaning(Verdict.IN_DOUBT, _RESOLVER, "The resolver returned an invalid status."),
    Rule.RESOLVER_FAILED: Meaning(Verdict.IN_DOUBT, _RESOLVER, "The resolver failed."),
    Rule.OVERTAKEN: Meaning(
        Verdict.IN_DOUBT, _HISTORY, "The resolver returned NEW, but another delivery was accepted meanwhile."
    ),
}


def words_of(rule: str) -> str:
    """Return the reason of a rule; an unknown rule is returned unchanged."""
    return RULES[Rule(rule)].words if rule in RULES else rule


class InDoubtState(StrEnum):
    """The outcome of a document in doubt."""

    OPEN = "open"
    RESUBMITTED = "resubmitted"
    SETTLED = "settled"


DOUBTS = {
    InDoubtState.OPEN: Badge(Tone.DOUBTFUL, "state-unknown", "open", "No decision yet."),
    InDoubtState.RESUBMITTED: Badge(Tone.ACTIVE, "restart", "resubmitted", "It will be processed."),
    InDoubtState.SETTLED: Badge(Tone.GOOD, "check", "settled", "An operator marked it as processed."),
}
