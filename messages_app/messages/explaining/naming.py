"""How explanations name messages."""

from collections.abc import Sequence

from messages_app.web.words import listed


def messages(ids: Sequence[int]) -> str:
    """Write message 7, or messages 7 and 8."""
    return f"{'message' if len(ids) == 1 else 'messages'} {listed(ids)}"
