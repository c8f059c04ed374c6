"""
Chooses the processed messages to compare with: of the services and times of the failing ones, in their mix.

Otherwise each field that only one service's documents have, and each date, would be a finding. Pure functions
of counts. Source: docs/contributing/decisions/0041-analyses.md, "Comparison group".
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

MAX_PASSING = 1_000_000
# Of each side, to find candidates. A property of a tenth of the messages is found in fewer.
MAX_SAMPLE = 100_000
MAX_SLICES = 200
# Processed messages for each failing one, below which times are matched less finely; and the limits of them.
_ENOUGH_FOR_EACH, _MIN_ENOUGH, _MAX_ENOUGH = 5, 20, 200
# Of the failing messages, at most this share may be in slices with fewer processed ones than the others have.
MAX_SHORT = 0.1
# The same where too few messages would be compared.
MAX_SHORT_OF_FEW = 0.5
# Shares are of this number, a prime, because ids may have any common step.
SHARES = 1009

_MINUTE = 60


class Minute(NamedTuple):
    """A minute of a service; `second` is its start since 1970."""

    service_name: str
    second: int


class Sample(NamedTuple):
    """
    The share of a service's processed messages to compare in a range of times.

    Args:
        start, end: seconds since 1970, without the end.
        share: out of SHARES.
    """

    service_name: str
    start: int
    end: int
    share: int


class Comparison(NamedTuple):
    """
    The comparison group.

    Args:
        samples: disjoint.
        messages: the approximate number of messages in them.
        uncompared: failing messages of services that processed nothing at all.
    """

    samples: tuple[Sample, ...]
    messages: int
    uncompared: int


def choose_enough(failing: int) -> int:
    """Return how many processed messages are enough to compare this number of failing ones with."""
    return min(_MAX_ENOUGH, max(_MIN_ENOUGH, _ENOUGH_FOR_EACH * failing))


def plan_comparison(failing: Mapping[Minute, int], passing: Mapping[Minute, int]) -> Comparison:
    """
    Choose the processed messages. Slices of time are as short as enough messages are in them.

    Args:
        failing: messages to compare by minute of their receipt; at least one.
        passing: processed messages of the same services around these minutes.
    """
    best, slices = _match_slices(failing, passing, MAX_SLICES, MAX_SHORT), MAX_SLICES // 2
    while best.messages < _MAX_ENOUGH and slices:
        best = _choose_larger(best, _match_slices(failing, passing, slices, MAX_SHORT))
        slices //= 2
    if best.messages < choose_enough(sum(failing.values())):
        best = _choose_larger(best, _match_slices(failing, passing, 1, MAX_SHORT_OF_FEW))
    return best


def _choose_larger(one: Comparison, other: Comparison) -> Comparison:
    return max(one, other, key=lambda each: each.messages)


def _match_slices(
    failing: Mapping[Minute, int], passing: Mapping[Minute, int], slices: int, most_short: float
) -> Comparison:
    """
    Choose the processed messages by at most this number of slices of time.

    Args:
        most_short: see MAX_SHORT.
    """
    seconds = [minute.second for minute in (*failing, *passing)]
    start = min(seconds)
    width = _choose_width(max(seconds) + _MINUTE - start, slices)
    of_failing, of_passing = (_count_slices(side, start, width) for side in (failing, passing))
    matched, uncompared = _move_to_passing(of_failing, of_passing)
    ratio = _choose_ratio(matched, of_passing, most_short)
    samples, messages = [], 0
    for (service_name, number), failures in sorted(matched.items()):
        available = of_passing[service_name, number]
        share = min(SHARES, max(1, round(SHARES * ratio * failures / available)))
        begin = start + number * width
        samples.append(Sample(service_name, begin, begin + width, share))
        messages += available * share // SHARES
    return Comparison(tuple(samples), messages, uncompared)


Slices = Counter[tuple[str, int]]


def _choose_width(seconds: int, slices: int) -> int:
    """Return the seconds of a slice: whole minutes."""
    return _MINUTE * -(-seconds // (_MINUTE * slices))


def _count_slices(side: Mapping[Minute, int], start: int, width: int) -> Slices:
    counts: Slices = Counter()
    for minute, messages in side.items():
        counts[minute.service_name, (minute.second - start) // width] += messages
    return counts


def _move_to_passing(failing: Slices, passing: Slices) -> tuple[Slices, int]:
    """
    Move failures of slices in which everything failed to the nearest slice of the service that has others.

    Returns:
        The failures by slice, and the number of failures of services without any other message.
    """
    numbers: dict[str, list[int]] = defaultdict(list)
    for (service_name, number), messages in passing.items():
        if messages:
            numbers[service_name].append(number)
    moved: Slices = Counter()
    uncompared = 0
    for (service_name, number), failures in failing.items():
        if service_name in numbers:
            nearest = min(numbers[service_name], key=lambda each: (abs(each - number), each))
            moved[service_name, nearest] += failures
        else:
            uncompared += failures
    return moved, uncompared


def _choose_ratio(failing: Slices, passing: Slices, most_short: float) -> float:
    """Return how many processed messages to compare with each failing one."""
    total = failing.total()
    short = 0
    ratios = sorted((passing[one] / failures, failures) for one, failures in failing.items())
    for ratio, failures in ratios:
        short += failures
        if short > most_short * total:
            return min(ratio, MAX_PASSING / total)
    return 0.0


def count_in_samples(messages: Mapping[Minute, int], samples: Sequence[Sample]) -> int:
    """Return about how many of these messages are in the samples."""
    return sum(
        sum(
            number
            for minute, number in messages.items()
            if minute.service_name == service_name and start <= minute.second < end
        )
        * share
        // SHARES
        for service_name, start, end, share in samples
    )


def split_samples(samples: Sequence[Sample], parts: int) -> list[Sequence[Sample]]:
    """Deal the samples out to at most `parts` tasks, so that each has some of every time and service."""
    return [samples[number::parts] for number in range(min(parts, len(samples)))]


def choose_share(messages: int) -> int:
    """Return the share of a side, out of SHARES, that is its sample."""
    return min(SHARES, -(-SHARES * MAX_SAMPLE // max(1, messages)))


def thin_samples(samples: Sequence[Sample], share: int) -> list[Sample]:
    """Return the samples with a share of their messages, out of SHARES."""
    return [sample._replace(share=max(1, sample.share * share // SHARES)) for sample in samples]
