"""What the room's services refuse, and what keeps them from answering."""


class TriggerNotFound(Exception):
    """No trigger has this id."""


class CannotDecide(Exception):
    """
    No verdict: the caller must neither run its service nor acknowledge the document, and ask again.

    Source: spec/other-systems.md 1.7 (the trigger is suspended, the document goes back to its provider).
    """


class HistoryUnavailable(CannotDecide):
    """The document history cannot be reached."""


class TriggerSuspended(CannotDecide):
    """
    The trigger's resolver failed for a while, or did before and nobody resumed the trigger.

    Args:
        trigger_id: the trigger.
        because: what the resolver said.
    """

    def __init__(self, trigger_id: str, because: str) -> None:
        super().__init__(f"The trigger is suspended: {because}")
        self.trigger_id = trigger_id
        self.because = because


class DocumentNotFound(Exception):
    """The history has no entry of the document: it was never checked, or it was swept."""


class LeaseLost(Exception):
    """The token is not, or no longer, the one of who may complete the document."""


class DocumentConflict(Exception):
    """
    Nothing was changed: the row is in another state.

    Args:
        current_state: the state it is in.
    """

    def __init__(self, text: str, *, current_state: str) -> None:
        super().__init__(text)
        self.current_state = current_state


class ContentConflict(Exception):
    """The history has this UUID with another content, which would be lost as a Duplicate."""


class InDoubtNotFound(Exception):
    """No document in doubt has this id."""


class InvalidTrigger(Exception):
    """
    A property of a trigger has a value that it may not have.

    Args:
        field: the property.
        code: a word for programs.
    """

    def __init__(self, field: str, code: str, text: str) -> None:
        super().__init__(text)
        self.field = field
        self.code = code
