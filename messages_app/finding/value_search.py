"""The search for values of messages that lists filter: services, operations, source systems, error codes."""

from collections.abc import Iterator
from urllib.parse import urlencode

from django.urls import reverse

from messages_app.core.search_results import Hit, Kind
from messages_app.messages.filters.vocabulary import LABELS, known_values

MIN_TEXT, MAX_VALUES = 2, 4


# The columns that are searched, in the order of the results.
_COLUMNS = ("service_name", "operation_name", "source_system", "failed_error_code")


def find_values(text: str) -> Iterator[Kind]:
    """Yield the values of live messages that contain the text, each as a link to the list of its messages."""
    if len(text) < MIN_TEXT or "\0" in text:
        return
    for column in _COLUMNS:
        values = known_values(column, containing=text, limit=MAX_VALUES + 1)
        hits = [
            Hit(url=f"{reverse('message-list')}?{urlencode({column: value})}", name=value, about="messages")
            for value in values[:MAX_VALUES]
        ]
        if hits:
            yield Kind(
                title=LABELS[column], name=column, hits=hits, more=len(values) > MAX_VALUES, order="first"
            )
