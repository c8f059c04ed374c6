"""Deliveries, the answers of checks, and the records of deliveries that were not New."""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Required, TypedDict

from django.db import transaction

from messages_app.core.statements import Statements
from messages_app.document_history.decision import Delivery, Trigger, is_history_needed
from messages_app.document_history.models import DocumentOutcome, DocumentTrigger
from messages_app.document_history.services.errors import HistoryUnavailable, TriggerNotFound, asking_history
from messages_app.document_history.states import (
    RULES,
    DecidedBy,
    EntryStatus,
    Pair,
    Rule,
    Verdict,
)

statements = Statements("messages_app.document_history")


class DeliveredParts(TypedDict, total=False):
    """The arguments of a check: those of `Delivered`."""

    trigger_id: Required[str]
    uuid: str
    track_id: str
    event_id: str
    redelivery_count: int
    is_guaranteed: bool
    document: object
    document_name: str
    content_sha256: str


@dataclass(frozen=True, kw_only=True)
class Delivered(Delivery):
    """
    One delivery to a trigger with its content, which is stored if it is in doubt, and passed to a resolver.

    Args:
        document: its content as JSON; None if the caller sent none.
        document_name: the name of its type; may be empty.
        content_sha256: the hash of its content, in lower case, to detect a reused UUID; empty if the caller
            sent none.
    """

    trigger_id: str
    document: object = None
    document_name: str = ""
    content_sha256: str = ""

    @property
    def document_uuid(self) -> str | None:
        """The key in the history; None if no UUID can be assigned."""
        return self.identity.uuid

    @property
    def row_key(self) -> dict[str, object]:
        """The document in the parameters of statements."""
        return {"trigger_id": self.trigger_id, "uuid": self.document_uuid}

    @property
    def key(self) -> str | None:
        """The UUID if the history may have an entry of it; volatile documents have none."""
        return self.document_uuid if self.is_guaranteed else None


@dataclass(frozen=True, kw_only=True)
class Checked:
    """
    The answer of a check.

    Args:
        verdict: New, Duplicate or In Doubt; process only New, and acknowledge the others.
        rule: the rule that decided.
        uuid: the document's key in the history; None if no UUID could be assigned.
        token: completes the document; None if the history has no entry to complete.
        message: the reason as a text; if a resolver decided, its message.
        is_recorded: New: the history has an entry of it. In Doubt: it is in the inbox.
        is_content_checked: the history has it with the caller's hash.
    """

    verdict: Verdict
    rule: Rule
    uuid: str | None
    token: str | None = None
    message: str = ""
    is_recorded: bool = False
    is_content_checked: bool = False

    @property
    def decided_by(self) -> DecidedBy:
        return RULES[self.rule].decided_by


def find_trigger(trigger_id: str) -> Trigger:
    """Return a trigger that is not deleted. Raises TriggerNotFound, HistoryUnavailable."""
    with asking_history():
        rows = DocumentTrigger.objects.filter(pk=trigger_id, deleted_at=None)
        row = rows.values_list(*Trigger._fields).first()
    if row is None:
        raise TriggerNotFound(trigger_id)
    return Trigger(*row)


def read_entries(trigger: Trigger, delivered: Delivered) -> tuple[Pair | None, Mapping[str, datetime]]:
    """Return which entries the document has, and their times. Raises HistoryUnavailable."""
    if not is_history_needed(trigger, delivered):
        return None, {}
    with asking_history():
        times: dict[str, datetime] = dict(statements.fetch_rows("entries", delivered.row_key))
    pair = Pair.of_entries(
        processing=EntryStatus.PROCESSING in times, completed=EntryStatus.COMPLETED in times
    )
    return pair, times


log = logging.getLogger(__name__)
MAX_IDENTIFIER, MAX_NAME, MAX_MESSAGE = 300, 200, 1000


def note_delivery(delivered: Delivered, checked: Checked) -> bool:
    """
    Record a Duplicate or In Doubt, and return whether it was recorded. As the vendor warns, it may be lost
    only if the history could not be reached (docs/contributing/spec/document_history.md, "History not
    available"); the log then has it.

    Raises:
        HistoryUnavailable: it could not be recorded, although the history was read for this delivery.
    """
    try:
        with asking_history(), transaction.atomic():
            _note_outcome(delivered, checked)
            if checked.verdict is Verdict.IN_DOUBT:
                _note_in_doubt(delivered, checked)
    except HistoryUnavailable:
        if checked.rule is not Rule.HISTORY_UNAVAILABLE:
            raise
        identifier = delivered.identity.identifier
        log.error("Lost in doubt: trigger %r, document %r", delivered.trigger_id, identifier)
        return False
    return True


def _note_outcome(delivered: Delivered, checked: Checked) -> None:
    DocumentOutcome.objects.create(
        trigger_id=delivered.trigger_id,
        document_name=delivered.document_name[:MAX_NAME],
        identifier=delivered.identity.identifier[:MAX_IDENTIFIER],
        status=checked.verdict,
        redelivery_count=delivered.redelivery_count,
        decided_by=checked.decided_by,
        rule=checked.rule,
        message=checked.message[:MAX_MESSAGE],
    )


def _note_in_doubt(delivered: Delivered, checked: Checked) -> None:
    statements.fetch_row(
        "note_in_doubt",
        {
            "trigger_id": delivered.trigger_id,
            "uuid": delivered.document_uuid or "",
            "identifier": delivered.identity.identifier[:MAX_IDENTIFIER],
            "document_name": delivered.document_name[:MAX_NAME],
            "redelivery_count": delivered.redelivery_count,
            "rule": checked.rule,
            "message": checked.message[:MAX_MESSAGE],
            "document": None if delivered.document is None else json.dumps(delivered.document),
        },
    )
