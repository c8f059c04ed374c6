"""Refusals of calls about one message of the CP queue."""

from messages_app.cp_queue.states import State


class MessageNotFound(Exception):
    """No message has this GUID: it was dispatched or collapsed, or never was."""

    def __init__(self, guid: str) -> None:
        super().__init__(
            f"Message {guid} is not in the queue. It may have been dispatched, or coalesced into a newer "
            "message."
        )


class MessageConflict(Exception):
    """
    Nothing was changed: the message is in another state, or another service holds it.

    Args:
        code: a machine-readable code, such as "not_owner".
        current_state: the state it is in.
    """

    def __init__(self, code: str, text: str, *, current_state: State) -> None:
        super().__init__(text)
        self.code = code
        self.current_state = current_state


class TokenLost(Exception):
    """The fencing token is not, or no longer, that of the message's reservation."""
