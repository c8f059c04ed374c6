"""From an id that someone pasted to the message of the store that has it."""

from collections.abc import Iterator

from django.urls import reverse

from messages_app.core.pages import Hit, Kind
from messages_app.message_store.selectors import message_of
from messages_app.message_store.spellings import stored_identifier
from messages_app.shared.store_states import name_of


def look_up(text: str) -> Iterator[Kind]:
    """Yield the message whose identifier the text is, in any case of letters; also what is left of one."""
    key = stored_identifier(text)
    message = message_of(key) if key else None
    if message is None:
        return
    line = message.line
    names = f"{line.source_entity or 'message'} of {line.source_system or 'no system'}"
    status = "history alone" if line.status is None else f"{line.status} {name_of(line.status)}"
    hit = Hit(url=reverse("store-message", args=[key]), name=key, about=f"{names} · {status}")
    yield Kind(title="Message store identifier", hits=[hit])
