"""
The story of one key in words for a customer: its messages, newest state first, live and archived.

The rows of the stores whose id is the value follow.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.urls import reverse

from messages_app.access import roles
from messages_app.business_keys.selectors import MAX_RESULTS, KeyMatch, find_prefix, find_value, statements
from messages_app.core.search_results import Kind
from messages_app.core.store_functions import look_ups_of
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.models import Message
from messages_app.messages.tables import locate_all
from messages_app.shared.external_calls import system_of
from messages_app.shared.key_extraction import is_usable
from messages_app.shared.message_states import BYGONE_STATES, FINAL_STATES, MessageState

MAX_OFFERED = 20
# A message with more calls is described without the system that it waits for.
_LAST_CALLS = 50
_CALLING = frozenset({MessageState.PROCESSING, MessageState.WAITING_FOR_RES})

_WORDS: Mapping[str, str] = {
    MessageState.NEW: "waiting to be processed",
    MessageState.IN_QUEUE: "waiting to be processed",
    MessageState.PROCESSING: "being processed",
    MessageState.WAITING: "waiting for its parts",
    MessageState.WAITING_FOR_RES: "waiting for a response from another system",
    MessageState.PARTLY_FAILED: "waiting to be tried again",
    MessageState.POSTPONED: "waiting for an earlier message",
    MessageState.OK: "processed",
    MessageState.FAILED: "not processed because of an error",
    MessageState.CANCEL: "cancelled",
}

_COLUMNS = (
    "msg_id",
    "state",
    "service_name",
    "operation_name",
    "source_system",
    "receive_timestamp",
    "start_process_timestamp",
    "last_process_timestamp",
)


@dataclass(frozen=True, kw_only=True)
class Step:
    """
    One message of a key.

    Attributes:
        words: its state in words, such as "waiting for bank.example".
        is_ended: nothing further will happen with it.
    """

    msg_id: int
    state: str
    words: str
    since: datetime
    received: datetime
    source: str
    service: str
    operation: str
    archived: bool

    @property
    def is_ended(self) -> bool:
        return self.state in FINAL_STATES

    @property
    def is_open(self) -> bool:
        """Whether someone still waits for it: it is on its way, or it has failed."""
        return self.state not in BYGONE_STATES


@dataclass(frozen=True, kw_only=True)
class Story:
    """
    Everything about one value.

    Attributes:
        names: the names of the keys that have the value, such as order.
        steps: its messages, newest state first.
        current: the message of the first sentence: the newest one that is not done, else the newest.
        failures: the number of other messages that have failed.
        rows: rows of the stores whose id is the value.
        offered: values that begin with the value, if no message has it.
        is_cut: there are more messages or values than shown.
    """

    value: str
    names: list[str]
    steps: list[Step]
    current: Step | None
    received: datetime | None
    failures: int
    rows: list[Kind]
    offered: list[tuple[str, str]]
    is_cut: bool


def tell_story(value: str, user: User) -> Story:
    """Return what the user may know about a value. A value that no key can have has an empty story."""
    may_view_payload = user.has_perm(roles.CAN_VIEW_PAYLOAD)
    matches = find_value(value, may_view_payload=may_view_payload) if value and is_usable(value) else []
    steps = _make_steps(dict.fromkeys(match.msg_id for match in matches))
    beginning = value if value and is_usable(value) and not steps else ""
    offered = find_prefix(beginning, may_view_payload=may_view_payload) if beginning else []
    values = list(dict.fromkeys((match.name, match.value) for match in offered))
    current = next((step for step in steps if step.is_open), steps[0] if steps else None)
    return Story(
        value=value,
        names=_names_of(matches),
        steps=steps,
        current=current,
        received=min((step.received for step in steps), default=None),
        failures=sum(step.state == MessageState.FAILED and step is not current for step in steps),
        rows=_rows_with_id(value, user, steps),
        offered=values[:MAX_OFFERED],
        is_cut=len(matches) >= MAX_RESULTS or len(values) > MAX_OFFERED,
    )


def _names_of(matches: Iterable[KeyMatch]) -> list[str]:
    return sorted({match.name for match in matches})


def _make_steps(msg_ids: Iterable[int]) -> list[Step]:
    """Return the messages, newest state first."""
    messages = locate_all(list(msg_ids), _narrow_columns)
    calling = [msg_id for msg_id, message in messages.items() if message.state in _CALLING]
    calls = _open_calls(calling)
    steps = [_make_step(message, calls.get(msg_id)) for msg_id, message in messages.items()]
    return sorted(steps, key=lambda step: (step.since, step.msg_id), reverse=True)


def _narrow_columns(rows: QuerySet[Any]) -> QuerySet[MessageColumns]:
    return rows.only(*_COLUMNS)


def _open_calls(msg_ids: list[int]) -> dict[int, tuple[str, datetime]]:
    """Return the external system of the open call of each message, and the time of the call."""
    if not msg_ids:
        return {}
    rows = statements.fetch_rows("open_calls", {"msg_ids": msg_ids, "last": _LAST_CALLS})
    return {msg_id: (system_of(target), at) for msg_id, target, at in rows}


def _make_step(message: MessageColumns, call: tuple[str, datetime] | None) -> Step:
    words = _WORDS.get(message.state, "in a state that the console does not know")
    since = _since_of(message)
    if call:
        system, since = call
        words = f"waiting for {system}"
    return Step(
        msg_id=message.msg_id,
        state=message.state,
        words=words,
        since=since,
        received=message.receive_timestamp,
        source=message.source_system,
        service=message.service_name,
        operation=message.operation_name,
        archived=not isinstance(message, Message),
    )


def _since_of(message: MessageColumns) -> datetime:
    """Return since when a message is in its state, as far as its columns show it."""
    if message.state == MessageState.PROCESSING and message.start_process_timestamp:
        return message.start_process_timestamp
    return message.last_process_timestamp or message.receive_timestamp


def _rows_with_id(value: str, user: User, steps: Iterable[Step]) -> list[Kind]:
    """Return the rows of the stores whose id is the value, without the messages of the story."""
    if not value or not is_usable(value):
        return []
    addresses = {reverse("message-detail", args=[step.msg_id]) for step in steps}
    kinds = [kind for look_up in look_ups_of(user) for kind in look_up(value)]
    return [kind for kind in kinds if any(hit.url not in addresses for hit in kind.hits)]
