"""Why a job was not made, or not changed; nothing was."""


class AlreadyRunning(Exception):
    """Another job is in the way, and two may not overlap; `job_id` names it."""

    def __init__(self, job_id: int, text: str = "") -> None:
        super().__init__(text or f"Archive job {job_id} is not finished yet; two may not overlap.")
        self.job_id = job_id


class JobNotFound(Exception):
    """No job has this id."""


class JobConflict(Exception):
    """The job's state, or what it did, does not allow what was asked."""

    def __init__(self, text: str, *, current_state: str) -> None:
        super().__init__(text)
        self.current_state = current_state
