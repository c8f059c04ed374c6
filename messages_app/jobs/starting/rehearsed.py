"""What the first messages of a reprocess job would change, as pages draw it from the report of a dry run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.urls import reverse

from messages_app.jobs.states import StoreName
from messages_app.jobs.stores.registry import STORES
from messages_app.message_store.states import name_of


@dataclass(frozen=True, kw_only=True)
class RehearsedMessage:
    """One message: how it would end, and records by what would become of them."""

    identifier: str
    address: str
    words: str
    error: str
    new: int
    changed: int
    unchanged: int
    ended: int


@dataclass(frozen=True, kw_only=True)
class Rehearsed:
    """Sums over the messages, and the messages; `ends` are (status in words, messages)."""

    looked_at: int
    new: int
    changed: int
    unchanged: int
    ended: int
    ends: Sequence[tuple[str, int]]
    messages: Sequence[RehearsedMessage]


def rehearsed(report: Mapping[str, object] | None) -> Rehearsed | None:
    """Return what `kinds/rehearsing.py` has reported; None where nothing was rehearsed."""
    if not report:
        return None
    return Rehearsed(
        looked_at=report["looked_at"],
        **_records(report["records"]),
        ends=[(_words(int(status)), count) for status, count in sorted(report["by_status"].items())],
        messages=[_message(each) for each in report["messages"]],
    )


def _message(told: Mapping[str, object]) -> RehearsedMessage:
    return RehearsedMessage(
        identifier=told["identifier"],
        address=reverse(STORES[StoreName.MESSAGE_STORE].item_route, args=[told["identifier"]]),
        words=_words(told["status"]),
        error=told["error"],
        **_records(told["records"]),
    )


def _records(counts: Mapping[str, int]) -> dict[str, int]:
    return {name: counts.get(name, 0) for name in ("new", "changed", "unchanged", "ended")}


def _words(status: int) -> str:
    return f"{status} {name_of(status)}"
