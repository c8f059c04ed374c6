"""The errors that calls about jobs raise."""

from collections.abc import Iterable

from django.core.exceptions import PermissionDenied

from messages_app.core.problems import FieldError

# The maximum number of reported errors, because a body may have thousands of unknown fields.
_MAX_ERRORS = 50


class InvalidJob(Exception):
    """The parameters do not make a valid job. `errors` has an entry for each field."""

    def __init__(self, errors: Iterable[FieldError]) -> None:
        self.errors = list(errors)[:_MAX_ERRORS]
        super().__init__(" ".join(f"{error.field}: {error.message}" for error in self.errors))


class NotAllowed(PermissionDenied):
    """The user lacks the permission for this kind of job, or for data that the job would read."""


class AlreadyRunning(Exception):
    """Another job, `job_id`, has not finished yet, and the two must not overlap."""

    def __init__(self, job_id: int, text: str = "") -> None:
        super().__init__(text or f"Archive job {job_id} is not finished yet. Archive jobs cannot overlap.")
        self.job_id = job_id


class JobNotFound(Exception):
    """No job has this id."""


class JobConflict(Exception):
    """The state of the job, or its outcomes, do not allow the action."""

    def __init__(self, text: str, *, current_state: str) -> None:
        super().__init__(text)
        self.current_state = current_state
