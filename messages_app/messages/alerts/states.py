"""What a rule measures, and what is told of an alert: the only list of either. Imports nothing of Django."""

from enum import StrEnum

from messages_app.messages.alerts.models import WatchRule


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


# What a watch rule measures, in words: for its page, its form and the lists.


MEASURES = {
    Measure.PRESENT: "Messages in a state",
    Measure.ENTERED: "Changes to a state in the time window",
    Measure.FAILURE_RATE: "Failure rate in the time window",
    Measure.AGE: "Age of the oldest message in a state (s)",
    Measure.SAVED_VIEW: "Messages in a saved view",
}
_NARROWED = {
    "service_name": "service",
    "operation_name": "operation",
    "source_system": "source",
    "failed_error_code": "code",
}


def parts_of(rule: WatchRule) -> list[tuple[str, str]]:
    """Return (what, value) of all that narrows what a rule measures."""
    parts = [("state", rule.state)] if rule.measure in OF_A_STATE else []
    if rule.measure == Measure.SAVED_VIEW:
        return [("view", rule.saved_view.name if rule.saved_view else "deleted")]
    parts += [(word, getattr(rule, name)) for name, word in _NARROWED.items() if getattr(rule, name)]
    if rule.measure in OF_A_WINDOW:
        parts.append(("in the last", f"{rule.window_minutes} min"))
    if rule.measure == Measure.PRESENT and rule.older_than_seconds:
        parts.append(("unchanged for", f"{rule.older_than_seconds} s"))
    if rule.measure == Measure.FAILURE_RATE:
        parts.append(("minimum sample", f"{rule.at_least}"))
    return parts
