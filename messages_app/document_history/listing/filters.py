"""What the lists of the room may be narrowed by. Source: spec/other-systems.md 1.14."""

from messages_app.document_history.models import MAX_TRIGGER_ID
from messages_app.document_history.states import MAX_UUID, InDoubtState, Pair, Verdict
from messages_app.web.filters.table import Filter, table, text_filter, time_range
from messages_app.web.filters.values import parse_choice, parse_flag

_TRIGGER = text_filter("trigger_id", MAX_TRIGGER_ID, lookup="")

ENTRIES = table(
    _TRIGGER,
    text_filter("uuid", MAX_UUID, lookup="document_uuid"),
    text_filter("uuid_prefix", MAX_UUID, lookup="document_uuid__startswith"),
    Filter(
        name="state",
        lookup="",
        parse=parse_choice,
        choices=tuple(Pair),
        description="processing: undetermined, it may run or have died; both; completed: alone.",
    ),
    Filter(name="expired", lookup="", parse=parse_flag, description="true: waits for the sweeper."),
    *time_range("time"),
)
IN_DOUBT = table(
    _TRIGGER,
    Filter(
        name="state",
        lookup="state",
        parse=parse_choice,
        choices=tuple(InDoubtState),
        description="open: the inbox.",
    ),
)
STATISTICS = table(
    _TRIGGER,
    Filter(
        name="status",
        lookup="status",
        parse=parse_choice,
        choices=(Verdict.DUPLICATE, Verdict.IN_DOUBT),
        description="Deliveries that were New are not listed.",
    ),
    *time_range("at"),
)
