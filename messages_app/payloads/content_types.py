"""The type of a stored text, guessed from its first characters because the hub does not store it."""

from messages_app.payloads.segments import format_of
from messages_app.shared.markup import guess_markup

TEXT = "text/plain"


def guess_type(text: str) -> str:
    """Return the content type that the beginning of a text suggests."""
    if markup := guess_markup(text):
        return markup
    text_format = format_of(text)
    return text_format.content_type if text_format else TEXT
