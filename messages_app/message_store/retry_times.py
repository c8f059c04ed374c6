"""
When a message is retried. Pure: no clock, no database.

The vendor's page names the properties; what they do is the rule recommended by
docs/contributing/spec/message_store.md, "Monitor and retries", shown to administrators as the product's.
"""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Timing:
    """
    The monitor's properties, seconds.

    Args:
        minimum_delay, maximum_delay: the shortest and the longest wait; the longest wins.
        minimum_delay_multiplier: the shortest wait is also this multiple of the attempt's duration.
        age_exponent, age_multiplier: the wait grows as multiplier * age ** exponent.
        message_timeout: an older message is not retried.
    """

    minimum_delay: float = 60.0
    maximum_delay: float = 14_400.0
    minimum_delay_multiplier: float = 10.0
    age_exponent: float = 1.0
    age_multiplier: float = 1.0
    message_timeout: float = 3_456_000.0


@dataclass(frozen=True, kw_only=True)
class Wait:
    """
    The components of the wait before the next attempt, in seconds.

    Args:
        age: from message_timestamp to the end of the attempt; never from effective_timestamp.
        duration: of the attempt.
        raw: only by age.
        floor: the shortest wait, by the settings and by the duration.
        cap: the longest wait, by the settings.
        seconds: the result; None if the message is too old to be retried.
    """

    age: float
    duration: float
    raw: float
    floor: float
    cap: float
    seconds: float | None


def wait_after(*, age: float, duration: float, timing: Timing) -> Wait:
    """Return the wait after an attempt that found references unresolved."""
    raw = timing.age_multiplier * max(age, 0.0) ** timing.age_exponent
    floor = max(timing.minimum_delay, timing.minimum_delay_multiplier * duration)
    cap = timing.maximum_delay
    seconds = None if age > timing.message_timeout else min(max(raw, floor), cap)
    return Wait(age=age, duration=duration, raw=raw, floor=floor, cap=cap, seconds=seconds)
