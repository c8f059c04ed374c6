"""Refusals of the message store's services, and ends of unsuccessful attempts."""

from messages_app.core.problems import InvalidField
from messages_app.shared.store_states import Status


class MessageMissing(Exception):
    """The store does not have this identifier."""


class StatusConflict(Exception):
    """
    Nothing was changed: the message is in another status.

    Args:
        current: the status it has.
        is_expected: the caller named the status that it expects, and it is different.
    """

    def __init__(self, text: str, *, current: int | None, is_expected: bool = False) -> None:
        super().__init__(text)
        self.current = current
        self.is_expected = is_expected


class InvalidInput(InvalidField):
    """A field of a message or a source definition has an invalid value."""


class DefinitionMissing(Exception):
    """No source definition has this id."""


class AttemptFailed(Exception):
    """
    The attempt ends in an error; no record of the message is written.

    Args:
        status: the code it ends in.
        errors: all errors; the first is the message's error_message.
    """

    def __init__(self, status: Status, errors: list[str]) -> None:
        super().__init__(errors[0])
        self.status = status
        self.errors = errors


class Overtaken(Exception):
    """
    The attempt ran past its timeout and was abandoned: its changes are undone
    (docs/contributing/spec/message_store.md, "Hard cases" case 4).
    """
