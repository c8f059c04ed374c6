"""
Finds the stored spelling of a message's GUID.

The console writes upper case. Other writers of the table may use lower case, and the spelling is part of the
key: two rows that differ only in case are two messages. A caller may use any case. The given spelling wins,
even if that message is gone, because a dispatch that is sent twice must not end another message. Otherwise
the only other spelling is used; if there are two, the caller must choose. Source:
docs/contributing/spec/cp_queue.md, "Spelling of GUIDs".
"""

from django.db.models import QuerySet

from messages_app.core.filters.address import is_storable
from messages_app.cp_queue import parameters
from messages_app.cp_queue.errors import MessageNotFound
from messages_app.cp_queue.models import CpDispatch, CpMessage
from messages_app.cp_queue.parameters import InvalidParameter
from messages_app.cp_queue.states import MAX_GUID


def guid_in_queue(text: str) -> str:
    """
    Return the GUID of a message in the queue as its row has it.

    Raises:
        InvalidParameter: it is not a GUID and no message has it, or it matches two messages in different
            spellings.
        MessageNotFound: the queue has no such message.
    """
    guid = known_guid(text)
    if guid is None or not _select_queued([guid]).exists():
        raise MessageNotFound(guid or text)
    return guid


def known_guid(text: str) -> str | None:
    """
    Return a message's GUID as the queue has it, else as the log of dispatches has it, else None.

    Raises:
        InvalidParameter: as guid_in_queue.
    """
    exact, *others = spellings_of_guid(text)
    if _select_queued([exact]).exists() or _select_dispatched([exact]).exists():
        return exact
    if spellings := set(_select_queued(others)) or set(_select_dispatched(others)):
        return _only_match(spellings)
    parameters.message_guid(text)
    return None


def spellings_of_guid(text: str) -> list[str]:
    """
    Return the spellings under which a GUID may be stored, the given one first.

    Other writers can store any text of this length, even an empty one.

    Raises:
        InvalidParameter: no row can have it.
    """
    if len(text) > MAX_GUID or "\0" in text or not is_storable(text):
        parameters.message_guid(text)
    return list(dict.fromkeys((text, text.upper(), text.lower())))


def _select_queued(guids: list[str]) -> QuerySet:
    return CpMessage.objects.filter(pk__in=guids).values_list("pk", flat=True)


def _select_dispatched(guids: list[str]) -> QuerySet:
    return CpDispatch.objects.filter(messageguid__in=guids).values_list("messageguid", flat=True)


def _only_match(spellings: set[str]) -> str:
    if len(spellings) > 1:
        text = f"MessageGUID matches two messages, {' and '.join(sorted(spellings))}. Use the exact spelling."
        raise InvalidParameter("MessageGUID", "ambiguous", text)
    return spellings.pop()
