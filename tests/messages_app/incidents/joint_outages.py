"""
Days on which several systems fail at the same times with one text: with a cause each, or with a shared one.

Source: docs/contributing/decisions/0040-incidents.md, "Measurements".
"""

from random import Random

from tests.messages_app.incidents.days import Day
from tests.messages_app.incidents.outages import BY_CALL, MIN_FAILURES, Generator, Outage
from tests.messages_app.incidents.texts import invent_text

SEVERAL_SYSTEMS, SHARED_CAUSE = "several_systems", "shared_cause"
_OWN_TEXTS = (
    "java.net.ConnectException: Connection refused ({h})",
    "java.net.SocketTimeoutException: Read timed out",
    "connection to https://{h} refused after {n} s",
    "order {n} was refused by https://{h}/orders/{n}",
    "HTTP operation failed invoking http://{h}/ws with statusCode: 503",
    "I/O error: Connection reset by peer",
)
_SHARED_TEXTS = (
    "java.net.UnknownHostException: {h}: Name or service not known",
    "curl: (6) Could not resolve host: {h}",
    "java.net.NoRouteToHostException: No route to host ({h})",
    "PKIX path building failed: unable to find valid certification path to requested target ({h})",
    "java.lang.OutOfMemoryError: Java heap space",
    "java.io.IOException: Too many open files",
)
# Minutes between the beginnings of outages, and between their ends.
_MAX_SHIFT = 2.0


class _JointGenerator(Generator):
    """Makes one day on which three to five systems fail together."""

    def make_outages(self) -> list[Outage]:
        used = sorted(system for system in self.hub.systems if self.hub.list_callers(system))
        systems = self.random.sample(used, min(self.random.randint(3, 5), len(used)))
        start, end = self._choose_times()
        share = self.random.uniform(0.4, 1.0)
        text = self._choose_text()
        return [
            Outage(
                name=self.shape if self.shape == SHARED_CAUSE else f"system {system}",
                start=start + self.random.uniform(0, _MAX_SHIFT),
                end=end + self.random.uniform(0, _MAX_SHIFT),
                texts=[text],
                share=share,
                system=system,
            )
            for system in systems
        ]

    def _choose_text(self) -> str:
        if self.shape == SHARED_CAUSE:
            return self.random.choice(_SHARED_TEXTS)
        return invent_text(self.random) if self.random.random() < 0.3 else self.random.choice(_OWN_TEXTS)


def make_day(seed: int, shape: str) -> Day:
    """Return the day of a seed, with enough failures of each outage to be measured."""
    for number in range(1, 200):
        random = Random(f"{shape} {seed} {number}")  # noqa: S311 - repeatable
        generator = _JointGenerator(random.randint(1, 10**9), shape, unknown=0.0, known_system=BY_CALL)
        generator.traffic *= 1 + number // 10
        day = generator.make_day()
        systems = len(day.outages)
        day.outages = tuple(dict.fromkeys(day.outages))
        sizes = day.count_failures()
        if systems >= 3 and all(sizes[outage] >= MIN_FAILURES for outage in day.outages):
            return day
    raise AssertionError("No day of this seed is large enough.")
