"""
Bursts: minutes in which a pool of failures comes faster than its own background.

A burst is a segment with the highest sum of log-likelihood ratios between the rate in an outage and the
background (Page's cumulative sum, 1954). Both rates are estimated again without the bursts.
Source: docs/how_it_works/incidents.md, "Statistics".
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import log, sqrt

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
# A burst has this many times the failures of a background that changes by the hour.
MIN_EXCESS = 4.0
# The core of a burst has this share of it, and this many times the rate of its edges.
MIN_SHARE_OF_CORE, MAX_RATIO_TO_EDGES, MIN_PART_OF_CORE = 0.5, 20.0, 0.25
# Minutes before and after a burst that show it.
MIN_NEAR = 60
_ROUNDS = 3
# The quietest quarter of the hours has about half of the mean where failures are random and not few.
HOURS, MIN_COUNT_OF_HOURS, QUIET_FACTOR = 24, 100, 2.0
MAX_RATIO_TO_QUIET = 4.0
MIN_BEFORE = 60
# Failures that a random background would have before the first one; none has a chance of 5e-5.
MIN_MISSING = 10.0


@dataclass(frozen=True, order=True)
class Burst:
    """Failures from one minute to another, both included, and how many the background would have made."""

    first: int
    last: int
    count: int
    expected: float


class _Series:
    """The minutes with failures of a pool, with their places in stretched time."""

    def __init__(self, minutes: Mapping[int, int], exposure: Exposure) -> None:
        self.times = sorted(minutes)
        self.counts = [minutes[time] for time in self.times]
        self.total = sum(self.counts)
        self.exposure = exposure
        self.starts = [exposure.measure_before(time) for time in self.times]
        self.ends = [exposure.measure_before(time + 1) for time in self.times]

    def find_segments(self, rate: float, ratio: float) -> list[Burst]:
        """
        Return the segments whose score is highest.

        A failure adds to the score of a segment and time takes from it. A segment ends when nothing is left,
        when the score is far below its highest point, or with a gap that is long by the rate of the segment.
        """
        gain, slope = log(ratio), (ratio - 1) * rate
        segments: list[tuple[int, int, int]] = []
        first = best_at = -1
        score = best = 0.0
        count = best_count = 0
        for number, minute in enumerate(self.times):
            if first >= 0:
                previous = number - 1
                rest = score - slope * (self.starts[number] - self.ends[previous])
                mean = (self.times[previous] - self.times[first] + 10) / (number - first)
                if (
                    rest <= 0
                    or best - rest > MAX_DROP
                    or minute - self.times[previous] > max(MIN_GAP, GAPS * mean)
                ):
                    segments.append((first, best_at, best_count))
                    first = -1
                else:
                    score = rest
            if first < 0:
                first, best_at, score, best, count, best_count = number, number, 0.0, 0.0, 0, 0
            count += self.counts[number]
            score += self.counts[number] * gain - slope * (self.ends[number] - self.starts[number])
            if score >= best:
                best, best_at, best_count = score, number, count
            if score <= 0:
                segments.append((first, best_at, best_count))
                first = -1
        if first >= 0:
            segments.append((first, best_at, best_count))
        return [
            Burst(self.times[start], self.times[stop], count, rate * (self.ends[stop] - self.starts[start]))
            for start, stop, count in segments
            if count >= MIN_COUNT
        ]


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
    series = _Series(minutes, exposure)
    if series.total < MIN_COUNT:
        return []
    bursts, rate = _separate_bursts(series, (series.total + PRIOR) / exposure.total)
    if series.total - sum(burst.count for burst in bursts) >= MIN_COUNT_OF_HOURS:
        quiet = _find_quiet_rate(minutes, exposure)
        if quiet < rate / MAX_RATIO_TO_QUIET:
            bursts, _ = _separate_bursts(series, quiet)
    return [burst for burst in _expect_rest(series, bursts) if _is_unlikely(burst) and _is_far_above(burst)]


def _separate_bursts(series: _Series, rate: float) -> tuple[list[Burst], float]:
    """Return the bursts, and the background outside of them, from a first guess of it."""
    exposure = series.exposure
    ratio = MIN_RATIO
    bursts: list[Burst] = []
    for _ in range(_ROUNDS):
        bursts = [burst for burst in series.find_segments(rate, ratio) if _is_unlikely(burst)]
        if not bursts:
            break
        inside = sum(burst.count for burst in bursts)
        length = sum(burst.expected for burst in bursts) / rate
        next_rate = (series.total - inside + PRIOR) / max(exposure.total - length, MAX_PAUSE)
        if abs(next_rate - rate) < 0.01 * rate:
            break
        rate = next_rate
        fastest = max(burst.count / (burst.last - burst.first + 1) for burst in bursts)
        ratio = min(max(sqrt(fastest / rate), MIN_RATIO), MAX_RATIO)
    return bursts, rate


def _is_unlikely(burst: Burst) -> bool:
    return log_poisson_tail(burst.count, burst.expected) <= MAX_LOG_CHANCE


def narrow_burst(burst: Burst, minutes: Mapping[int, int], exposure: Exposure) -> Burst:
    """Return the core of a burst with far slower edges, in which a background may be dense at random."""
    inside = {minute: count for minute, count in minutes.items() if burst.first <= minute <= burst.last}
    if len(inside) < MIN_COUNT:
        return burst
    rate = burst.count / exposure.measure_range(burst.first, burst.last)
    cores = _Series(inside, exposure).find_segments(rate, MIN_RATIO)
    if not cores:
        return burst
    main = max(cores, key=lambda core: core.count)
    cores = [core for core in cores if core.count >= MIN_PART_OF_CORE * main.count]
    first, last = cores[0].first, cores[-1].last
    count = count_within(inside, first, last)
    edges = (burst.count - count) / max(burst.last - burst.first - last + first, 1)
    is_core = count >= MIN_SHARE_OF_CORE * burst.count
    if not is_core or edges * MAX_RATIO_TO_EDGES > count / (last - first + 1):
        return burst
    return replace(burst, first=first, last=last, count=count)


def _is_far_above(burst: Burst) -> bool:
    """Whether it has many times what is expected: a background that changes by the hour has less."""
    return burst.count >= MIN_EXCESS * burst.expected


def _expect_rest(series: _Series, bursts: list[Burst]) -> list[Burst]:
    """
    Return bursts with what is expected by all failures outside of each, or near it, if these are more.

    The estimate without any burst is too low if some are of chance, and would then confirm them.
    """
    exposure = series.exposure
    results = []
    for burst in bursts:
        length = exposure.measure_range(burst.first, burst.last)
        rate = (series.total - burst.count + PRIOR) / max(exposure.total - length, MAX_PAUSE)
        rate = max(rate, _find_near_rate(series, burst, bursts))
        results.append(replace(burst, expected=rate * length))
    return results


def _find_near_rate(series: _Series, burst: Burst, bursts: list[Burst]) -> float:
    """Return the rate before and after a burst, for as long as it lasted, outside of the other bursts."""
    exposure, window = series.exposure, series.exposure.window
    size = max(burst.last - burst.first + 1, MIN_NEAR)
    first, last = max(burst.first - size, window.start), min(burst.last + size, window.now)
    near = [one for one in bursts if one.last >= first and one.first <= last]
    count = sum(n for time, n in zip(series.times, series.counts, strict=True) if first <= time <= last)
    length = exposure.measure_range(first, last)
    for one in near:
        count -= sum(
            n
            for time, n in zip(series.times, series.counts, strict=True)
            if max(first, one.first) <= time <= min(last, one.last)
        )
        length -= exposure.measure_range(max(first, one.first), min(last, one.last))
    return count / max(length, MAX_PAUSE)


def _find_quiet_rate(minutes: Mapping[int, int], exposure: Exposure) -> float:
    """
    Return the background of the quietest hours, or of the time before the first failure.

    An outage may take most of the window, and would then seem to be the background.
    """
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
    # New texts are chosen because they do not have the first hour.
    before = exposure.measure_range(start + MIN_BEFORE, min(minutes) - 1)
    mean = sum(minutes.values()) / exposure.total
    return min(rate, PRIOR / before) if before * mean >= MIN_MISSING else rate


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
