"""Finds one message by its id, live or archived. Source: docs/archive.md, "Archive to Parquet"."""

from collections.abc import Callable, Sequence
from typing import Any

from django.db.models import QuerySet

from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.models import ArchiveMessage, Message
from messages_app.messages.parquet_archive.reader import cold_message, fill


class MessageNotFound(Exception):
    """Neither the live table nor the archive has a message with this id."""


def locate(
    msg_id: int,
    narrow: Callable[[QuerySet[Any]], QuerySet[Any]],
    *,
    from_file: Sequence[str] = (),
    in_file: Callable[[int], ArchiveMessage | None] = cold_message,
) -> tuple[MessageColumns, bool]:
    """
    Find a message in the live table, in the archive's table, or in its Parquet files.

    Nothing else looks one message up by its id, so every caller knows all places and the order to look in.

    Args:
        narrow: chooses the columns to read from a table.
        from_file: the wide columns to read from a file.
        in_file: finds a message in the Parquet files.

    Returns:
        The message, and whether it is archived.

    Raises:
        MessageNotFound: no table and no file has the id.
        ArchiveUnreadable: the file of the archive that it is in is missing or damaged.
    """
    # The live table again at the end, because a restore may move the message between two queries.
    for model in (Message, ArchiveMessage):
        row = narrow(model.objects.filter(pk=msg_id)).first()
        if row is not None:
            return row, model is ArchiveMessage
    cold = in_file(msg_id)
    if cold is not None:
        fill(cold, from_file)
        return cold, True
    row = narrow(Message.objects.filter(pk=msg_id)).first()
    if row is None:
        raise MessageNotFound(f"No message has the id {msg_id}.")
    return row, False
