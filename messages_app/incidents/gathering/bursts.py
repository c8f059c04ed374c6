"""
Bursts: minutes in which a pool of failures comes faster than its own background.

A burst is a segment with the highest sum of log-likelihood ratios between the rate in an outage and the background
(Page's cumulative sum, 1954). Its rates are estimated again without the bursts, until they stay the same.
Source: docs/contributing/decisions/0039-incidents.md, "Statistics".
"""

from collections.abc import Iterable, Mapping
from math import log, sqrt
from typing import NamedTuple

from messages_app.incidents.gathering.chances import log_poisson_tail
from messages_app.incidents.gathering.records import Minutes
from messages_app.incidents.gathering.traffic import Exposure

MIN_COUNT = 3
MAX_LOG_CHANCE = -4.0
# A background that was not seen yet: half a failure in the window.
PRIOR = 0.5
MIN_RATIO, MAX_RATIO = 3.0, 50.0
# Evidence (in nats) that a burst has ended.
MAX_DROP = 9.0
# A burst also ends with a gap that is long by its own rate.
MIN_GAP, GAPS = 20, 8
# Ranges of one cause that are nearer are one range.
MAX_PAUSE = 30
_ROUNDS = 3
# The quietest quarter of the hours has about half of the mean where failures are random and not few.
HOURS, MIN_COUNT_OF_HOURS, QUIET_FACTOR = 24, 100, 2.0
MAX_RATIO_TO_QUIET = 4.0
MIN_BEFORE = 60


class Burst(NamedTuple):
    """Failures from one minute to another, both included, and how many the background would have made."""

    first: int
    last: int
    count: int
    expected: float


class _Segment:
    """A part of a series whose evidence for an outage grows; `last` and `count` are of its highest point."""

    def __init__(self, minute: int) -> None:
        self.first = self.last = minute
        self.count = self.seen_count = self.minutes = 0
        self.score = self.best = 0.0
        self.previous = minute

    def add_minute(self, minute: int, count: int, gain: float) -> None:
        self.score += gain
        self.seen_count += count
        self.minutes += 1
        self.previous = minute
        if self.score >= self.best:
            self.best, self.last, self.count = self.score, minute, self.seen_count

    def is_ended(self, minute: int, loss: float) -> bool:
        gap = minute - self.previous
        mean = (self.previous - self.first + 10) / self.minutes
        score = self.score - loss
        return score <= 0 or self.best - score > MAX_DROP or gap > max(MIN_GAP, GAPS * mean)


def add_minutes(series: Iterable[Mapping[int, int]]) -> Minutes:
    """Return the sum of several series."""
    total: Minutes = {}
    for minutes in series:
        if not total:
            total = dict(minutes)
            continue
        for minute, count in minutes.items():
            total[minute] = total.get(minute, 0) + count
    return total


def count_within(minutes: Mapping[int, int], first: int, last: int) -> int:
    """Return the failures of a series from one minute to another, both included."""
    return sum(count for minute, count in minutes.items() if first <= minute <= last)


def find_bursts(minutes: Mapping[int, int], exposure: Exposure) -> list[Burst]:
    """Return the bursts of a series, the first one first."""
    total = sum(minutes.values())
    if total < MIN_COUNT:
        return []
    bursts, rate = _separate_bursts(minutes, exposure, (total + PRIOR) / exposure.total)
    if total - sum(burst.count for burst in bursts) >= MIN_COUNT_OF_HOURS:
        quiet = _find_quiet_rate(minutes, exposure)
        if quiet < rate / MAX_RATIO_TO_QUIET:
            bursts, _ = _separate_bursts(minutes, exposure, quiet)
    return bursts


def _separate_bursts(
    minutes: Mapping[int, int], exposure: Exposure, rate: float
) -> tuple[list[Burst], float]:
    """Return the bursts, and the background outside of them, from a first guess of it."""
    times, total = sorted(minutes), sum(minutes.values())
    ratio = MIN_RATIO
    bursts: list[Burst] = []
    for _ in range(_ROUNDS):
        bursts = [
            burst
            for burst in _find_segments(times, minutes, exposure, rate, ratio)
            if burst.count >= MIN_COUNT and log_poisson_tail(burst.count, burst.expected) <= MAX_LOG_CHANCE
        ]
        inside = sum(burst.count for burst in bursts)
        length = sum(exposure.measure_range(burst.first, burst.last) for burst in bursts)
        next_rate = (total - inside + PRIOR) / max(exposure.total - length, MAX_PAUSE)
        if not bursts or abs(next_rate - rate) < 0.01 * rate:
            break
        rate = next_rate
        fastest = max(burst.count / (burst.last - burst.first + 1) for burst in bursts)
        ratio = min(max(sqrt(fastest / rate), MIN_RATIO), MAX_RATIO)
    return bursts, rate


def _find_quiet_rate(minutes: Mapping[int, int], exposure: Exposure) -> float:
    """
    Return the background of the quietest hours, or of the time before the first failure.

    An outage may take most of the window, and would then seem to be the background.
    """
    before = exposure.measure_before(min(minutes))
    start, length = exposure.window.start, exposure.window.length
    size = max(length // HOURS, 1)
    counts = [0] * (-(-length // size))
    for minute, count in minutes.items():
        counts[(minute - start) // size] += count
    rates = sorted(
        count / exposure.measure_range(start + number * size, start + (number + 1) * size - 1)
        for number, count in enumerate(counts)
    )
    quiet = rates[: max(len(rates) // 4, 1)]
    rate = QUIET_FACTOR * sum(quiet) / len(quiet) + PRIOR / exposure.total
    return min(rate, PRIOR / before) if before > MIN_BEFORE else rate


def _find_segments(
    times: list[int], minutes: Mapping[int, int], exposure: Exposure, rate: float, ratio: float
) -> list[Burst]:
    gain, slope = log(ratio), (ratio - 1) * rate
    segments: list[_Segment] = []
    segment: _Segment | None = None
    before = 0.0
    for minute in times:
        start = exposure.measure_before(minute)
        if segment is not None and segment.is_ended(minute, slope * (start - before)):
            segments.append(segment)
            segment = None
        after = exposure.measure_before(minute + 1)
        count = minutes[minute]
        loss = slope * (after - (start if segment is None else before))
        if segment is None:
            segment = _Segment(minute)
        segment.add_minute(minute, count, count * gain - loss)
        before = after
        if segment.score <= 0:
            segments.append(segment)
            segment = None
    if segment is not None:
        segments.append(segment)
    return [
        Burst(one.first, one.last, one.count, rate * exposure.measure_range(one.first, one.last))
        for one in segments
        if one.count
    ]


def join_bursts(bursts: Iterable[Burst], pause: int = MAX_PAUSE) -> list[Burst]:
    """Return ranges in which bursts overlap or follow each other closely."""
    ranges: list[Burst] = []
    for burst in sorted(bursts):
        if ranges and burst.first <= ranges[-1].last + pause:
            last = ranges[-1]
            ranges[-1] = Burst(
                last.first,
                max(last.last, burst.last),
                last.count + burst.count,
                last.expected + burst.expected,
            )
        else:
            ranges.append(burst)
    return ranges
