"""The refusals of the room's services as problems, for pages and API alike. Source: spec/interfaces.md 4."""

from messages_app.messages.services import (
    ActionRefused,
    ExpectedStateNotMet,
    MessageArchived,
    MessageNotFound,
    StateConflict,
)
from messages_app.web.problems import Problem, not_found

_STATUS_AND_CODE: dict[type[ActionRefused], tuple[int, str]] = {
    StateConflict: (409, "state_conflict"),
    ExpectedStateNotMet: (412, "precondition_failed"),
    MessageArchived: (409, "archived"),
}


def problem_of_refusal(error: ActionRefused | MessageNotFound) -> Problem:
    """Return what the caller is answered; `current_state` is what the message is now."""
    if isinstance(error, MessageNotFound):
        return not_found(str(error))
    status, code = _STATUS_AND_CODE[type(error)]
    return Problem(status, code, str(error), extra={"current_state": error.current_state})
