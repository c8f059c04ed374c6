"""
The filter form of the message list: its fields as the page shows them, with what is wrong beside each, and
the links that change one part of the filter.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.http import QueryDict

from messages_app.messages.filtering.filter_values import ANYWHERE
from messages_app.messages.filtering.filters import ARCHIVED, CONTENT, FAMILY, STATE
from messages_app.messages.query_line import moments
from messages_app.messages.query_line.addresses import AT, has_relative_times, query_of
from messages_app.messages.query_line.vocabulary import ENDS, LABELS, TIMES
from messages_app.messages.states import STATE_MEANINGS, MessageState
from messages_app.web.problems import FieldError

_TIME_HINT = "-2h, today, a date"
_FIELDS = (
    "service_name",
    "operation_name",
    "source_system",
    "failed_error_code",
    "receive_timestamp_from",
    "receive_timestamp_to",
    "correlation_id",
    "process_id",
    "object_id",
    "entity_type",
    "funnel_value",
    "funnel_component_id",
    "parent_msg_id",
    "msg_timestamp_from",
    "msg_timestamp_to",
    "last_process_timestamp_from",
    "last_process_timestamp_to",
    CONTENT,
)
_RECENT = (("15 min", "-15m"), ("1 h", "-1h"), ("24 h", "-24h"), ("7 d", "-7d"))
_PLACES = (("Live", None), ("Archive", "true"), ("Both", ANYWHERE))
_FAMILIES = (("Roots only", "roots"), ("Families with a failure", "failed"))
_PAGE = ("cursor", AT)
_BESIDE = ("ordering", "page_size")


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
    def fields(self) -> list[Field]:
        return list(self._fields())

    @property
    def kept(self) -> list[tuple[str, str]]:
        """(name, value) of parameters that have no field, for the form to carry on."""
        names = (STATE, FAMILY, ARCHIVED, *_BESIDE)
        return [(name, value) for name in names for value in self._params.getlist(name)]

    @property
    def beside(self) -> list[tuple[str, str]]:
        """(name, value) of parameters that are no filters, for the query line to carry on."""
        return [(name, self._params[name]) for name in _BESIDE if name in self._params]

    @property
    def states(self) -> list[Link]:
        """One link a state, which puts it into the filter or takes it out."""
        chosen = [part for value in self._params.getlist(STATE) for part in value.split(",")]
        return [self._state(state, chosen) for state in MessageState]

    @property
    def recent(self) -> list[Link]:
        """Ranges of receipt that end now, and all time."""
        times = self._times()
        links = [self._received(text, start, times) for text, start in _RECENT]
        return [*links, self._received("Any time", None, times)]

    @property
    def places(self) -> list[Link]:
        return self._choice(ARCHIVED, _PLACES)

    @property
    def families(self) -> list[Link]:
        return self._choice(FAMILY, (("All messages", None), *_FAMILIES))

    @property
    def in_archive(self) -> str:
        return self.query(archived="true")

    @property
    def without_times(self) -> str:
        """The same list at any time; empty where no time narrows it."""
        return self.query(**dict.fromkeys(TIMES)) if TIMES & set(self._params) else ""

    @property
    def first_page(self) -> str:
        """The list's own query string without the page, for what leads away and back; may be empty."""
        return self.query().removesuffix("?")

    @property
    def filter_query(self) -> str:
        """What a saved view keeps; empty where nothing is filtered."""
        return self.query() if set(self._params) - {*_PAGE, *_BESIDE} else ""

    def query(self, **changes: str | None) -> str:
        """Return the query string with some parameters set, or left out where None; first page."""
        params = self._params.copy()
        for name in (*_PAGE, *changes):
            params.pop(name, None)
        for name, value in changes.items():
            if value is not None:
                params[name] = value
        return query_of(params)

    def page_query(self, cursor: str | None, *, now: datetime) -> str | None:
        """
        Return the query string of a neighbouring page, None where there is none.

        Args:
            now: from when this page counted relative times; its neighbours count from the same.
        """
        if cursor is None:
            return None
        params = self._params.copy()
        if has_relative_times(params):
            params[AT] = moments.exact("-0s", is_end=False, now=now)
        params["cursor"] = cursor
        return query_of(params)

    def _fields(self) -> Iterator[Field]:
        for name in _FIELDS:
            if name in self._allowed:
                yield self._field(name)

    def _field(self, name: str) -> Field:
        value, hint = self._params.get(name, ""), ""
        if name in TIMES:
            value, hint = moments.as_written(value, is_end=name in ENDS).replace("T", " "), _TIME_HINT
        error = said_plainly(self._errors[name]) if name in self._errors else ""
        return Field(name=name, label=LABELS[name], value=value, hint=hint, error=error)

    def _times(self) -> dict[str, str]:
        return {name: value for name, value in self._params.items() if name.startswith("receive_timestamp_")}

    def _received(self, text: str, start: str | None, times: dict[str, str]) -> Link:
        query = self.query(receive_timestamp_from=start, receive_timestamp_to=None)
        return Link(
            text=text, query=query, is_on=times == ({"receive_timestamp_from": start} if start else {})
        )

    def _choice(self, name: str, choices: Collection[tuple[str, str | None]]) -> list[Link]:
        chosen = self._params.get(name)
        return [
            Link(text=text, query=self.query(**{name: value}), is_on=chosen == value)
            for text, value in choices
        ]

    def _state(self, state: MessageState, chosen: list[str]) -> Link:
        is_on = state in chosen
        others = [code for code in chosen if code != state] if is_on else [*chosen, state]
        return Link(
            text=state,
            query=self.query(state=",".join(others) or None),
            is_on=is_on,
            title=STATE_MEANINGS[state],
        )


def said_plainly(error: FieldError) -> str:
    """Return what is wrong in the words of the fields' labels."""
    text = error.message.removeprefix(f"{error.field} ")
    for name in TIMES | {CONTENT}:
        text = text.replace(name, LABELS[name])
    return text[:1].upper() + text[1:]
