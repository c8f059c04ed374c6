"""
The check: is this document New to the trigger, a Duplicate, or In Doubt?

In order: redelivery count, history, resolver. Of any number of simultaneous checks, exactly one returns New:
the one whose statement inserted the processing entry.

Source: docs/contributing/spec/document_history.md, "Decision", "Resolver", "History not available",
"Entries"; docs/contributing/spec/promises.md, I-37 to I-39, I-42.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Unpack

from django.conf import settings
from django.db import transaction
from psycopg.rows import TupleRow

from messages_app.audit import services as audit
from messages_app.core.statements import Statements
from messages_app.document_history.decision import (
    Trigger,
    choose_rule_after_history,
    find_rule,
    is_history_needed,
)
from messages_app.document_history.services.delivery import (
    Checked,
    Delivered,
    DeliveredParts,
    find_trigger,
    note_delivery,
    read_entries,
)
from messages_app.document_history.services.errors import (
    ContentConflict,
    HistoryUnavailable,
    TriggerNotFound,
    TriggerSuspended,
    answer_each,
    asking_history,
)
from messages_app.document_history.services.resolvers import (
    Resolved,
    TransientFailure,
    ask_resolver,
    failed_resolution,
)
from messages_app.document_history.services.triggers import suspend_trigger
from messages_app.document_history.states import RULES, EntryStatus, Pair, Rule, Verdict
from messages_app.document_history.tokens import token_for

statements = Statements("messages_app.document_history")


# Restarts the processing of a document because a resolver returned New; the audit log keeps the old start.
def start_again(
    trigger: Trigger, delivered: Delivered, old_start: datetime | None, *, message: str
) -> datetime | None:
    """
    Give the processing entry a new start, and return it; None if the entry has changed.

    Source: docs/contributing/spec/document_history.md, "Resolver"; docs/contributing/spec/promises.md, I-44.
    """
    with transaction.atomic():
        row = statements.fetch_row("start_again", delivered.row_key | {"seen": old_start})
        if row is None:
            return None
        audit.record_entry(
            actor=audit.Actor(username=f"resolver {trigger.resolver}"[:150]),
            action="start_again",
            before_state="processing",
            after_state="processing",
            reason=message[:1000],
            subject_kind="trigger",
            subject=trigger.trigger_id,
            details={
                "document_uuid": delivered.document_uuid,
                "old_start": old_start.isoformat() if old_start else None,
                "new_start": row[0].isoformat(),
            },
        )
        start: datetime = row[0]
        return start


# A sweep may remove the entries that prevented a check from inserting its own. This does not happen three
# times in a row.
_TRIES = 3


def check_document(**parts: Unpack[DeliveredParts]) -> Checked:
    """
    Return the verdict on one delivery, and start its processing in the history if it is New. New is valid
    after the commit: call this outside a transaction, or process after the commit.
    Source: docs/contributing/spec/document_history.md, "Identifiers", "Redelivery count", "Resolver".

    Raises:
        TriggerNotFound: no trigger has the id.
        HistoryUnavailable: no verdict, because the history cannot be reached; check again.
        TriggerSuspended: no verdict, because the resolver cannot answer for a while.
        ContentConflict: no verdict: the history has this UUID with another hash.
    """
    return _check_until_decided(Delivered(**parts))


def check_many(deliveries: Sequence[Delivered]) -> list[Checked | Exception]:
    """
    Check many deliveries, like calls of `check_document` one after the other; return their answers, in order.

    All entries of new documents are inserted by one statement, in the order of their keys, so that two
    batches never wait for each other. A delivery without a verdict has its error as its answer; the others
    keep theirs.

    Raises:
        HistoryUnavailable: nothing was checked.
    """
    rows = dict(_sort_for_locks(deliveries, _start_many(deliveries)))

    def answer_row(place: int) -> Checked:
        delivered = deliveries[place]
        return _answer_row(delivered, rows[place]) or _check_until_decided(delivered)

    answers = answer_each(rows, answer_row, (TriggerSuspended, TriggerNotFound, ContentConflict))
    return [answers[place] for place in range(len(deliveries))]


def _sort_for_locks(deliveries: Sequence[Delivered], rows: list[TupleRow]) -> list[tuple[int, TupleRow]]:
    """Return the rows with their places: new documents first, then by key, because outcomes lock rows too."""
    places = list(enumerate(rows))
    return sorted(
        places,
        key=lambda item: (
            item[1][0] is None,
            deliveries[item[0]].trigger_id,
            deliveries[item[0]].key or "",
        ),
    )


def _start_many(deliveries: Sequence[Delivered]) -> list[TupleRow]:
    """Return for each delivery what `start` returns; of several of one document, the first one starts it."""
    values = {
        "trigger_ids": [delivered.trigger_id for delivered in deliveries],
        "uuids": [delivered.key for delivered in deliveries],
        "sha256s": [delivered.content_sha256 or None for delivered in deliveries],
    }
    with asking_history():
        return statements.fetch_rows("start_many", values)


def _check_until_decided(delivered: Delivered) -> Checked:
    for _ in range(_TRIES):
        checked = _check_once(delivered)
        if checked is not None:
            return checked
    raise HistoryUnavailable("The document's entries keep changing. Do not process it; check again.")


def _check_once(delivered: Delivered) -> Checked | None:
    """Return the answer; None if the conflicting entries had gone when they were read."""
    try:
        row = _start_processing(delivered)
    except HistoryUnavailable as error:
        return _check_without_history(delivered, error)
    return _answer_row(delivered, row)


def _answer_row(delivered: Delivered, row: TupleRow) -> Checked | None:
    """Return the answer by a row of `start`; None as in `_check_once`."""
    started_at, *trigger = row
    if started_at is not None:
        return _answer_new(delivered, Rule.NO_ENTRY, started_at)
    if trigger[0] is None:
        raise TriggerNotFound(delivered.trigger_id)
    return _decide_delivery(Trigger(*trigger), delivered)


def _decide_delivery(trigger: Trigger, delivered: Delivered) -> Checked | None:
    """Return the answer for a document that was not started; None as in `_check_once`."""
    if trigger.suspended_at is not None:
        raise TriggerSuspended(trigger.trigger_id, trigger.suspended_because)
    pair, times = read_entries(trigger, delivered)
    rule = find_rule(trigger, delivered, pair)
    if rule is Rule.NO_ENTRY:
        return None
    is_checked = _has_same_content(delivered, times)
    checked = _conclude_check(trigger, delivered, rule, times.get(EntryStatus.PROCESSING))
    return replace(checked, is_content_checked=is_checked)


def _start_processing(delivered: Delivered) -> TupleRow:
    """Return the time of the new entry if the document had none, and otherwise the trigger."""
    values = {
        "trigger_id": delivered.trigger_id,
        "uuid": delivered.key,
        "sha256": delivered.content_sha256 or None,
    }
    with asking_history():
        return statements.only_row("start", values, prepare=True)


def _has_same_content(delivered: Delivered, times: Mapping[str, datetime]) -> bool:
    """
    Return whether the history has the document with the caller's hash (docs/contributing/spec/promises.md,
    I-45).
    """
    if not times or not delivered.content_sha256:
        return False
    with asking_history():
        row = statements.fetch_row("content", delivered.row_key | {"times": list(times.values())})
    if row is not None and row[0] != delivered.content_sha256:
        raise ContentConflict("The history has a document with this UUID but different content.")
    return row is not None


def _check_without_history(delivered: Delivered, error: HistoryUnavailable) -> Checked:
    """
    Decide while the history cannot be reached. Usually there is no verdict, and never New.

    The trigger's properties are in the same database, so no check can decide if all of it is down. Source:
    docs/contributing/spec/document_history.md, "History not available".
    """
    trigger = find_trigger(delivered.trigger_id)
    if trigger.suspended_at is not None:
        raise TriggerSuspended(trigger.trigger_id, trigger.suspended_because)
    if not is_history_needed(trigger, delivered):
        return _conclude_check(trigger, delivered, find_rule(trigger, delivered), None)
    if settings.SUSPEND_AND_RETRY_ON_ERROR or trigger.may_wait:
        raise error
    rule = choose_rule_after_history(trigger, Rule.HISTORY_UNAVAILABLE)
    return _conclude_check(trigger, delivered, rule, None, is_reached=False)


def _conclude_check(
    trigger: Trigger, delivered: Delivered, rule: Rule, old_start: datetime | None, *, is_reached: bool = True
) -> Checked:
    """
    Return the answer for a rule.

    Args:
        seen: the time of the processing entry.
        is_reached: False if the history could not be read.
    """
    if rule is not Rule.ASK_RESOLVER:
        return _answer_by_rule(delivered, rule)
    resolved = _resolve_delivery(trigger, delivered)
    if resolved.verdict is not Verdict.NEW:
        return _record_outcome(delivered, resolved.rule, resolved.verdict, resolved.message)
    if not is_history_needed(trigger, delivered):
        # No entry can be made (docs/contributing/spec/document_history.md, "Hard cases" case 11), so the
        # execution is flagged as not recorded.
        return _record_outcome(delivered, resolved.rule, resolved.verdict, resolved.message)
    if not is_reached:
        # The processing entry could not be written, so the service does not run
        # (docs/contributing/spec/document_history.md, "History not available").
        return _answer_by_rule(delivered, Rule.HISTORY_UNAVAILABLE)
    return _let_through(trigger, delivered, resolved, old_start)


def _resolve_delivery(trigger: Trigger, delivered: Delivered) -> Resolved:
    try:
        return ask_resolver(trigger, delivered)
    except TransientFailure as error:
        if settings.SUSPEND_AND_RETRY_ON_ERROR or trigger.may_wait:
            suspended = TriggerSuspended(trigger.trigger_id, str(error) or "The resolver kept failing.")
            suspend_trigger(trigger_id=trigger.trigger_id, because=suspended.because)
            raise suspended from error
        return failed_resolution(error)


# The rule that applies if the entries changed during the call of the resolver.
_OF_PAIR: Mapping[Pair | None, Rule] = {
    Pair.BOTH: Rule.BOTH_ENTRIES,
    Pair.COMPLETED_ONLY: Rule.COMPLETED_ONLY,
}


def _let_through(
    trigger: Trigger, delivered: Delivered, resolved: Resolved, old_start: datetime | None
) -> Checked:
    """
    Start a document again because the resolver returned New: its processing entry gets a new start
    (docs/contributing/spec/document_history.md, "Resolver").

    If the resolver returns New for several simultaneous deliveries, only one is New.
    """
    with asking_history():
        time = start_again(trigger, delivered, old_start, message=resolved.message)
    if time is not None:
        return _answer_new(delivered, resolved.rule, time, message=resolved.message)
    pair, _ = read_entries(trigger, delivered)
    return _answer_by_rule(delivered, _OF_PAIR.get(pair, Rule.OVERTAKEN))


def _answer_new(delivered: Delivered, rule: Rule, time: datetime, *, message: str = "") -> Checked:
    return Checked(
        verdict=Verdict.NEW,
        rule=rule,
        uuid=delivered.document_uuid,
        token=token_for(delivered.trigger_id, delivered.document_uuid or "", time),
        message=message or RULES[rule].words,
        is_recorded=True,
    )


def _answer_by_rule(delivered: Delivered, rule: Rule) -> Checked:
    """Return the answer for a rule that has a verdict of its own."""
    meaning = RULES[rule]
    if meaning.verdict is None:
        raise ValueError(f"The rule {rule} leaves the verdict to the resolver.")
    return _record_outcome(delivered, rule, meaning.verdict, meaning.words)


def _record_outcome(delivered: Delivered, rule: Rule, verdict: Verdict, message: str) -> Checked:
    checked = Checked(verdict=verdict, rule=rule, uuid=delivered.document_uuid, message=message)
    if verdict is Verdict.NEW:
        return checked
    return replace(checked, is_recorded=note_delivery(delivered, checked))
