"""
The filters of the message list: one table, read by the API, the pages and the commands.

Source: spec/interfaces.md 5; the bad values each refuses: reliability 4.4.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from urllib.parse import urlencode

from django.http import QueryDict

from messages_app.access import roles
from messages_app.messages.listing.filter_values import (
    InvalidValue,
    parse_flag,
    parse_id,
    parse_state,
    parse_text,
    parse_time,
)
from messages_app.web import paging
from messages_app.web.parameters import name_errors, value_error
from messages_app.web.problems import FieldError, bad_input

MAX_CONTENT_RANGE = timedelta(days=7)


@dataclass(frozen=True, kw_only=True)
class Filter:
    """
    One filter of the list.

    Args:
        name: as the address names it.
        lookup: the ORM lookup it means; empty where queries.py gives it a form of its own.
        parse: turns the text into a value, or raises InvalidValue.
        max_length: characters, for texts.
        repeatable: takes several values, repeated or with commas.
    """

    name: str
    lookup: str
    parse: Callable[[str, "Filter"], object]
    max_length: int = 0
    repeatable: bool = False


def _text(name: str, max_length: int, lookup: str | None = None) -> Filter:
    return Filter(
        name=name, lookup=name if lookup is None else lookup, parse=parse_text, max_length=max_length
    )


def _range(column: str) -> tuple[Filter, Filter]:
    return (
        Filter(name=f"{column}_from", lookup=f"{column}__gte", parse=parse_time),
        Filter(name=f"{column}_to", lookup=f"{column}__lte", parse=parse_time),
    )


STATE, FUNNEL_VALUE, CONTENT, ARCHIVED = "state", "funnel_value", "payload_contains", "archived"
TIME_COLUMNS = ("msg_timestamp", "receive_timestamp", "last_process_timestamp")

FILTERS: Mapping[str, Filter] = {
    each.name: each
    for each in (
        Filter(name=STATE, lookup="", parse=parse_state, repeatable=True),
        _text("source_system", 15),
        _text("service_name", 30),
        _text("operation_name", 100),
        _text("correlation_id", 100),
        _text("process_id", 100),
        _text("object_id", 50),
        _text("entity_type", 30),
        _text(FUNNEL_VALUE, 50, lookup=""),
        _text("funnel_component_id", 50),
        _text("failed_error_code", 5),
        Filter(name="parent_msg_id", lookup="parent_msg_id", parse=parse_id),
        *(bound for column in TIME_COLUMNS for bound in _range(column)),
        _text(CONTENT, 200, lookup="payload__contains"),
        Filter(name=ARCHIVED, lookup="", parse=parse_flag),
    )
}


@dataclass(frozen=True)
class MessageFilter:
    """
    What a list of messages is narrowed to.

    Args:
        values: by the filter's name; a tuple of states for `state`, a datetime for a time, an int for an id.
    """

    values: Mapping[str, object] = field(default_factory=dict)

    @property
    def archived(self) -> bool:
        """Whether the archive is read instead of the live table."""
        return bool(self.values.get(ARCHIVED, False))

    @property
    def states(self) -> tuple[str, ...]:
        return self.values.get(STATE, ())

    @property
    def funnel_value(self) -> str | None:
        return self.values.get(FUNNEL_VALUE)

    @property
    def ranges(self) -> list[str]:
        """Return the time columns of which only a range is asked for."""
        return [column for column in TIME_COLUMNS if {f"{column}_from", f"{column}_to"} & set(self.values)]

    @property
    def is_empty(self) -> bool:
        """Whether every message of the table passes."""
        return not set(self.values) - {ARCHIVED}

    def lookups(self) -> dict[str, object]:
        """Return the ORM lookups of the filters that are plain ones."""
        plain = {name: value for name, value in self.values.items() if FILTERS[name].lookup}
        return {FILTERS[name].lookup: value for name, value in plain.items()}

    def words(self) -> list[tuple[str, str]]:
        """Return (name, value) of each filter, in the table's order, the value as the address has it."""
        return [(name, _as_text(self.values[name])) for name in FILTERS if name in self.values]

    def as_query(self) -> str:
        """Return the canonical query string: the same for every way of writing the same filter."""
        return urlencode(self.words())


def _as_text(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(value)
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def names_for(user: object | None) -> frozenset[str]:
    """
    Return the filters that `user` may use; None is the console itself.

    Who reads payloads masked may not learn them by searching either; for them the filter does not exist
    (reliability I-60).
    """
    if user is None or user.has_perm(roles.CAN_VIEW_PAYLOAD):
        return frozenset(FILTERS)
    return frozenset(FILTERS) - {CONTENT}


def parse(
    params: QueryDict, *, user: object | None, besides: Collection[str] = paging.PARAMETERS
) -> MessageFilter:
    """
    Return the filter that a query string means.

    Args:
        params: the parameters, as they came.
        user: who asks, None for the console itself.
        besides: parameters that are not filters, left for the caller to read.

    Raises:
        Problem: 400 with an entry for each parameter at fault.
    """
    known = names_for(user)
    repeatable = {name for name in known if FILTERS[name].repeatable}
    errors = name_errors(params, known | frozenset(besides), repeatable=repeatable)
    values: dict[str, object] = {}
    for name in sorted(known & set(params)):
        value, problem = _value(FILTERS[name], params.getlist(name))
        values[name] = value
        errors += [problem] if problem else []
    if not errors:
        errors = [*_range_errors(values), *_content_errors(values)]
    if errors:
        raise bad_input(errors)
    return MessageFilter({name: value for name, value in values.items() if value is not False})


def _value(one: Filter, texts: list[str]) -> tuple[object, FieldError | None]:
    """Return the value of one filter and None, or None and what is wrong with it."""
    if one.repeatable:
        texts = [part for text in texts for part in text.split(",")]
    problem = next(filter(None, (value_error(one.name, text) for text in texts)), None)
    if problem:
        return None, problem
    try:
        parsed = [one.parse(text, one) for text in texts]
    except InvalidValue as error:
        return None, FieldError(one.name, error.code, str(error))
    return (tuple(dict.fromkeys(parsed)) if one.repeatable else parsed[0]), None


def _range_errors(values: Mapping[str, object]) -> list[FieldError]:
    errors = []
    for column in TIME_COLUMNS:
        start, end = values.get(f"{column}_from"), values.get(f"{column}_to")
        if start and end and start > end:
            text = f"{column}_from is later than {column}_to."
            errors.append(FieldError(f"{column}_from", "invalid_value", text))
    return errors


def _content_errors(values: Mapping[str, object]) -> list[FieldError]:
    """Return why the payloads may not be searched: no index helps, so the time range bounds the work."""
    if CONTENT not in values:
        return []
    start, end = values.get("receive_timestamp_from"), values.get("receive_timestamp_to")
    if not start or not end:
        text = f"{CONTENT} needs receive_timestamp_from and receive_timestamp_to."
        return [FieldError(CONTENT, "required", text)]
    if end - start > MAX_CONTENT_RANGE:
        text = f"{CONTENT} searches at most {MAX_CONTENT_RANGE.days} days of receive_timestamp."
        return [FieldError(CONTENT, "out_of_range", text)]
    return []
