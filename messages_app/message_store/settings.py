"""
The monitor's settings: the environment's, and over those what administrators have set on its page.

They are read where they are used, so that a change applies from the next attempt and scan. The scheduler has
the interval: services/monitor.py writes it.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from django.conf import settings

from messages_app.message_store.monitor_models import StoreSetting
from messages_app.message_store.retry_times import Timing

_TEN_YEARS = 10 * 366 * 86_400.0
# The range of each setting. Source of the names: docs/contributing/spec/message_store.md,
# "Monitor and retries".
RANGES: Mapping[str, tuple[float, float]] = {
    "interval": (1, 86_400),
    "threads": (1, settings.MESSAGE_STORE_MOST_THREADS),
    "queue": (1, 10_000),
    "process_timeout": (1, _TEN_YEARS),
    "minimum_delay": (0, _TEN_YEARS),
    "maximum_delay": (0, _TEN_YEARS),
    "minimum_delay_multiplier": (0, 10_000),
    "age_multiplier": (0, 10_000),
    "age_exponent": (0, 5),
    "message_timeout": (0, _TEN_YEARS),
}
# The ones that are whole numbers.
WHOLE = frozenset({"interval", "threads", "queue"})
# All except the ones of Timing.
_OWN = ("interval", "threads", "queue", "process_timeout")


@dataclass(frozen=True, kw_only=True)
class Limits:
    """
    Args:
        interval: seconds between the monitor's scans.
        threads: the number of worker loops that may run at the same time, in any processes.
        queue: how many messages may be queued.
        process_timeout: seconds; messages in work for longer are taken back.
        timing: of the waits between attempts.
    """

    interval: float
    threads: int
    queue: int
    process_timeout: float
    timing: Timing

    def with_changes(self, values: Mapping[str, float]) -> "Limits":
        """Return these with some of RANGES changed."""
        all_values = {**self.values(), **values}
        own = {name: all_values.pop(name) for name in _OWN}
        return Limits(
            interval=own["interval"],
            threads=int(own["threads"]),
            queue=int(own["queue"]),
            process_timeout=own["process_timeout"],
            timing=Timing(**all_values),
        )

    def values(self) -> dict[str, float]:
        """Return the values by the names of RANGES."""
        return {name: getattr(self, name) for name in _OWN} | asdict(self.timing)


def current_limits() -> Limits:
    """Return the current settings."""
    return environment_limits().with_changes(changed_settings())


def environment_limits() -> Limits:
    """Return the settings of the environment."""
    return Limits(
        interval=settings.MESSAGE_STORE_INTERVAL,
        threads=settings.MESSAGE_STORE_THREADS,
        queue=settings.MESSAGE_STORE_QUEUE,
        process_timeout=settings.MESSAGE_STORE_PROCESS_TIMEOUT,
        timing=settings.MESSAGE_STORE_TIMING,
    )


def changed_settings() -> dict[str, float]:
    """Return the settings that administrators have changed on the page, by name."""
    rows = StoreSetting.objects.values_list("name", "value")
    return {name: value for name, value in rows if name in RANGES}
