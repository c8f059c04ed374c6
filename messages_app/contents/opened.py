"""A content as its reader may see it: what is known of it, and where it is read from."""

from dataclasses import dataclass

from messages_app.contents.payloads import CHECKED_BYTES, PayloadView, payload_view
from messages_app.contents.stored import BEGINNING_CHARS, Beginning, HeldText, Source


@dataclass(frozen=True)
class Opened:
    """What is known of a content, and where it is read from, which never gives what is masked."""

    view: PayloadView
    source: Source


def opened(beginning: Beginning, source: Source, *, masked: bool) -> Opened:
    """
    Return a content as a reader sees it, who may read all of it or, when `masked`, its structure only.

    Args:
        beginning, source: its beginning, and the whole of it.
    """
    view = payload_view(beginning.text, masked=masked, stored_bytes=beginning.stored_bytes)
    if view.masked or view.bytes <= CHECKED_BYTES:
        return Opened(view, HeldText((view.content or "").encode()))
    return Opened(view, source)


def held(text: str | None) -> tuple[Beginning, Source]:
    """Return the beginning and the whole of a text that is in memory; None where nothing is stored."""
    body = (text or "").encode()
    is_whole = len(body) <= CHECKED_BYTES
    beginning = text if is_whole or text is None else text[:BEGINNING_CHARS]
    return Beginning(beginning, None if text is None else len(body)), HeldText(body)
