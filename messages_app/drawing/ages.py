"""How long the bars of ages are, in percent."""

import math
from datetime import datetime, timedelta

# By the logarithm, so that a minute and a week are both seen.
_SHORTEST, _LONGEST = timedelta(seconds=5), timedelta(days=7)


def age_share(age: timedelta) -> int:
    """Return how long the bar of an age is: nothing up to five seconds, all of it from a week on."""
    seen = max(age, _SHORTEST)
    return _percent(math.log(seen / _SHORTEST) / math.log(_LONGEST / _SHORTEST))


def life_share(start: datetime, end: datetime | None, now: datetime) -> int | None:
    """Return how much of the time from `start` to `end` has passed; None without an end."""
    return None if end is None else _percent((now - start) / (end - start))


def _percent(share: float) -> int:
    return round(100 * min(max(share, 0.0), 1.0))
