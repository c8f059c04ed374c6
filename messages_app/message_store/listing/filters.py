"""What the list of the message store may be narrowed by. Source: spec/other-systems.md 2.9."""

from messages_app.message_store.identifying import LENGTH
from messages_app.message_store.models import MAX_ERROR, MAX_KEY, MAX_NAME
from messages_app.message_store.states import NAMES
from messages_app.web.filters.table import Filter, table, text_filter, time_range
from messages_app.web.filters.values import InvalidValue, parse_flag, parse_text
from messages_app.web.problems import shown


def _parse_status(text: str, one: Filter) -> str:
    """Return a status as its digits; codes that nobody has named are statuses too."""
    if not (text.isascii() and text.isdigit() and len(text) <= 6):
        raise InvalidValue("invalid_value", f"{one.name} must be a status such as 10, not {shown(text)}.")
    return str(int(text))


_CODES = "; ".join(f"{int(status)} {name}" for status, name in NAMES.items())

MESSAGES = table(
    Filter(
        name="status",
        lookup="",
        parse=_parse_status,
        most=999_999,
        repeatable=True,
        description=f"Any of several: {_CODES}. Others are shown as they are.",
    ),
    text_filter("source_system", MAX_NAME, lookup=""),
    text_filter("source_entity", MAX_NAME, lookup=""),
    text_filter("message_identifier", LENGTH),
    text_filter("user_name", MAX_NAME, lookup=""),
    Filter(name="refresh", lookup="", parse=parse_flag, description="true: replaces all data of its entity."),
    text_filter("missing_entity", MAX_NAME, lookup=""),
    Filter(
        name="missing_key",
        lookup="",
        parse=parse_text,
        max_length=MAX_KEY,
        description="The key of the record that is missing: its value, or the JSON array of its values.",
    ),
    text_filter("error_contains", MAX_ERROR, lookup=""),
    *time_range("message_timestamp"),
    *time_range("effective_timestamp"),
    *time_range("processed_timestamp"),
    *time_range("next_attempt_timestamp"),
    Filter(name="orphaned", lookup="", parse=parse_flag, description="true: a part of it is missing."),
    Filter(
        name="muted",
        lookup="",
        parse=parse_flag,
        description="true: an operator lets it be as it is. A job leaves those unless its filter says true.",
    ),
)
# Those that the kept counts know.
COUNTED = frozenset({"status", "source_system", "source_entity"})
