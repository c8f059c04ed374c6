"""What the lists of the room may be narrowed by. Source: spec/other-systems.md 3.9."""

from dataclasses import replace

from messages_app.cp_queue.parameters import InvalidParameter, message_guid
from messages_app.cp_queue.states import MAX_GUID, MAX_INT, MAX_NAME, Outcome, State
from messages_app.web.filters.table import Filter, table, text_filter, time_range
from messages_app.web.filters.values import InvalidValue, parse_choice, parse_id


def _parse_osid(text: str, one: Filter) -> int:
    number = parse_id(text, one)
    if number > one.most:
        raise InvalidValue("out_of_range", f"{one.name} must be from 0 to {one.most}.")
    return number


def _parse_guid(text: str, one: Filter) -> str:
    try:
        return message_guid(text, field=one.name)
    except InvalidParameter as error:
        raise InvalidValue(error.code, str(error)) from None


_OSID = Filter(name="osid", lookup="osid", parse=_parse_osid, most=MAX_INT, description="The object.")
_QUEUE = text_filter("queuename", MAX_NAME, lookup="")

MESSAGES = table(
    _QUEUE,
    text_filter("lock_service", MAX_NAME, lookup=""),
    _OSID,
    Filter(
        name="state",
        lookup="",
        parse=parse_choice,
        choices=tuple(State),
        description="free: could be picked up now; deferred, parked: free, and waits after a retry.",
    ),
    *time_range("created"),
)
DISPATCHES = table(
    _QUEUE,
    text_filter("service", MAX_NAME, lookup=""),
    replace(_OSID, lookup=""),
    Filter(
        name="messageguid",
        lookup="",
        parse=_parse_guid,
        max_length=MAX_GUID,
        description="The message; small letters mean the same.",
    ),
    Filter(
        name="outcome",
        lookup="outcome",
        parse=parse_choice,
        choices=tuple(Outcome),
        description="deferred, parked: it was a RETRY.",
    ),
    *time_range("at"),
)
