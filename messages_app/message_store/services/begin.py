"""
Beginning an attempt: exactly one of any number of workers and receivers gets it.

The status is compared and set in one statement. The end of the attempt must find its start unchanged in
processed_timestamp.

Source: docs/contributing/spec/message_store.md, "Monitor and retries", "Hard cases" cases 1, 4 and 5.
"""

from dataclasses import dataclass
from datetime import datetime

from messages_app.core.statements import Statements
from messages_app.message_store.models import MessageLine

statements = Statements("messages_app.message_store")


@dataclass(frozen=True)
class ClaimedMessage:
    """
    A message in progress: its attempt, and the columns of message_store.

    Args:
        started_at: the attempt's processed_timestamp.
        attempts: earlier attempts, including ones that died: 0 means that no record of it was ever written.
        is_stored: False: there is no message of this identifier in the store.
    """

    identifier: str
    started_at: datetime
    attempts: int
    is_stored: bool
    system: str | None
    entity: str | None
    message_timestamp: datetime | None
    effective_timestamp: datetime | None
    refresh: bool | None
    options: str | None
    data: str | None
    file_path: str | None

    @property
    def created_at(self) -> datetime:
        """
        When the message was made: determines its age, and the order of two with the same effective time.
        """
        return self.message_timestamp or self.effective_timestamp or self.started_at

    @property
    def effective_at(self) -> datetime:
        return self.effective_timestamp or self.created_at


# Of one batch, so that the messages behind a slow one do not wait for long.
MAX_TAKEN = 50
# Bytes of data; a larger message is taken separately.
_SMALL = 16_384


def take_queued(*, most: int) -> list[ClaimedMessage]:
    """
    Take the oldest queued messages that are not taken, in order.

    A message that may take long, or whose last worker died, is taken separately.

    Args:
        most: up to MAX_TAKEN.
    """
    rows = statements.fetch_rows("take_queued", {"most": min(most, MAX_TAKEN), "small": _SMALL})
    return [ClaimedMessage(*row) for row in rows]


def take_one(identifier: str) -> ClaimedMessage | None:
    """Take one message that waits, queued or not; None if it does not wait, or another worker has it."""
    row = statements.fetch_row("take_one", {"identifier": identifier})
    return ClaimedMessage(*row) if row else None


def is_known(identifier: str) -> bool:
    """Whether the store or its processing has such a message."""
    return MessageLine.objects.filter(message_identifier=identifier, status__isnull=False).exists()


def look_at(identifier: str) -> ClaimedMessage | None:
    """Return a message as an attempt would read it, without taking it; None if the store does not have it."""
    row = statements.fetch_row("look_at_one", {"identifier": identifier})
    return ClaimedMessage(*row) if row else None
