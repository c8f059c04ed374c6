"""Throughput of queues: dispatches of the last hour, and pickups lost within a day."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from messages_app.core.charts.slices import SliceCounts, Slices
from messages_app.core.filters.table import Values
from messages_app.core.statements import Statements
from messages_app.cp_queue.guids import spellings_of_guid
from messages_app.cp_queue.models import CpDispatch
from messages_app.cp_queue.selectors.log import constants_of
from messages_app.cp_queue.states import SUB_TYPES

statements = Statements("messages_app.cp_queue")


# The last hour, in slices of five minutes; the last day in hours.
SLICES, STEP_SECONDS = 12, 300
HOURS = 24
# Maximum number of dispatches read for each queue, and for the chart of the whole log.
_FENCE, _LOG_FENCE = 2_000, 10_000


@dataclass(frozen=True, kw_only=True)
class Pace:
    """
    Dispatches of a queue in the last hour.

    Args:
        dispatched, failed: by slice, the oldest first.
        read_slices: number of slices that were read, counted from now; earlier ones are beyond the fence.
        lost: pickups lost to another service, by hour, the oldest first.
    """

    dispatched: list[int]
    failed: list[int]
    read_slices: int
    lost: list[int]

    @property
    def total(self) -> int:
        return sum(self.dispatched)

    @property
    def failed_in_all(self) -> int:
        return sum(self.failed)

    @property
    def lost_in_all(self) -> int:
        return sum(self.lost)


def measure_paces(queues: Sequence[str]) -> dict[str, Pace]:
    """Return the pace of queues by name."""
    values = {"queues": list(queues), "slices": SLICES, "step": STEP_SECONDS, "fence": _FENCE}
    dispatched: Counter[tuple[str, int]] = Counter()
    failed: Counter[tuple[str, int]] = Counter()
    for queue, slice_no, count, of_them_failed in statements.fetch_rows("paces", values):
        dispatched[queue, slice_no] = count
        failed[queue, slice_no] = of_them_failed
    lost = {
        (queue, hour): count
        for queue, hour, count in statements.fetch_rows(
            "lost_hours", {"queues": list(queues), "hours": HOURS}
        )
    }
    return {queue: _make_pace(queue, dispatched, failed, lost) for queue in queues}


def _make_pace(queue: str, dispatched: Counter, failed: Counter, lost: Mapping[tuple[str, int], int]) -> Pace:
    counts = [dispatched[queue, number] for number in range(SLICES)]
    is_cut = sum(counts) >= _FENCE
    last = max((number for number, count in enumerate(counts) if count), default=0)
    return Pace(
        dispatched=counts[::-1],
        failed=[failed[queue, number] for number in range(SLICES)][::-1],
        read_slices=last + 1 if is_cut else SLICES,
        lost=[lost.get((queue, hour), 0) for hour in range(HOURS)][::-1],
    )


def count_dispatches_over_time(
    *, values: Values, start: datetime, stop: datetime, slices: Slices
) -> SliceCounts:
    """
    Count the newest dispatches that a filter finds, by slice and outcome.

    Args:
        values: of selectors/log.py DISPATCHES.
    """
    rows = CpDispatch.objects.all()
    orders = ["-dispatch_id"]
    constant, others = constants_of(values)
    if constant is not None:
        # A range and an order that only one index has, as in paces.sql.
        value = values[constant]
        rows = rows.filter(**{f"{constant}__gte": value, f"{constant}__lte": value})
        orders.insert(0, f"-{constant}")
    if "messageguid" in values:
        rows = rows.filter(messageguid__in=spellings_of_guid(values["messageguid"]))
    newest = rows.order_by(*orders).values_list("at", "outcome", *others)[:_LOG_FENCE]
    lines = list(newest)
    outcome, conditions = values.get("outcome"), [values[name] for name in others]
    counts = Counter(
        (slices.number_of(at), ended_as)
        for at, ended_as, *further in lines
        if start <= at < stop and outcome in {None, ended_as} and further == conditions
    )
    is_cut = len(lines) == _LOG_FENCE and lines[-1][0] > start
    return SliceCounts(counts=counts, is_cut=is_cut)


# A queue's messages by the type of their objects. Source: docs/contributing/spec/cp_queue.md, "Console".
_TYPES_FENCE, _MAX_TYPES = 5_000, 12


@dataclass(frozen=True, kw_only=True)
class OfType:
    """Messages of a queue about objects of one type, and how many of these are reserved."""

    object_type: int
    messages: int
    reserved: int

    @property
    def main_type(self) -> int:
        return self.object_type // SUB_TYPES

    @property
    def sub_type(self) -> int:
        return self.object_type % SUB_TYPES


def object_types(queue: str) -> list[OfType]:
    """Return the most frequent types of the first 5000 messages by object; up to twelve."""
    values = {"queue": queue, "fence": _TYPES_FENCE, "most": _MAX_TYPES}
    return statements.fetch_records("object_types", values, OfType)
