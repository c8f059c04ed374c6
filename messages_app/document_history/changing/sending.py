"""Sending the room's statements, and telling a history that cannot be reached from a defect of ours."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from django.db import DatabaseError, DataError, IntegrityError, InterfaceError, connection, transaction

from messages_app.document_history.changing.refusals import HistoryUnavailable
from messages_app.document_history.sql import statement
from messages_app.sending import Sender

_sender = Sender(statement)
row_of, rows_of, count_of = _sender.row_of, _sender.rows_of, _sender.count_of


@contextmanager
def asking_history() -> Iterator[None]:
    """
    Ask the history, within a savepoint where a transaction is open, so that it can go on after a failure.

    Raises:
        HistoryUnavailable: the database cannot be reached, is too slow, is read-only, or its table is gone.
    """
    try:
        with transaction.atomic() if connection.in_atomic_block else nullcontext():
            yield
    except (DataError, IntegrityError):
        raise  # a defect of ours, and no question of being reached
    except (DatabaseError, InterfaceError) as error:
        _drop_if_broken()
        raise HistoryUnavailable(
            "The document history cannot be reached. Do not process; ask again."
        ) from error


def _drop_if_broken() -> None:
    """Let the next question have a new connection: after a restart of the database this one is of no use."""
    if not connection.in_atomic_block and not connection.is_usable():
        connection.close()
