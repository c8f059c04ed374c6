"""From an id that somebody pasted to the CP message that has it, or had it."""

from collections.abc import Iterator

from django.urls import reverse

from messages_app.cp_queue import queries
from messages_app.cp_queue.changing.refusals import InvalidParameter
from messages_app.cp_queue.spellings import known_guid
from messages_app.web.found import Hit, Kind


def look_up(text: str) -> Iterator[Kind]:
    """Yield the message whose GUID the text is, in upper or lower case; else its last dispatch."""
    try:
        guid = known_guid(text)
    except InvalidParameter:
        return
    if guid is None:
        return
    message = queries.find_message(guid)
    gone = None if message else next(iter(queries.dispatches_of(guid)), None)
    if found := message or gone:
        about = f"{found.queuename} · object {found.osid}" + (" · no longer in the queue" if gone else "")
        hit = Hit(url=reverse("cp-message", args=[guid]), name=guid, about=about)
        yield Kind(title="CP message", hits=[hit])
