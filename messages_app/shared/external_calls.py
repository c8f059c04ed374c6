"""
The only definition of what the hub does with the external calls of a restarted message.

Imports no Django code, because executors use it for the preview of a bulk restart.

Source: docs/contributing/spec/cleverbus.md, "External calls" (the hub's decision before a call), "Restart and
cancel" (points 3 and 4).
"""

import re
from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple, Protocol
from urllib.parse import urlsplit

from messages_app.shared.hub_defaults import REPAIR_AFTER
from messages_app.shared.message_states import CONFIRMATION_OPERATION, ExternalCallState
from messages_app.shared.text_safety import masked_address


class WillBe(StrEnum):
    SKIPPED = "skipped"
    SENT_AGAIN = "sent_again"


class Call(Protocol):
    """A row of external_call, with the columns that the rule uses."""

    @property
    def msg_id(self) -> int: ...

    @property
    def operation_name(self) -> str: ...

    @property
    def state(self) -> str: ...

    @property
    def msg_timestamp(self) -> datetime: ...


class Owner(Protocol):
    """The restarted message, with the columns that the rule uses."""

    @property
    def msg_id(self) -> int: ...

    @property
    def msg_timestamp(self) -> datetime: ...


def predict_call(
    call: Call, message: Owner, *, total: bool, repair_after: timedelta = REPAIR_AFTER
) -> tuple[WillBe, str]:
    """
    Return what the hub does with a call when `message` is restarted, and the reason.

    Args:
        repair_after: of the hub; only the reason names it.
    """
    if call.msg_id == message.msg_id:
        if call.operation_name == CONFIRMATION_OPERATION:
            return (
                WillBe.SENT_AGAIN,
                "Its record is deleted; the hub sends a new confirmation at the end.",
            )
        if total:
            return WillBe.SENT_AGAIN, _why_total(call)
    return _decide_like_hub(call, message, repair_after)


def _why_total(call: Call) -> str:
    if call.state == ExternalCallState.OK:
        return "It already succeeded. Its record is deleted, so the target receives it a second time."
    return "Its record is deleted, so the call is made again."


def _decide_like_hub(call: Call, message: Owner, repair_after: timedelta) -> tuple[WillBe, str]:
    """Decide like the hub: by the state and the age of the existing row."""
    is_older = message.msg_timestamp < call.msg_timestamp
    is_newer = message.msg_timestamp > call.msg_timestamp
    if is_older:
        return WillBe.SKIPPED, f"The newer message {call.msg_id} has taken it over."
    if call.state == ExternalCallState.PROCESSING:
        return WillBe.SENT_AGAIN, _why_busy(repair_after)
    if call.state == ExternalCallState.OK and not is_newer:
        return WillBe.SKIPPED, "It already succeeded."
    if call.state == ExternalCallState.OK:
        return WillBe.SENT_AGAIN, "It succeeded for an older message."
    if call.state in set(ExternalCallState):
        return WillBe.SENT_AGAIN, "It has not succeeded yet."
    return WillBe.SENT_AGAIN, "The console does not know its state; assume that it is sent."


def _why_busy(repair_after: timedelta) -> str:
    seconds = int(repair_after.total_seconds())
    minutes, rest = divmod(seconds, 60)
    return (
        "It is in progress or stuck. Until it ends, each attempt fails with E112; "
        f"the hub's repair ends it after {f'{seconds} s' if rest else f'{minutes} minutes'}."
    )


# The external systems that a restart of many messages calls again, with numbers of calls, for previews.
#
# Pure functions without Django code, because executors use them too.
# The maximum number of calls, and of requests, that are checked for each message.
MAX_A_MESSAGE = 200


class SystemCount(StrEnum):
    """The counters for a system. They count calls, except for the last one, which counts messages."""

    SKIPPED = "skipped"
    SENT_AGAIN = "sent_again"
    REPEATED = "repeated"  # calls that are sent again although they succeeded before
    ASKED_BEFORE = "asked_before"  # messages that have sent requests to it, with or without recorded calls


class CallRow(NamedTuple):
    """A row of sql/calls_of_messages.sql: a message that is restarted, and one of its calls."""

    owner_id: int
    owner_timestamp: datetime
    msg_id: int
    operation_name: str
    state: str
    msg_timestamp: datetime


class _Owner(NamedTuple):
    msg_id: int
    msg_timestamp: datetime


# A hub writes the same endpoint in two forms: as its route does in a call, in Camel's own form in a request.
# In an endpoint with a complete address, such as spring-ws:http://crm/ws, only the address names the system.
_CARRIER = re.compile(r"^[a-z][a-z0-9+.-]*:(?://)?(?=[a-z][a-z0-9+.-]*://)", re.IGNORECASE)
# The name of a route follows the slashes of an endpoint inside the hub, not a host.
_INSIDE = re.compile(r"^(direct|direct-vm|seda|vm):(?://)?", re.IGNORECASE)


def system_of(target: str) -> str:
    """Return the host and port of an address, or any other target without credentials."""
    address = _INSIDE.sub(r"\1:", _CARRIER.sub("", target))
    try:
        return urlsplit(address).netloc.rpartition("@")[2] or masked_address(address)
    except ValueError:  # It looks like an address but is not one.
        return masked_address(address)


def operations_of(uri: str) -> tuple[str, str]:
    """Return the operations that calls to the address of a request can have: itself, and as in a route."""
    return uri, uri.replace("://", ":", 1)


def add_up(
    calls: Iterable[CallRow], targets: Iterable[tuple[str, int]], *, total: bool
) -> Counter[tuple[str, str]]:
    """
    Return the number of calls or messages by (system, `SystemCount`).

    Args:
        targets: (address, number of messages that have sent requests to it).
        total: whether the restart is from scratch.
    """
    counts: Counter[tuple[str, str]] = Counter()
    for call in calls:
        system = system_of(call.operation_name)
        result, _ = predict_call(call, _Owner(call.owner_id, call.owner_timestamp), total=total)
        counts[system, str(result)] += 1
        if result is WillBe.SENT_AGAIN and call.state == ExternalCallState.OK:
            counts[system, str(SystemCount.REPEATED)] += 1
    for uri, messages in targets:
        counts[system_of(uri), str(SystemCount.ASKED_BEFORE)] += messages
    return counts


def group_by_system(counts: Counter[tuple[str, str]], *, most: int) -> dict[str, dict[str, int]]:
    """Return the counts by system, the systems with the most calls first."""
    systems: dict[str, dict[str, int]] = {}
    for (system, name), number in counts.items():
        systems.setdefault(system, dict.fromkeys(map(str, SystemCount), 0))[name] += number
    ranked = sorted(systems.items(), key=lambda each: (-sum(each[1].values()), each[0]))
    return dict(ranked[:most])
