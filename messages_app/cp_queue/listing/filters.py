"""What the lists of the room may be narrowed by. Source: spec/other-systems.md 3.9."""

from dataclasses import replace

from messages_app.cp_queue.states import MAX_INT, MAX_NAME, Outcome, State
from messages_app.web.filters.table import Filter, table, text_filter, time_range
from messages_app.web.filters.values import InvalidValue, parse_choice, parse_id


def _parse_osid(text: str, one: Filter) -> int:
    number = parse_id(text, one)
    if number > one.most:
        raise InvalidValue("out_of_range", f"{one.name} must be from 0 to {one.most}.")
    return number


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
        name="outcome",
        lookup="outcome",
        parse=parse_choice,
        choices=tuple(Outcome),
        description="deferred, parked: it was a RETRY.",
    ),
    *time_range("at"),
)
