"""From an id that someone pasted to the CP message that has it, or had it."""

from collections.abc import Iterator

from django.urls import reverse

from messages_app.core.pages import Hit, Kind
from messages_app.cp_queue import selectors
from messages_app.cp_queue.errors import InvalidParameter
from messages_app.cp_queue.guids import known_guid


def look_up(text: str) -> Iterator[Kind]:
    """Yield the message whose GUID the text is, in upper or lower case; else its last dispatch."""
    try:
        guid = known_guid(text)
    except InvalidParameter:
        return
    if guid is None:
        return
    message = selectors.find_message(guid)
    gone = None if message else next(iter(selectors.dispatches_of(guid)), None)
    if found := message or gone:
        about = f"{found.queuename} · object {found.osid}" + (" · no longer in the queue" if gone else "")
        hit = Hit(url=reverse("cp-message", args=[guid]), name=guid, about=about)
        yield Kind(title="CP message", hits=[hit])
