"""Refusals of the document history's services, and failures to answer."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from django.db import DatabaseError, DataError, IntegrityError, InterfaceError, connection, transaction

from messages_app.core.statements import Statements

statements = Statements("messages_app.document_history")


class TriggerNotFound(Exception):
    """No trigger has this id."""


class CannotDecide(Exception):
    """
    No verdict: the caller must neither run its service nor acknowledge the document, and ask again.

    Source: docs/spec/document_history.md, "History not available" (the trigger is suspended, the document
    goes back to its provider).
    """


class HistoryUnavailable(CannotDecide):
    """The document history cannot be reached."""


class TriggerSuspended(CannotDecide):
    """
    The trigger's resolver failed for a while, or did before and no one resumed the trigger.

    Args:
        trigger_id: the trigger.
        because: the resolver's error.
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


# Reading the history, with a history that is unavailable distinguished from a defect of the console.


@contextmanager
def asking_history() -> Iterator[None]:
    """
    Ask the history, within a savepoint where a transaction is open, so that it can continue after a failure.

    Raises:
        HistoryUnavailable: the database cannot be reached, is too slow, is read-only, or its table is gone.
    """
    try:
        with transaction.atomic() if connection.in_atomic_block else nullcontext():
            yield
    except (DataError, IntegrityError):
        raise  # a defect of the console: the history was reached
    except (DatabaseError, InterfaceError) as error:
        _drop_if_broken()
        raise HistoryUnavailable(
            "The document history is unavailable. Do not process the document; check again."
        ) from error


def _drop_if_broken() -> None:
    """Let the next question have a new connection: after a restart of the database this one is of no use."""
    if not connection.in_atomic_block and not connection.is_usable():
        connection.close()
