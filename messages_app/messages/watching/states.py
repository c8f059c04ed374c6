"""What a rule measures, and what is told of an alert: the only list of either. Imports nothing of Django."""

from enum import StrEnum


class Measure(StrEnum):
    PRESENT = "present"  # messages that are in a state now, for a while
    ENTERED = "entered"  # how often a state was entered lately
    FAILURE_RATE = "failure_rate"  # the share of FAILED in what ended lately, 0 to 1
    AGE = "age"  # how long the oldest has been in a state, in seconds
    SAVED_VIEW = "saved_view"  # messages of a saved view


# They count by one state.
OF_A_STATE = frozenset({Measure.PRESENT, Measure.ENTERED, Measure.AGE})
# They look back over a window.
OF_A_WINDOW = frozenset({Measure.ENTERED, Measure.FAILURE_RATE})


class Turn(StrEnum):
    """What became of an alert."""

    OPENED = "opened"
    CLOSED = "closed"


class Channel(StrEnum):
    MAIL = "mail"
    WEBHOOK = "webhook"
