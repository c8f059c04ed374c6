"""How the states of messages are stacked in a bar of the histogram."""

from messages_app.messages.states import FAILURE_STATES, FINAL_STATES, MessageState

_STATES = list(MessageState)


def from_ground(state: str) -> tuple:
    """Sort failures to the ground, where bars can be compared, and what is done with to the top."""
    place = _STATES.index(state) if state in _STATES else len(_STATES)
    return (
        state == MessageState.OK,
        state == MessageState.CANCEL,
        state not in FAILURE_STATES,
        state not in FINAL_STATES,
        place,
    )
