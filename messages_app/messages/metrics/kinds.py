"""
Kinds of messages: the live messages by the facets of the list, from stored totals.

The numbers are exact at every moment. A hub that is polled has none, because its counts are a little late.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from messages_app.core.statements import Statements
from messages_app.messages.attachment import is_attached
from messages_app.messages.metrics.failing import has_state_index
from messages_app.messages.metrics.polling import is_polled

statements = Statements("messages_app.messages.metrics")

# A hub with more kinds has one for almost every message, and the list counts a sample of messages instead.
MAX_KINDS = 5_000
_MAX_CHANGES = 20_000
# The maximum number of failing messages whose failures are looked up, one by one.
MAX_FAILING = 10_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Kind:
    """
    Messages with these values.

    Args:
        failed_error_code: empty for messages without one.
        external_system: of their newest failure; empty without one, or if it was not read.
        messages: their number.
    """

    state: str
    service_name: str
    operation_name: str
    source_system: str
    failed_error_code: str
    external_system: str = ""
    messages: int


def read_kinds() -> Sequence[Kind] | None:
    """Return the kinds of live messages; None if there are more than MAX_KINDS, or not all are counted."""
    if not _has_all_counts():
        return None
    values = {"most": MAX_KINDS + 1, "fence": _MAX_CHANGES}
    kinds = statements.fetch_records("message_kinds", values, Kind)
    return kinds if len(kinds) <= MAX_KINDS else None


def _has_all_counts() -> bool:
    if is_polled():
        return False
    values = {"fence": _MAX_CHANGES, "is_attached": is_attached()}
    is_complete: bool
    (is_complete,) = statements.only_row("has_all_counts", values)
    return is_complete


def forget_recount() -> None:
    """Note that messages may be missing in the counts until `rebuild_counts` has run."""
    statements.count("forget_recount", {})


def read_failing_kinds() -> Sequence[Kind] | None:
    """Return the kinds of failing messages with their systems; None if more than MAX_FAILING are failing."""
    if not has_state_index():
        return None
    kinds = statements.fetch_records("failing_kinds", {"fence": MAX_FAILING + 1}, Kind)
    return kinds if count_messages(kinds) <= MAX_FAILING else None


def count_values(facet: str) -> Counter[str]:
    """Return the number of live messages by the values of a facet; empty if these are not counted."""
    numbers: Counter[str] = Counter()
    for kind in read_kinds() or ():
        numbers[getattr(kind, facet)] += kind.messages
    return numbers


def count_messages(kinds: Iterable[Kind]) -> int:
    return sum(kind.messages for kind in kinds)


def find_systems(msg_ids: Sequence[int]) -> dict[int, str]:
    """Return the systems at which the newest failures of messages happened, by the id of the message."""
    return dict(statements.fetch_rows("systems_of_failures", {"ids": list(msg_ids)}))
