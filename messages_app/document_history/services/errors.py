"""Errors of the document history's services."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TypeVar

from django.db import DatabaseError, DataError, IntegrityError, InterfaceError, connection, transaction

from messages_app.core.problems import InvalidField

Answer = TypeVar("Answer")


class TriggerNotFound(Exception):
    """No trigger has this id."""

    def __init__(self, trigger_id: str) -> None:
        super().__init__(f"No trigger has the id {trigger_id!r}.")


class CannotDecide(Exception):
    """
    No verdict: the caller must neither run its service nor acknowledge the document, but ask again.

    Source: docs/contributing/spec/document_history.md, "History not available" (the trigger is suspended, the
    document returns to its provider).
    """


class HistoryUnavailable(CannotDecide):
    """The document history cannot be reached."""


class TriggerSuspended(CannotDecide):
    """
    The trigger is suspended because its resolver failed temporarily, now or before.

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
    """The token is invalid, or no longer the one that can complete the document."""


class DocumentConflict(Exception):
    """
    Nothing was changed, because the row is in another state.

    Args:
        current_state: the state of the row.
    """

    def __init__(self, text: str, *, current_state: str) -> None:
        super().__init__(text)
        self.current_state = current_state


class ContentConflict(Exception):
    """
    The history has this UUID with another content, which would be lost if it were treated as a Duplicate.
    """


class InDoubtNotFound(Exception):
    """No document in doubt has this id."""

    def __init__(self, in_doubt_id: int) -> None:
        super().__init__(f"No document in doubt has the id {in_doubt_id}.")


class InvalidTrigger(InvalidField):
    """A property of a trigger has an invalid value."""


@contextmanager
def asking_history() -> Iterator[None]:
    """
    Query the history, in a savepoint if a transaction is open, so that it can continue after a failure.

    Raises:
        HistoryUnavailable: the database cannot be reached, is too slow, is read-only, or its table is
            missing.
    """
    try:
        with transaction.atomic() if connection.in_atomic_block else nullcontext():
            yield
    except (DataError, IntegrityError):
        raise  # A defect of the console, because the history was reached.
    except (DatabaseError, InterfaceError) as error:
        _drop_if_broken()
        raise HistoryUnavailable(
            "The document history is unavailable. Do not process the document; check again."
        ) from error


def _drop_if_broken() -> None:
    """
    Close a broken connection, so that the next query opens a new one, for example after a restart of the
    database.
    """
    if not connection.in_atomic_block and not connection.is_usable():
        connection.close()


def answer_each(
    places: Iterable[int], act: Callable[[int], Answer], refusals: tuple[type[Exception], ...]
) -> dict[int, Answer | Exception]:
    """
    Act at each place, and return the answers, or instead of one its refusal.

    Without a history, all further places have that error, because each would wait for the history again.
    """
    answers: dict[int, Answer | Exception] = {}
    lost: HistoryUnavailable | None = None
    for place in places:
        try:
            answers[place] = lost or act(place)
        except HistoryUnavailable as error:
            answers[place] = lost = error
        except refusals as error:
            answers[place] = error
    return answers
