"""
The number that a person confirms with a job, and what it covers.

An estimate is confirmed as the most that it may be. Without a number nobody was shown one, as with a schedule
or a call without it, and the job asks nobody.
"""

# In a job's report: what was confirmed, and how many messages the frozen set had to do.
CONFIRMED, TO_DO = "confirmed", "to_do"


def covers(confirmed: int, to_do: int) -> bool:
    """Whether a number that was confirmed is enough for so many messages: they are at most a tenth more."""
    return to_do * 10 <= confirmed * 11
