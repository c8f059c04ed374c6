"""Refusals of services as problems, messages by identifier, and statuses, for all addresses of the API."""

from typing import Any

from messages_app.core.api_schema import CodeField
from messages_app.core.problems import Extra, Problem, not_found, problems_for, quote_value
from messages_app.message_store import selectors
from messages_app.message_store.errors import DefinitionMissing, InvalidInput, MessageMissing, StatusConflict
from messages_app.message_store.selectors import stored_identifier
from messages_app.message_store.selectors.messages import ListedMessage
from messages_app.shared.store_states import NAMES, Status, name_of


def _describe_conflict(error: StatusConflict) -> Problem:
    state: Extra = {"current_state": str(error.current), "current_state_name": name_of(error.current)}
    if error.is_expected:
        return Problem(412, "precondition_failed", str(error), extra=state)
    return Problem(409, "state_conflict", str(error), extra=state)


as_problems = problems_for(
    {
        InvalidInput: InvalidInput.as_problem,
        MessageMissing: lambda error: not_found(str(error)),
        DefinitionMissing: lambda error: not_found(str(error)),
        StatusConflict: _describe_conflict,
    }
)


def identifier_of(text: str) -> str:
    """Return the identifier that an address names. Raises Problem: 404, nothing can have it."""
    identifier = stored_identifier(text)
    if identifier is None:
        raise not_found(f"The store has no message {quote_value(text)}.")
    return identifier


def message_or_404(identifier: str) -> ListedMessage:
    """Return the message that an address names. Raises Problem: 404."""
    message = selectors.message_of(identifier_of(identifier))
    if message is None:
        raise not_found(f"The store has no message {quote_value(identifier)}.")
    return message


def status_code_field(*, allow_null: bool = False, read_only: bool = False) -> CodeField:
    return CodeField("StoreStatusCode", Status, is_open=True, allow_null=allow_null, read_only=read_only)


class StatusNameField(CodeField):
    """The name of a row's status; `if_none` is that of none, which else means 0."""

    def __init__(self, *, if_none: str = "") -> None:
        super().__init__("StoreStatusName", NAMES.values(), is_open=True, read_only=True)
        self.if_none = if_none

    def get_attribute(self, instance: Any) -> str:
        return self.if_none if self.if_none and instance.status is None else name_of(instance.status)
