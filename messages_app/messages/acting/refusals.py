"""The refusals of the room's services as problems, for pages and API alike. Source: spec/interfaces.md 4."""

from messages_app.messages.services import (
    ActionRefused,
    ExpectedStateNotMet,
    HeldByJob,
    MessageArchived,
    MessageNotFound,
    StateConflict,
)
from messages_app.web.problems import Problem, not_found

_STATUS_AND_CODE: dict[type[ActionRefused], tuple[int, str]] = {
    StateConflict: (409, "state_conflict"),
    ExpectedStateNotMet: (412, "precondition_failed"),
    MessageArchived: (409, "archived"),
    HeldByJob: (409, "in_job"),
}


def problem_of_refusal(error: ActionRefused | MessageNotFound) -> Problem:
    """Return what the caller is answered; `current_state` is what the message is now, `job_id` who has it."""
    if isinstance(error, MessageNotFound):
        return not_found(str(error))
    status, code = _STATUS_AND_CODE[type(error)]
    extra = {"current_state": error.current_state}
    if isinstance(error, HeldByJob):
        extra["job_id"] = error.job_id
    return Problem(status, code, str(error), extra=extra)
