"""The measures of watch rules with their labels, and the events and channels of notices."""

from enum import StrEnum

from messages_app.messages.alerts.models import WatchRule


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


MEASURES: dict[str, str] = {
    Measure.PRESENT: "Messages in a state",
    Measure.ENTERED: "Changes to a state in the time window",
    Measure.FAILURE_RATE: "Failure rate in the time window",
    Measure.AGE: "Age of the oldest message in a state (s)",
    Measure.SAVED_VIEW: "Messages in a saved view",
}


_CONDITIONS = {
    "service_name": "service",
    "operation_name": "operation",
    "source_system": "source",
    "failed_error_code": "code",
}


def list_conditions(rule: WatchRule) -> list[tuple[str, str]]:
    """Return the conditions that messages must meet to be measured, as (label, value)."""
    conditions = [("state", rule.state)] if rule.measure in OF_A_STATE else []
    if rule.measure == Measure.SAVED_VIEW:
        return [("view", rule.saved_view.name if rule.saved_view else "deleted")]
    conditions += [(label, getattr(rule, name)) for name, label in _CONDITIONS.items() if getattr(rule, name)]
    if rule.measure in OF_A_WINDOW:
        conditions.append(("in the last", f"{rule.window_minutes} min"))
    if rule.measure == Measure.PRESENT and rule.older_than_seconds:
        conditions.append(("unchanged for", f"{rule.older_than_seconds} s"))
    if rule.measure == Measure.FAILURE_RATE:
        conditions.append(("minimum sample", f"{rule.at_least}"))
    return conditions
