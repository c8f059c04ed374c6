"""
How a message's identifier is spelled where it is stored.

The console stores lower case. Another writer of the tables may store upper case, or an identifier that is not
a UUID; two that differ in case alone are two messages. The spelling that was given wins, then lower case.
"""

from messages_app.message_store.identifiers import LENGTH, read_identifier
from messages_app.message_store.models import MessageLine


def stored_identifier(text: str) -> str | None:
    """
    Return an identifier as the tables have it; where they have none, as the console would store it.

    None: it is not an identifier, and no message has it.
    """
    if not 0 < len(text) <= LENGTH or not text.isprintable():
        return None
    canonical = read_identifier(text)
    possible = [text, canonical, canonical.upper()] if canonical else [text]
    rows = MessageLine.objects.filter(message_identifier__in=possible)
    found = set(rows.values_list("message_identifier", flat=True))
    return next((one for one in possible if one in found), canonical)
