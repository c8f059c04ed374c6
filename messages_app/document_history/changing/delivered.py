"""What comes to a check, and what it answers."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from messages_app.document_history.deciding import Delivery, Properties
from messages_app.document_history.states import RULES, DecidedBy, RetryFailure, Rule, Verdict


class Trigger(NamedTuple):
    """A trigger as start.sql has it."""

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
        """Whether it waits after a failure before processing, rather than go on in doubt (1.7)."""
        return self.on_retry_failure == RetryFailure.SUSPEND


@dataclass(frozen=True, kw_only=True)
class Delivered:
    """
    One delivery with what is kept of it when it is in doubt.

    Args:
        document: its content as JSON has it; None where the caller sent none.
        document_name: the name of its type; may be empty.
        content_sha256: the hash of its content, in lower case; empty where the caller sent none.
    """

    trigger_id: str
    delivery: Delivery
    document: object = None
    document_name: str = ""
    content_sha256: str = ""

    @property
    def uuid(self) -> str | None:
        return self.delivery.identity.uuid


@dataclass(frozen=True, kw_only=True)
class Checked:
    """
    What a check answers.

    Args:
        verdict: New, Duplicate or In Doubt; only New is to be processed, the others are acknowledged.
        rule: the rule that decided.
        uuid: what the history knows the document by; None where no UUID could be assigned.
        token: what the document is completed with; None where the history has no entry to complete.
        message: why, for people; of a resolver, what it said.
        is_recorded: New: the history has an entry of it. In Doubt: it stands in the inbox.
        is_content_checked: the history has it with the hash that the caller sent.
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
