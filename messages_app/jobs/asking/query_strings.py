"""A job's filter from the query string of its store's list, as people paste it."""

from urllib.parse import unquote_to_bytes

from django.http import QueryDict

from messages_app.jobs.asking.refusals import InvalidJob
from messages_app.web.filters.kept import is_storable
from messages_app.web.problems import FieldError


def filter_of_query(text: str) -> dict[str, object]:
    """
    Return the filter that a query string means, with or without the question mark; it is checked elsewhere.

    Raises:
        InvalidJob: it is not percent-encoded UTF-8.
    """
    query = text.strip().removeprefix("?")
    if not is_storable(query) or not _is_utf8(query):
        raise InvalidJob([FieldError("filter", "invalid_encoding", "It must be percent-encoded UTF-8.")])
    values = QueryDict(query)
    return {name: found[0] if len(found) == 1 else found for name, found in values.lists()}


def _is_utf8(query: str) -> bool:
    try:
        unquote_to_bytes(query).decode()
    except UnicodeDecodeError:
        return False
    return True
