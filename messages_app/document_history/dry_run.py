"""
A dry run: the rule that would decide. It writes nothing and does not call resolvers.

Source: docs/contributing/spec/document_history.md, "Console".
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Unpack

from messages_app.core.statements import Statements
from messages_app.document_history.decision import Delivery, DeliveryParts, find_rule, needs_history
from messages_app.document_history.models import DocumentTrigger
from messages_app.document_history.services.delivery import Trigger
from messages_app.document_history.services.errors import TriggerNotFound, asking_history
from messages_app.document_history.states import NO_COUNT, RULES, DecidedBy, EntryStatus, Pair, Rule, Verdict

statements = Statements("messages_app.document_history")


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


def dry_run(*, trigger_id: str, **parts: Unpack[DeliveryParts]) -> DryRun:
    """
    Return the rule that would decide about a delivery, and its verdict.

    Raises:
        TriggerNotFound: no trigger has the id.
        HistoryUnavailable: the history cannot be reached.
    """
    delivery = Delivery.from_parts(**parts)
    uuid = delivery.identity.uuid
    trigger = _read_trigger(trigger_id)
    asks = needs_history(trigger.properties, delivery)
    pair = _read_pair(trigger_id, uuid) if asks and uuid is not None else None
    rule = find_rule(trigger.properties, delivery, pair)
    is_suspended = trigger.suspended_at is not None
    return DryRun(
        rule=rule,
        verdict=None if is_suspended else RULES[rule].verdict,
        uuid=uuid,
        pair=pair,
        is_suspended=is_suspended,
        steps=list(_explain_steps(trigger, delivery, asks, pair, rule)),
    )


def _read_trigger(trigger_id: str) -> Trigger:
    with asking_history():
        triggers = DocumentTrigger.objects.filter(pk=trigger_id, deleted_at=None)
        row = triggers.values_list(*Trigger._fields).first()
    if row is None:
        raise TriggerNotFound(f"No trigger has the id {trigger_id!r}.")
    return Trigger(*row)


def _read_pair(trigger_id: str, uuid: str) -> Pair | None:
    with asking_history():
        statuses = {
            status for status, _ in statements.fetch_rows("entries", {"trigger_id": trigger_id, "uuid": uuid})
        }
    return Pair.of_entries(
        processing=EntryStatus.PROCESSING in statuses, completed=EntryStatus.COMPLETED in statuses
    )


def _count_words(count: int) -> str:
    return "Redeliveries are not counted." if count == NO_COUNT else f"The redelivery count is {count}."


_ENTRIES = {
    None: "The history has no entry.",
    Pair.PROCESSING_ONLY: "The history has a processing entry only.",
    Pair.BOTH: "The history has both entries.",
    Pair.COMPLETED_ONLY: "The history has a completed entry only.",
}


def _explain_steps(
    trigger: Trigger, delivery: Delivery, asks: bool, pair: Pair | None, rule: Rule
) -> Iterator[str]:
    if trigger.suspended_at is not None:
        yield f"The trigger is suspended: {trigger.suspended_because}"
    if delivery.is_guaranteed and trigger.detect_duplicates:
        yield _count_words(delivery.redelivery_count)
        lack = delivery.identity.lack
        yield RULES[lack].words if lack else f"The UUID is {delivery.identity.uuid}."
        # The meaning of a rule that decides by the entries already names the entries.
        if not asks:
            yield "The history is not checked."
        elif rule is Rule.ASK_RESOLVER:
            yield _ENTRIES[pair]
    yield RULES[rule].words
