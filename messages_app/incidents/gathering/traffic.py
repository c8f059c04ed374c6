"""
The traffic of a hub by service, sender and minute: how many failures a minute would have without an outage.

If most messages of services fail, their traffic says nothing about a background, and time is not stretched.

Source: docs/how_it_works/incidents.md, "Statistics".
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import accumulate, repeat

from messages_app.incidents.gathering.records import Failures, Window

BLOCK = 30
# The part of failures that comes evenly over the day, whatever the traffic: slow calls, jobs, retries.
EVEN_SHARE = 0.15
# With more failures, an outage has most of the messages of the window.
MAX_FAILING_SHARE = 0.5


class Exposure:
    """
    Time that is stretched where traffic is dense, so that background failures come evenly.

    The whole window is as long as in minutes. Traffic is averaged over blocks, because one minute of a small
    service says little.

    Args:
        unknown: the first blocks, in which traffic was not counted yet.
    """

    def __init__(self, window: Window, blocks: list[float], unknown: int = 0) -> None:
        self.window = window
        total = sum(blocks[unknown:])
        even = 1.0 if total <= 0 else EVEN_SHARE
        scale = (1 - even) * (window.length - BLOCK * unknown) / total if total > 0 else 0.0
        lengths = [min(BLOCK, window.length - BLOCK * number) for number in range(-(-window.length // BLOCK))]
        weights = [
            even * length + scale * (blocks[number] if number < len(blocks) else 0.0)
            if number >= unknown
            else length
            for number, length in enumerate(lengths)
        ]
        rates = (
            rate
            for weight, length in zip(weights, lengths, strict=True)
            for rate in repeat(weight / length, length)
        )
        # The stretched time from the start of the window to each minute.
        self._sums = [0.0, *accumulate(rates)]
        self.total = self._sums[-1]

    def measure_before(self, minute: int) -> float:
        """Return the stretched time from the start of the window to the start of a minute."""
        return self._sums[min(max(minute - self.window.start, 0), self.window.length)]

    def measure_range(self, first: int, last: int) -> float:
        """Return the stretched time of these minutes, both included."""
        return self.measure_before(last + 1) - self.measure_before(first)


class Traffic:
    """
    All messages by service, sender and minute within a window, failed or not.

    Args:
        is_new: the console was installed within the window, so what was before the first message is unknown.
    """

    def __init__(self, window: Window, *, is_new: bool = False) -> None:
        self.window = window
        self._is_new = is_new
        self._by_sender: dict[str, dict[str, list[int]]] = defaultdict(dict)
        self._exposures: dict[tuple[str, ...], Exposure] = {}
        # By service.
        self._failures = Counter[str]()
        # The first minute with messages.
        self._start = window.now + 1

    def add_messages(self, service: str, sender: str, minute: int, count: int) -> None:
        """Count messages; minutes outside the window are ignored."""
        offset = minute - self.window.start
        if not 0 <= offset < self.window.length:
            return
        self._start = min(self._start, minute)
        counts = self._by_sender[service].get(sender)
        if counts is None:
            counts = self._by_sender[service][sender] = [0] * self.window.length
        counts[offset] += count

    def set_failures(self, failures: Failures) -> None:
        """Take the failures of the window, which are part of its messages."""
        self._exposures.clear()
        self._failures.clear()
        for cell, minutes in failures.items():
            self._failures[cell.service] += sum(minutes.values())

    def find_exposure(self, services: Iterable[str]) -> Exposure:
        """Return the stretched time of services together."""
        names = tuple(sorted(set(services)))
        exposure = self._exposures.get(names)
        if exposure is None:
            blocks = self._sum_blocks(names)
            if sum(self._failures[name] for name in names) > MAX_FAILING_SHARE * sum(blocks):
                blocks = []
            exposure = self._exposures[names] = Exposure(self.window, blocks, self._unknown)
        return exposure

    @property
    def _unknown(self) -> int:
        """The number of blocks before the first message, if the console is new."""
        is_known = not self._is_new or self._start > self.window.now
        return 0 if is_known else (self._start - self.window.start) // BLOCK

    def find_share(self, service: str, sender: str, first: int, last: int) -> float:
        """
        Return the share of a sender in the traffic of a service; with few messages, nearer to one half.

        That of a time in which traffic was not counted yet is that of later.
        """
        senders = self._by_sender.get(service, {})
        if self._is_new and last < self._start:
            if not senders:
                return 1.0
            first, last = self.window.start, self.window.now
        start, stop = max(first - self.window.start, 0), max(last - self.window.start + 1, 0)
        total = sum(sum(counts[start:stop]) for counts in senders.values())
        part = sum(senders[sender][start:stop]) if sender in senders else 0
        return (part + 0.5) / (total + 1)

    def _sum_blocks(self, names: tuple[str, ...]) -> list[float]:
        blocks = [0.0] * (-(-self.window.length // BLOCK))
        for name in names:
            for counts in self._by_sender.get(name, {}).values():
                for number in range(len(blocks)):
                    blocks[number] += sum(counts[number * BLOCK : (number + 1) * BLOCK])
        return blocks
