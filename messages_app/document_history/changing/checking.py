"""
The check: is this document New to the trigger, a Duplicate, or In Doubt?

In order: redelivery count, history, resolver. For any number of checks at once exactly one is told New: it is
the one whose statement made the processing entry. Source: spec/other-systems.md 1.5 to 1.8; reliability I-37
to I-39, I-42.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from django.conf import settings

from messages_app.document_history.changing import starting_again
from messages_app.document_history.changing.delivered import Checked, Delivered, Trigger
from messages_app.document_history.changing.noting import note
from messages_app.document_history.changing.refusals import (
    ContentConflict,
    HistoryUnavailable,
    TriggerNotFound,
    TriggerSuspended,
)
from messages_app.document_history.changing.resolving import Resolved, ask, failed
from messages_app.document_history.changing.sending import asking_history, row_of, rows_of
from messages_app.document_history.changing.suspending import suspend_trigger
from messages_app.document_history.deciding import Delivery, after_history, decide, needs_history
from messages_app.document_history.models import DocumentTrigger
from messages_app.document_history.resolvers import TransientFailure
from messages_app.document_history.states import RULES, EntryStatus, Pair, Rule, Verdict
from messages_app.document_history.tokens import token_for

# A sweep may take the entries that kept a check from making its own; that happens once, not thrice.
_TRIES = 3


def check(
    *,
    trigger_id: str,
    document: object = None,
    document_name: str = "",
    content_sha256: str = "",
    **delivery: str | int | bool,
) -> Checked:
    """
    Say what one delivery of a document is, and begin its processing in the history if it is New.

    New holds once it is committed: call it outside a transaction, or begin to process after the commit. Where
    the source is silent the arrows of spec/other-systems.md 1.3, 1.4 and 1.6 hold: see identify, decide, ask.

    Args:
        delivery: uuid, track_id, event_id, redelivery_count and is_guaranteed, as Delivery.of has them.
        document: its content, kept if it is in doubt, and shown to the resolver.
        document_name: the name of its type.
        content_sha256: the hash of its content, in lower case, to tell a UUID that is used again.

    Raises:
        TriggerNotFound: no trigger has the id.
        HistoryUnavailable: no verdict, as the history cannot be reached; ask again.
        TriggerSuspended: no verdict, as the resolver cannot answer for a while.
        ContentConflict: no verdict: the history has this UUID with another hash.
    """
    delivered = Delivered(
        trigger_id=trigger_id,
        delivery=Delivery.of(**delivery),
        document=document,
        document_name=document_name,
        content_sha256=content_sha256,
    )
    for _ in range(_TRIES):
        checked = _check_once(delivered)
        if checked is not None:
            return checked
    raise HistoryUnavailable("The document's entries come and go. Do not process; ask again.")


def _check_once(delivered: Delivered) -> Checked | None:
    """Return the answer; None where the entries that stood in the way were gone when they were looked at."""
    try:
        trigger, started_at = _start(delivered)
    except HistoryUnavailable as error:
        return _check_without_history(delivered, error)
    if trigger.suspended_at is not None:
        raise TriggerSuspended(trigger.trigger_id, trigger.suspended_because)
    if started_at is not None:
        return _new(delivered, Rule.NO_ENTRY, started_at)
    pair, times = _entries(trigger, delivered)
    rule = decide(trigger.properties, delivered.delivery, pair)
    if rule is Rule.NO_ENTRY:
        return None
    is_checked = _check_content(delivered, times)
    checked = _conclude(trigger, delivered, rule, times.get(EntryStatus.PROCESSING))
    return replace(checked, is_content_checked=is_checked)


def _start(delivered: Delivered) -> tuple[Trigger, datetime | None]:
    """Return the trigger and, if the document has no entry, the time of the one that this has made."""
    uuid = delivered.uuid if delivered.delivery.is_guaranteed else None
    with asking_history():
        values = {
            "trigger_id": delivered.trigger_id,
            "uuid": uuid,
            "sha256": delivered.content_sha256 or None,
        }
        row = row_of("start", values)
    if row is None:
        raise TriggerNotFound(f"No trigger has the id {delivered.trigger_id!r}.")
    return Trigger(*row[:-1]), row[-1]


def _entries(trigger: Trigger, delivered: Delivered) -> tuple[Pair | None, Mapping[str, datetime]]:
    """Return which entries the document has, and the time of each."""
    if not needs_history(trigger.properties, delivered.delivery):
        return None, {}
    with asking_history():
        found = rows_of("entries", {"trigger_id": trigger.trigger_id, "uuid": delivered.uuid})
    times = dict(found)
    pair = Pair.of(processing=EntryStatus.PROCESSING in times, completed=EntryStatus.COMPLETED in times)
    return pair, times


def _check_content(delivered: Delivered, times: Mapping[str, datetime]) -> bool:
    """Return whether the history has the document with the hash that the caller sent (reliability I-45)."""
    if not times or not delivered.content_sha256:
        return False
    values = {"trigger_id": delivered.trigger_id, "uuid": delivered.uuid, "times": list(times.values())}
    with asking_history():
        row = row_of("content", values)
    if row is not None and row[0] != delivered.content_sha256:
        raise ContentConflict("The history has a document of this UUID with another content.")
    return row is not None


def _check_without_history(delivered: Delivered, error: HistoryUnavailable) -> Checked:
    """
    Go on where the history cannot be reached: as a rule, not at all; never with New.

    The trigger's properties stand in the same database, so where it is gone altogether nobody can decide.
    Source: spec/other-systems.md 1.7.
    """
    with asking_history():
        values = DocumentTrigger.objects.filter(pk=delivered.trigger_id, deleted_at=None)
        row = values.values_list(*Trigger._fields).first()
    if row is None:
        raise TriggerNotFound(f"No trigger has the id {delivered.trigger_id!r}.")
    trigger = Trigger(*row)
    if trigger.suspended_at is not None:
        raise TriggerSuspended(trigger.trigger_id, trigger.suspended_because)
    if not needs_history(trigger.properties, delivered.delivery):
        return _conclude(trigger, delivered, decide(trigger.properties, delivered.delivery), None)
    if settings.SUSPEND_AND_RETRY_ON_ERROR or trigger.waits:
        raise error
    rule = after_history(trigger.properties, Rule.HISTORY_UNAVAILABLE)
    return _conclude(trigger, delivered, rule, None, is_reached=False)


def _conclude(
    trigger: Trigger, delivered: Delivered, rule: Rule, seen: datetime | None, *, is_reached: bool = True
) -> Checked:
    """
    Return the answer that a rule gives.

    Args:
        seen: the time of the processing entry.
        is_reached: False where the history could not be asked.
    """
    if rule is not Rule.ASK_RESOLVER:
        return _kept(delivered, rule, RULES[rule].verdict, RULES[rule].words)
    resolved = _resolved(trigger, delivered)
    if resolved.verdict is not Verdict.NEW:
        return _kept(delivered, resolved.rule, resolved.verdict, resolved.message)
    if not needs_history(trigger.properties, delivered.delivery):
        # No entry can be made, 1.15 case 11: the execution is flagged as not recorded.
        return Checked(verdict=Verdict.NEW, rule=resolved.rule, uuid=delivered.uuid, message=resolved.message)
    if not is_reached:
        # The processing entry could not be written: the service is not run (1.7, with the arrow).
        rule = Rule.HISTORY_UNAVAILABLE
        return _kept(delivered, rule, Verdict.IN_DOUBT, RULES[rule].words)
    return _let_through(trigger, delivered, resolved, seen)


def _resolved(trigger: Trigger, delivered: Delivered) -> Resolved:
    try:
        return ask(trigger, delivered)
    except TransientFailure as error:
        if settings.SUSPEND_AND_RETRY_ON_ERROR or trigger.waits:
            suspended = TriggerSuspended(trigger.trigger_id, str(error) or "The resolver failed for a while.")
            suspend_trigger(trigger_id=trigger.trigger_id, because=suspended.because)
            raise suspended from error
        return failed(error)


def _let_through(
    trigger: Trigger, delivered: Delivered, resolved: Resolved, seen: datetime | None
) -> Checked:
    """
    Begin again what a resolver calls New: its one processing entry gets a new start (1.6, with the arrow).

    Of several deliveries that a resolver lets through at once, one is.
    """
    with asking_history():
        time = starting_again.start_again(trigger, delivered, seen, message=resolved.message)
    if time is not None:
        return _new(delivered, resolved.rule, time, message=resolved.message)
    pair, _ = _entries(trigger, delivered)
    rule = {Pair.BOTH: Rule.BOTH_ENTRIES, Pair.COMPLETED_ONLY: Rule.COMPLETED_ONLY}.get(pair, Rule.OVERTAKEN)
    return _kept(delivered, rule, RULES[rule].verdict, RULES[rule].words)


def _new(delivered: Delivered, rule: Rule, time: datetime, *, message: str = "") -> Checked:
    return Checked(
        verdict=Verdict.NEW,
        rule=rule,
        uuid=delivered.uuid,
        token=token_for(delivered.trigger_id, delivered.uuid, time),
        message=message or RULES[rule].words,
        is_recorded=True,
    )


def _kept(delivered: Delivered, rule: Rule, verdict: Verdict, message: str) -> Checked:
    if verdict is Verdict.NEW:
        return Checked(verdict=verdict, rule=rule, uuid=delivered.uuid, message=message)
    values = {"verdict": verdict, "rule": rule, "uuid": delivered.uuid, "message": message}
    is_recorded = note(delivered, Checked(**values))
    return Checked(**values, is_recorded=is_recorded)
