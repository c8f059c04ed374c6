"""How long the played hub waits: the hub's own times, divided by the speed of the play."""

from dataclasses import dataclass, replace
from datetime import timedelta
from random import Random

from messages_app.messages.hub_times import PARTLY_FAILED_RESTS, POLL_EVERY, POSTPONED_RESTS
from messages_app.shared.hub_defaults import (
    CONFIRMATION_EVERY,
    FUNNEL_IDLE_AFTER,
    ORDER_FAILS_AFTER,
    REPAIR_AFTER,
)

# What the hub does not decide: when other systems answer what is answered later, and that they then never do.
_FIRST_ANSWER = timedelta(seconds=5)
_LAST_ANSWER = timedelta(seconds=60)
_NO_ANSWER_AFTER = timedelta(seconds=300)
# A call that runs into the target's timeout lasts so much longer.
TIMED_OUT = 5.0


@dataclass(frozen=True, kw_only=True)
class Timing:
    """
    The waits of a play; the names of the first seven are those of hub_defaults.

    Args:
        work: by how much the time that routes and other systems take is divided.
    """

    poll_every: timedelta
    partly_failed_rests: timedelta
    postponed_rests: timedelta
    confirmation_every: timedelta
    repair_after: timedelta
    order_fails_after: timedelta
    funnel_idle_after: timedelta
    work: float

    @classmethod
    def played(cls, speed: float) -> "Timing":
        """Return the times of a hub that does all `speed` times as fast."""
        return cls._divided(looks=speed, windows=speed, work=speed)

    @classmethod
    def gentle(cls, speed: float) -> "Timing":
        """Return the times of a hub that only looks more often, so that the pages' windows hold for it."""
        gentle = cls._divided(looks=speed, windows=1.0, work=1.0)
        # Pages are told these times in whole seconds, and must be right.
        return replace(
            gentle,
            poll_every=_whole_seconds(gentle.poll_every),
            partly_failed_rests=_whole_seconds(gentle.partly_failed_rests),
            postponed_rests=_whole_seconds(gentle.postponed_rests),
        )

    def as_settings(self) -> dict[str, str]:
        """Return the environment with which the pages' predictions hold for this hub."""
        seconds = {
            "HUB_POLL_SECONDS": self.poll_every,
            "HUB_FAILED_REST_SECONDS": self.partly_failed_rests,
            "HUB_POSTPONED_REST_SECONDS": self.postponed_rests,
        }
        return {name: str(time // timedelta(seconds=1)) for name, time in seconds.items()}

    @classmethod
    def _divided(cls, *, looks: float, windows: float, work: float) -> "Timing":
        return cls(
            poll_every=POLL_EVERY / looks,
            partly_failed_rests=PARTLY_FAILED_RESTS / looks,
            postponed_rests=POSTPONED_RESTS / looks,
            confirmation_every=CONFIRMATION_EVERY / looks,
            repair_after=REPAIR_AFTER / windows,
            order_fails_after=ORDER_FAILS_AFTER / windows,
            funnel_idle_after=FUNNEL_IDLE_AFTER / windows,
            work=work,
        )

    @property
    def no_answer_after(self) -> timedelta:
        """What has not been answered by then never is."""
        return _NO_ANSWER_AFTER / self.work

    def answer_delay(self, random: Random) -> timedelta:
        """Return after what time an answer comes."""
        return (_FIRST_ANSWER + random.random() ** 2 * (_LAST_ANSWER - _FIRST_ANSWER)) / self.work

    def call_seconds(self, random: Random) -> float:
        """Return how long one call, or a route without one, takes."""
        return (0.05 + random.expovariate(1.2)) / self.work


def _whole_seconds(time: timedelta) -> timedelta:
    return timedelta(seconds=max(1, round(time.total_seconds())))
