"""
A dry run: the rule that would decide. It writes nothing and does not call resolvers.

Source: docs/contributing/spec/document_history.md, "Console".
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Unpack

from messages_app.document_history.decision import Delivery, Trigger, find_rule, is_history_needed
from messages_app.document_history.services.delivery import (
    Delivered,
    DeliveredParts,
    find_trigger,
    read_entries,
)
from messages_app.document_history.states import NO_COUNT, RULES, DecidedBy, Pair, Rule, Verdict


@dataclass(frozen=True, kw_only=True)
class DryRun:
    """
    The answer that a check would give now.

    Args:
        verdict: None if the resolver would decide, or the trigger is suspended.
        steps: the checks in their order, as sentences.
    """

    rule: Rule
    verdict: Verdict | None
    uuid: str | None
    pair: Pair | None
    is_suspended: bool
    steps: list[str]

    @property
    def decided_by(self) -> DecidedBy:
        return RULES[self.rule].decided_by


def dry_run(**parts: Unpack[DeliveredParts]) -> DryRun:
    """
    Return the rule that would decide about a delivery, and its verdict.

    Raises:
        TriggerNotFound: no trigger has the id.
        HistoryUnavailable: the history cannot be reached.
    """
    delivered = Delivered(**parts)
    trigger = find_trigger(delivered.trigger_id)
    pair, _ = read_entries(trigger, delivered)
    rule = find_rule(trigger, delivered, pair)
    is_suspended = trigger.suspended_at is not None
    return DryRun(
        rule=rule,
        verdict=None if is_suspended else RULES[rule].verdict,
        uuid=delivered.document_uuid,
        pair=pair,
        is_suspended=is_suspended,
        steps=list(_explain_steps(trigger, delivered, pair, rule)),
    )


def _count_words(count: int) -> str:
    return "Redeliveries are not counted." if count == NO_COUNT else f"The redelivery count is {count}."


_ENTRIES = {
    None: "The history has no entry.",
    Pair.PROCESSING_ONLY: "The history has a processing entry only.",
    Pair.BOTH: "The history has both entries.",
    Pair.COMPLETED_ONLY: "The history has a completed entry only.",
}


def _explain_steps(trigger: Trigger, delivery: Delivery, pair: Pair | None, rule: Rule) -> Iterator[str]:
    if trigger.suspended_at is not None:
        yield f"The trigger is suspended: {trigger.suspended_because}"
    if delivery.is_guaranteed and trigger.detect_duplicates:
        yield _count_words(delivery.redelivery_count)
        lack = delivery.identity.lack
        yield RULES[lack].words if lack else f"The UUID is {delivery.identity.uuid}."
        # The meaning of a rule that decides by the entries already names the entries.
        if not is_history_needed(trigger, delivery):
            yield "The history is not checked."
        elif rule is Rule.ASK_RESOLVER:
            yield _ENTRIES[pair]
    yield RULES[rule].words
