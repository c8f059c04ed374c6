"""A content as its reader may see it: what is known of it, and where it is read from."""

from dataclasses import dataclass

from rest_framework import serializers

from messages_app.payloads.loader import BEGINNING_CHARS, Beginning, HeldText, Source
from messages_app.payloads.payloads import CHECKED_BYTES, PayloadView, payload_view


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


# What the API says of a content. Source: docs/spec/interfaces.md, "Messages".


WHY_MASKED = "Values are masked: the permission view_payload is missing or, in a session, a reason."


class ContentSerializer(serializers.Serializer):
    content = serializers.CharField(allow_null=True, help_text="null: nothing stored, or completely hidden.")
    content_type = serializers.CharField(allow_null=True)
    bytes = serializers.IntegerField(help_text="Size of the stored text in UTF-8 bytes.")
    masked = serializers.BooleanField(help_text=WHY_MASKED)
