"""
Which outside systems a restart of many messages calls again, and how often: pure, for previews of any kind.

Imports nothing of Django: executors count with it too.
"""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple
from urllib.parse import urlsplit

from messages_app.contents.addresses import masked_address
from messages_app.messages.acting.fates import WillBe, will_be
from messages_app.messages.states import ExternalCallState

# Of one message so many calls, and so many requests, are looked at.
MOST_A_MESSAGE = 200


class Told(StrEnum):
    """What is counted of a system: calls, but for the last, which are messages."""

    SKIPPED = "skipped"
    SENT_AGAIN = "sent_again"
    REPEATED = "repeated"  # of those sent again: went through before
    ASKED_BEFORE = "asked_before"  # messages that have sent it requests, recorded as calls or not


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


def system_of(target: str) -> str:
    """Return the host, with its port, of an address; of any other target all but credentials."""
    try:
        return urlsplit(target).netloc.rpartition("@")[2] or masked_address(target)
    except ValueError:  # not an address, though it looks like one
        return masked_address(target)


def add_up(
    calls: Iterable[CallRow], targets: Iterable[tuple[str, int]], *, total: bool
) -> Counter[tuple[str, str]]:
    """
    Return how many calls, or messages, by (system, Told).

    Args:
        targets: (address, messages that have sent requests to it).
        total: of a restart from scratch.
    """
    counts: Counter[tuple[str, str]] = Counter()
    for call in calls:
        system = system_of(call.operation_name)
        fate, _ = will_be(call, _Owner(call.owner_id, call.owner_timestamp), total=total)
        counts[system, str(fate)] += 1
        if fate is WillBe.SENT_AGAIN and call.state == ExternalCallState.OK:
            counts[system, str(Told.REPEATED)] += 1
    for uri, messages in targets:
        counts[system_of(uri), str(Told.ASKED_BEFORE)] += messages
    return counts


def by_system(counts: Counter[tuple[str, str]], *, most: int) -> dict[str, dict[str, int]]:
    """Return the counts by system, those that are called most first."""
    systems: dict[str, dict[str, int]] = {}
    for (system, told), number in counts.items():
        systems.setdefault(system, dict.fromkeys(map(str, Told), 0))[told] += number
    ranked = sorted(systems.items(), key=lambda each: (-sum(each[1].values()), each[0]))
    return dict(ranked[:most])
