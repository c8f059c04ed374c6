"""Why what was asked cannot become a job."""

from collections.abc import Iterable
from typing import Final

from django.core.exceptions import PermissionDenied

from messages_app.core.problems import FieldError

# A body may hold thousands of fields that nobody knows; this many are worth reading.
_MOST_ERRORS = 50


class InvalidJob(Exception):
    """What was asked cannot become a job; `errors` name each field."""

    def __init__(self, errors: Iterable[FieldError]) -> None:
        self.errors = list(errors)[:_MOST_ERRORS]
        super().__init__(" ".join(f"{error.field}: {error.message}" for error in self.errors))


class NotAllowed(PermissionDenied):
    """Who asks lacks the right for a job of this kind, or for what it would read."""


# Why a job was not made, or not changed; nothing was.


class AlreadyRunning(Exception):
    """Another job is in the way, and two may not overlap; `job_id` names it."""

    def __init__(self, job_id: int, text: str = "") -> None:
        super().__init__(text or f"Archive job {job_id} is not finished yet. Archive jobs cannot overlap.")
        self.job_id = job_id


class JobNotFound(Exception):
    """No job has this id."""


class JobConflict(Exception):
    """The job's state, or what it did, does not allow what was asked."""

    def __init__(self, text: str, *, current_state: str) -> None:
        super().__init__(text)
        self.current_state = current_state


# The number that a person confirms with a job, and what it covers.
#
# An estimate is confirmed as the most that it may be. Without a number nobody was shown one, as with a
# schedule or a call without it, and the job asks nobody.


# In a job's report: what was confirmed, and how many messages the frozen set had to do.
CONFIRMED: Final = "confirmed"
TO_DO: Final = "to_do"


def covers(confirmed: int, to_do: int) -> bool:
    """Whether a number that was confirmed is enough for so many messages: they are at most a tenth more."""
    return to_do * 10 <= confirmed * 11
