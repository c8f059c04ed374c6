"""
Decides about one delivery from facts only: no database, resolver or writes.

Source: docs/contributing/spec/document_history.md, "Redelivery count", "Decision".
"""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

from messages_app.document_history.states import MAX_UUID, NO_COUNT, Pair, RetryFailure, Rule


# The identifier that is a document's UUID. Source: docs/contributing/spec/document_history.md, "Identifiers".
@dataclass(frozen=True)
class Identity:
    """
    The identifier of a document.

    Args:
        uuid: as the history stores it; None if none can be assigned.
        identifier: the chosen identifier, of any length; empty if it has no identifier.
    """

    uuid: str | None
    identifier: str

    @property
    def lack(self) -> Rule | None:
        """Why there is no UUID; None if there is one."""
        if self.uuid is not None:
            return None
        return Rule.UUID_TOO_LONG if self.identifier else Rule.NO_UUID


def identify_document(*, uuid: str = "", track_id: str = "", event_id: str = "") -> Identity:
    """
    Return the UUID, else the track id, else the event id: the first that has a value, and only that.

    Empty and blank mean missing. Any other value is compared as it is, neither trimmed nor folded. If all
    three are missing, the document is treated like one with too long an identifier
    (docs/contributing/spec/document_history.md, "Identifiers" rules 6 and 9).
    """
    identifier = next((text for text in (uuid, track_id, event_id) if text.strip()), "")
    return Identity(uuid=identifier if 0 < len(identifier) <= MAX_UUID else None, identifier=identifier)


class Trigger(NamedTuple):
    """A trigger as returned by start.sql."""

    trigger_id: str
    name: str
    detect_duplicates: bool
    use_history: bool
    history_ttl_seconds: int
    resolver: str
    on_retry_failure: str
    suspended_at: datetime | None
    suspended_because: str

    @property
    def may_wait(self) -> bool:
        """
        Whether it suspends and retries after a failure before processing, instead of putting the document in
        doubt (docs/contributing/spec/document_history.md, "History not available").
        """
        return self.on_retry_failure == RetryFailure.SUSPEND


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """
    One delivery of a document, with its identifiers as they were sent.

    Args:
        redelivery_count: 0 for the first delivery, -1 if the transport does not count them
            (docs/contributing/spec/document_history.md, "Redelivery count").
        is_guaranteed: False for a volatile document.
    """

    uuid: str = ""
    track_id: str = ""
    event_id: str = ""
    redelivery_count: int = NO_COUNT
    is_guaranteed: bool = True

    @cached_property
    def identity(self) -> Identity:
        return identify_document(uuid=self.uuid, track_id=self.track_id, event_id=self.event_id)


_BY_PAIR = {
    None: Rule.NO_ENTRY,
    Pair.BOTH: Rule.BOTH_ENTRIES,
    Pair.COMPLETED_ONLY: Rule.COMPLETED_ONLY,
    Pair.PROCESSING_ONLY: Rule.PROCESSING_ONLY,
}
_INCONCLUSIVE = frozenset({Rule.PROCESSING_ONLY, Rule.UUID_TOO_LONG, Rule.NO_UUID, Rule.HISTORY_UNAVAILABLE})


def is_history_needed(trigger: Trigger, delivery: Delivery) -> bool:
    """Whether the check reads the history."""
    return (
        delivery.is_guaranteed
        and trigger.detect_duplicates
        and trigger.use_history
        and delivery.identity.uuid is not None
    )


def find_rule(trigger: Trigger, delivery: Delivery, pair: Pair | None = None) -> Rule:
    """
    Return the rule that decides; ASK_RESOLVER if only the resolver can.

    Args:
        pair: the document's entries, None if it has none; read only if `is_history_needed`.
    """
    if not delivery.is_guaranteed:
        return Rule.NOT_GUARANTEED
    if not trigger.detect_duplicates:
        return Rule.DETECTION_OFF
    if not trigger.use_history:
        return _without_history(trigger, delivery)
    return choose_rule_after_history(trigger, delivery.identity.lack or _BY_PAIR[pair])


def choose_rule_after_history(trigger: Trigger, rule: Rule) -> Rule:
    """
    Return the rule, or ASK_RESOLVER if it does not decide and there is a resolver
    (docs/contributing/spec/document_history.md, "Decision" step 6).
    """
    return Rule.ASK_RESOLVER if rule in _INCONCLUSIVE and trigger.resolver else rule


def _without_history(trigger: Trigger, delivery: Delivery) -> Rule:
    """
    Decide only by the count, or leave the decision to the resolver.

    The resolver is also asked for a count of 0, because a publisher that publishes twice sends 0 both times
    (docs/contributing/spec/document_history.md, "Redelivery count").
    """
    if trigger.resolver:
        return Rule.ASK_RESOLVER
    if delivery.redelivery_count > 0:
        return Rule.REDELIVERED
    return Rule.FIRST_DELIVERY if delivery.redelivery_count == 0 else Rule.NO_DELIVERY_COUNT
