"""The shared parts of the pages of messages."""

from collections.abc import Callable
from typing import TypeVar

from django.http import Http404

from messages_app.core.store_pages import StorePages
from messages_app.messages.tables import MessageNotFound

T = TypeVar("T")

PAGES = StorePages(folder="messages")


def read_or_404(read: Callable[[int], T], msg_id: int) -> T:
    """
    Call `read` with the id of a message.

    Raises:
        Http404: no message has this id.
    """
    try:
        return read(msg_id)
    except MessageNotFound as error:
        raise no_message(msg_id) from error


def no_message(msg_id: int) -> Http404:
    """Return the 404 for an id that no message has."""
    return Http404(f"No message {msg_id}, neither live nor archived.")
