"""The measures of watch rules, and the events and channels of notices."""

from enum import StrEnum


class Measure(StrEnum):
    PRESENT = "present"  # messages that have been in a state for a time
    ENTERED = "entered"  # changes to a state in the time window
    FAILURE_RATE = "failure_rate"  # the share of FAILED in the messages that ended in the time window, 0 to 1
    AGE = "age"  # seconds for which the oldest message has been in a state
    SAVED_VIEW = "saved_view"  # messages in a saved view


# Measures of one state.
OF_A_STATE = frozenset({Measure.PRESENT, Measure.ENTERED, Measure.AGE})


# Measures of a time window.
OF_A_WINDOW = frozenset({Measure.ENTERED, Measure.FAILURE_RATE})


class Turn(StrEnum):
    """The event that a notice reports."""

    OPENED = "opened"
    CLOSED = "closed"


class Channel(StrEnum):
    MAIL = "mail"
    WEBHOOK = "webhook"
