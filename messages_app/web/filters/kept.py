"""A filter as JSON has it, by the names of a list's table of filters, and as a query string has it."""

from collections.abc import Mapping

from django.http import QueryDict


def as_query(filter: Mapping[str, object]) -> QueryDict:
    """Return a filter of texts, numbers, truths and lists of texts as a list's address has it."""
    query = QueryDict(mutable=True)
    for name, value in filter.items():
        values = value if isinstance(value, list) else [value]
        query.setlist(name, [_as_text(each) for each in values])
    return query


def _as_text(value: str | bool | int) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def is_storable(text: str) -> bool:
    """Whether the database can hold the text, but for NUL, which is told apart."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
