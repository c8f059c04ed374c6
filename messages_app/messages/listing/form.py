"""
The filter form of the message list: its fields as the page shows them, with what is wrong beside each.

The address is the form's only memory, so what the browser adds to it (empty fields, times without a zone)
is tidied away first.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.http import QueryDict
from django.utils import timezone

from messages_app.messages.listing.filters import ARCHIVED, CONTENT, STATE, TIME_COLUMNS
from messages_app.messages.states import STATE_MEANINGS, MessageState
from messages_app.web.problems import FieldError

TIMES = frozenset(f"{column}_{end}" for column in TIME_COLUMNS for end in ("from", "to"))
# What people type: a day or a time without a zone, meant in the console's. Always on 24 hours, which a
# browser's own field for times is not.
_NAIVE_TIME = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?", re.ASCII)

_ZONE = "UTC"
_TIME_HINT = "YYYY-MM-DD hh:mm"
_MAIN = (
    ("service_name", "Service"),
    ("source_system", "Source system"),
    ("receive_timestamp_from", f"Received from ({_ZONE})"),
    ("receive_timestamp_to", f"Received to ({_ZONE})"),
    ("correlation_id", "Correlation id"),
    ("failed_error_code", "Error code"),
)
_MORE = (
    ("operation_name", "Operation"),
    ("process_id", "Process id"),
    ("object_id", "Object id"),
    ("entity_type", "Entity type"),
    ("parent_msg_id", "Children of message id"),
    ("funnel_value", "Funnel value"),
    ("funnel_component_id", "Funnel component id"),
    ("msg_timestamp_from", f"Sent from ({_ZONE})"),
    ("msg_timestamp_to", f"Sent to ({_ZONE})"),
    ("last_process_timestamp_from", f"Last processed from ({_ZONE})"),
    ("last_process_timestamp_to", f"Last processed to ({_ZONE})"),
    (CONTENT, "Payload contains (within 7 days)"),
)
LABELS = dict(_MAIN + _MORE) | {STATE: "State", ARCHIVED: "In the archive"}
_RECENT = (("15 min", timedelta(minutes=15)), ("1 h", timedelta(hours=1)), ("24 h", timedelta(days=1)))
_PAGING = ("cursor",)


@dataclass(frozen=True, kw_only=True)
class Field:
    """One field: `hint` shows how to write a value; `error` what is wrong with this one, if anything is."""

    name: str
    label: str
    value: str
    hint: str
    error: str


@dataclass(frozen=True, kw_only=True)
class Link:
    """A link that changes one part of the filter and keeps the rest."""

    text: str
    query: str
    is_on: bool = False
    title: str = ""


class FilterForm:
    """
    The form for one address.

    Args:
        params: its parameters, tidied.
        allowed: the names of the filters that the reader may use.
        errors: what is wrong with them.
    """

    def __init__(
        self, params: QueryDict, *, allowed: Collection[str], errors: Collection[FieldError] = ()
    ) -> None:
        self._params = params
        self._allowed = allowed
        self._errors = {error.field: error for error in errors}

    @property
    def main(self) -> list[Field]:
        return list(self._fields(_MAIN))

    @property
    def more(self) -> list[Field]:
        return list(self._fields(_MORE))

    @property
    def is_more_open(self) -> bool:
        return any(field.value for field in self.more) or any(field.error for field in self.main + self.more)

    @property
    def other_errors(self) -> list[str]:
        """What is wrong with parameters that have no field here."""
        shown = {name for name, _ in _MAIN + _MORE}
        return [error.message for name, error in self._errors.items() if name not in shown]

    @property
    def kept(self) -> list[tuple[str, str]]:
        """(name, value) of parameters that have no field, for the form to carry on."""
        names = (STATE, ARCHIVED, "ordering", "page_size")
        return [(name, value) for name in names for value in self._params.getlist(name)]

    @property
    def states(self) -> list[Link]:
        """One link a state, which puts it into the filter or takes it out."""
        chosen = [part for value in self._params.getlist(STATE) for part in value.split(",")]
        return [self._state(state, chosen) for state in MessageState]

    @property
    def recent(self) -> list[Link]:
        now = timezone.now().replace(microsecond=0)
        return [
            Link(
                text=text,
                query=self.query(receive_timestamp_from=_address(now - span), receive_timestamp_to=None),
            )
            for text, span in _RECENT
        ]

    @property
    def places(self) -> list[Link]:
        archived = self._params.get(ARCHIVED) == "true"
        return [
            Link(text="Live", query=self.query(archived=None), is_on=not archived),
            Link(text="Archive", query=self.query(archived="true"), is_on=archived),
        ]

    @property
    def in_archive(self) -> str:
        return self.query(archived="true")

    def chips(self, words: Collection[tuple[str, str]]) -> list[Link]:
        """Return, for each filter in force, what it says and the link that takes it away."""
        return [
            Link(text=f"{LABELS[name]}: {_shown(name, value)}", query=self.query(**{name: None}), title=name)
            for name, value in words
            if name not in {STATE, ARCHIVED}
        ]

    def query(self, **changes: str | None) -> str:
        """Return the query string with some parameters set, or left out where None; first page."""
        params = self._params.copy()
        for name in (*_PAGING, *changes):
            params.pop(name, None)
        for name, value in changes.items():
            if value is not None:
                params[name] = value
        return f"?{params.urlencode(safe=':,')}"

    def page_query(self, cursor: str | None) -> str | None:
        """Return the query string of a neighbouring page, None where there is none."""
        if cursor is None:
            return None
        params = self._params.copy()
        params["cursor"] = cursor
        return f"?{params.urlencode(safe=':,')}"

    def _fields(self, names: tuple[tuple[str, str], ...]) -> Iterator[Field]:
        for name, label in names:
            if name in self._allowed:
                yield self._field(name, label)

    def _field(self, name: str, label: str) -> Field:
        value, hint = self._params.get(name, ""), ""
        if name in TIMES:
            value, hint = _shown(name, value), _TIME_HINT
        return Field(name=name, label=label, value=value, hint=hint, error=self._error(name))

    def _error(self, name: str) -> str:
        return _plain(self._errors[name]) if name in self._errors else ""

    def _state(self, state: MessageState, chosen: list[str]) -> Link:
        is_on = state in chosen
        others = [code for code in chosen if code != state] if is_on else [*chosen, state]
        return Link(
            text=state,
            query=self.query(state=",".join(others) or None),
            is_on=is_on,
            title=STATE_MEANINGS[state],
        )


def _plain(error: FieldError) -> str:
    """Return what is wrong in the words of the fields' labels."""
    text = error.message.removeprefix(f"{error.field} ")
    for name, label in LABELS.items():
        text = text.replace(name, label) if name in TIMES else text
    return text[:1].upper() + text[1:]


def tidied(params: QueryDict) -> QueryDict:
    """Return `params` without empty ones, times given their zone, several states as one list."""
    tidy = QueryDict(mutable=True)
    for name, values in params.lists():
        for value in values:
            if value.strip():
                tidy.appendlist(name, _with_zone(name, value.strip()))
    if len(tidy.getlist(STATE)) > 1:
        tidy[STATE] = ",".join(tidy.getlist(STATE))
    return tidy


def _with_zone(name: str, value: str) -> str:
    if name not in TIMES or not _NAIVE_TIME.fullmatch(value):
        return value
    day, _, hour = value.replace(" ", "T").partition("T")
    return f"{day}T{hour or '00:00'}Z"


def _shown(name: str, value: str) -> str:
    """Return a value as people write it: a time in the console's zone; what is no time stays as it is."""
    if name not in TIMES or not value.endswith("Z") or not _NAIVE_TIME.fullmatch(value[:-1]):
        return value
    return value[:-1].replace("T", " ")


def _address(moment: datetime) -> str:
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="seconds") + "Z"
