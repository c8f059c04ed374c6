"""The log of dispatches as a list, newest first."""

from dataclasses import replace

from messages_app.core.filters.table import (
    Filter,
    Values,
    filters_by_name,
    make_lookups,
    text_filter,
    time_range,
    write_values,
)
from messages_app.core.filters.values import InvalidValue, parse_choice, parse_id
from messages_app.core.pagination.keyset import Branch, Order
from messages_app.core.pagination.paginator import DEFAULT_PAGE_SIZE, Page, fetch_page
from messages_app.cp_queue.guids import spellings_of_guid
from messages_app.cp_queue.models import CpDispatch
from messages_app.cp_queue.parameters import InvalidParameter, message_guid
from messages_app.cp_queue.states import MAX_GUID, MAX_INT, MAX_NAME, MIN_INT, Outcome, State


# Filters of the lists. Source: docs/contributing/spec/cp_queue.md, "Console".
def _parse_osid(text: str, one: Filter) -> int:
    number = parse_id(text, one)
    if not MIN_INT <= number <= MAX_INT:
        raise InvalidValue("out_of_range", f"{one.name} must be from {MIN_INT} to {MAX_INT}.")
    return number


def _parse_guid(text: str, one: Filter) -> str:
    try:
        return message_guid(text, field=one.name)
    except InvalidParameter as error:
        raise InvalidValue(error.code, str(error)) from None


_OSID = Filter(
    name="osid",
    lookup="osid",
    parse=_parse_osid,
    least=MIN_INT,
    most=MAX_INT,
    description="The object.",
)
_QUEUE = text_filter("queuename", MAX_NAME, lookup="")

MESSAGES = filters_by_name(
    _QUEUE,
    text_filter("lock_service", MAX_NAME, lookup=""),
    _OSID,
    Filter(
        name="state",
        lookup="",
        parse=parse_choice,
        choices=tuple(State),
        description="free: can be picked up now; deferred, parked: free but waiting after a retry.",
    ),
    *time_range("created"),
)
DISPATCHES = filters_by_name(
    _QUEUE,
    text_filter("service", MAX_NAME, lookup=""),
    replace(_OSID, lookup=""),
    Filter(
        name="messageguid",
        lookup="",
        parse=_parse_guid,
        max_length=MAX_GUID,
        description="GUID of the message; not case-sensitive.",
    ),
    Filter(
        name="outcome",
        lookup="outcome",
        parse=parse_choice,
        choices=tuple(Outcome),
        description="deferred, parked: dispatched with RETRY.",
    ),
    *time_range("at"),
)


_NEWEST_FIRST = Order(column="dispatch_id", key="dispatch_id", descending=True)
# The log is read by the index of the first of these that is given.
_CONSTANTS = ("osid", "service", "queuename")


def constants_of(values: Values) -> tuple[str | None, list[str]]:
    """Return the filter whose index is read, None if no index fits, and the other filters."""
    names = [name for name in _CONSTANTS if name in values]
    return (names[0] if names else None), names[1:]


def dispatch_page(
    *, values: Values, cursor: str | None = None, page_size: int = DEFAULT_PAGE_SIZE
) -> Page[CpDispatch]:
    """
    Return one page of the log.

    Args:
        values: of selectors/log.py DISPATCHES.

    Raises:
        Problem: 400, the cursor is of another list.
    """
    branch = _select_of_message(values) if "messageguid" in values else _of_filters(values)
    scope = str(write_values(DISPATCHES, values))
    return fetch_page([branch], order=_NEWEST_FIRST, cursor=cursor, page_size=page_size, scope=scope)


def _of_filters(values: Values) -> Branch[CpDispatch]:
    constant, others = constants_of(values)
    plain = make_lookups(DISPATCHES, values) | {name: values[name] for name in others}
    rows = CpDispatch.objects.filter(**plain)
    return Branch(
        rows=rows,
        constant=(constant, values[constant]) if constant else None,
        # Few rows may meet the other conditions.
        scan=CpDispatch.objects.all() if plain else None,
    )


def _select_of_message(values: Values) -> Branch[CpDispatch]:
    """Return the dispatches of one message: a few, which the index of the GUID finds."""
    equal = {name: values[name] for name in _CONSTANTS if name in values}
    rows = CpDispatch.objects.filter(
        messageguid__in=spellings_of_guid(values["messageguid"]), **make_lookups(DISPATCHES, values), **equal
    )
    return Branch(rows=rows, is_few=True)
