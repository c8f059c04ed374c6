"""
The work of the demo's services on a message: they read its object for about a second, and some fail.

For `python -m messages_app.cp_queue.worker --callable`. Does not import Django.
"""

import logging
import re
import threading
from http import HTTPStatus
from random import random

from messages_app.cp_queue.worker.client import Client, Message, Refused
from messages_app.cp_queue.worker.work import TryAgain

log = logging.getLogger("cp_queue.demo")

# One of this many objects has a page without a converter, and one has a font that is missing at first.
_NO_CONVERTER, _NO_FONT = 40, 55
# Of the latter, one of this many never gets its font, and is parked; the others get it at about each second
# attempt, so that a demo that runs for days does not collect parked messages.
_NEVER_FONT, _FONT_ARRIVES = 7, 0.5
_SECONDS = (0.3, 2.0)
_WORD = re.compile(r"\w+")


def index_object(message: Message, client: Client) -> str:
    """Index the words of an object; an unknown object has none in the index."""
    _work_on(message)
    log.info("object %d: %d words", message.object_id, len(words_of(message, client)))
    return "OK"


def words_of(message: Message, client: Client) -> list[str]:
    """Return the distinct words of a message's object, in lower case and in their order."""
    try:
        text = str(client.full_text(message)["Text"])
    except Refused as error:
        if error.status != HTTPStatus.NOT_FOUND:
            raise
        return []
    return list(dict.fromkeys(_WORD.findall(text.lower())))


def render_object(message: Message, client: Client) -> str:
    """Render an object, and report that its text has changed. Raises TryAgain: a font is missing for now."""
    _work_on(message)
    if message.object_id % _NO_CONVERTER == 0:
        return "FAILED: no converter for image/x-pcx"
    if not _has_fonts(message.object_id):
        raise TryAgain
    if _has_text(message, client):
        client.rendition_changed(message, "TEXT")
    return "OK"


def _has_fonts(object_id: int) -> bool:
    number, other_fonts = divmod(object_id, _NO_FONT)
    return bool(other_fonts or (number % _NEVER_FONT and random() < _FONT_ARRIVES))  # noqa: S311 (a demo)


def _has_text(message: Message, client: Client) -> bool:
    try:
        return bool(client.object_info(message)["HasVolltextFile"])
    except Refused as error:
        if error.status != HTTPStatus.NOT_FOUND:
            raise
        return False


def _work_on(message: Message) -> None:
    shortest, longest = _SECONDS
    share = int(message.guid[:4], 16) / 0xFFFF
    threading.Event().wait(shortest + share * (longest - shortest))
