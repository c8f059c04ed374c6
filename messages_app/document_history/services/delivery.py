"""Deliveries, the answers of checks, and the records of deliveries that were not New."""

import json
import logging
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Unpack

from django.db import transaction

from messages_app.core.statements import Statements
from messages_app.document_history.decision import Delivery, DeliveryParts, Properties
from messages_app.document_history.models import DocumentOutcome
from messages_app.document_history.services.errors import HistoryUnavailable, asking_history
from messages_app.document_history.states import RULES, DecidedBy, RetryFailure, Rule, Verdict

statements = Statements("messages_app.document_history")


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
    def properties(self) -> Properties:
        return Properties(
            detect_duplicates=self.detect_duplicates,
            use_history=self.use_history,
            has_resolver=bool(self.resolver),
        )

    @property
    def waits(self) -> bool:
        """
        Whether it suspends and retries after a failure before processing, instead of putting the document in
        doubt (docs/contributing/spec/document_history.md, "History not available").
        """
        return self.on_retry_failure == RetryFailure.SUSPEND


@dataclass(frozen=True, kw_only=True)
class Delivered:
    """
    One delivery with its content, which is stored if it is in doubt.

    Args:
        document: its content as JSON; None if the caller sent none.
        document_name: the name of its type; may be empty.
        content_sha256: the hash of its content, in lower case; empty if the caller sent none.
    """

    trigger_id: str
    delivery: Delivery
    document: object = None
    document_name: str = ""
    content_sha256: str = ""

    @classmethod
    def from_parts(
        cls,
        *,
        trigger_id: str,
        document: object = None,
        document_name: str = "",
        content_sha256: str = "",
        **parts: Unpack[DeliveryParts],
    ) -> "Delivered":
        """Return the delivery with the arguments of a check."""
        return cls(
            trigger_id=trigger_id,
            delivery=Delivery.from_parts(**parts),
            document=document,
            document_name=document_name,
            content_sha256=content_sha256,
        )

    @property
    def uuid(self) -> str | None:
        return self.delivery.identity.uuid

    @property
    def key(self) -> str | None:
        """The UUID if the history may have an entry of it; volatile documents have none."""
        return self.uuid if self.delivery.is_guaranteed else None


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
        identifier = delivered.delivery.identity.identifier
        log.error("Lost in doubt: trigger %r, document %r", delivered.trigger_id, identifier)
        return False
    return True


def _note_outcome(delivered: Delivered, checked: Checked) -> None:
    DocumentOutcome.objects.create(
        trigger_id=delivered.trigger_id,
        document_name=delivered.document_name[:MAX_NAME],
        identifier=delivered.delivery.identity.identifier[:MAX_IDENTIFIER],
        status=checked.verdict,
        redelivery_count=delivered.delivery.redelivery_count,
        decided_by=checked.decided_by,
        rule=checked.rule,
        message=checked.message[:MAX_MESSAGE],
    )


def _note_in_doubt(delivered: Delivered, checked: Checked) -> None:
    statements.fetch_row(
        "note_in_doubt",
        {
            "trigger_id": delivered.trigger_id,
            "uuid": delivered.uuid or "",
            "identifier": delivered.delivery.identity.identifier[:MAX_IDENTIFIER],
            "document_name": delivered.document_name[:MAX_NAME],
            "redelivery_count": delivered.delivery.redelivery_count,
            "rule": checked.rule,
            "message": checked.message[:MAX_MESSAGE],
            "document": None if delivered.document is None else json.dumps(delivered.document),
        },
    )
