"""What a watch rule measures, in words: for its page, its form and the lists."""

from messages_app.messages.watching.models import WatchRule
from messages_app.messages.watching.states import OF_A_STATE, OF_A_WINDOW, Measure

MEASURES = {
    Measure.PRESENT: "Messages that are in a state now",
    Measure.ENTERED: "How often a state was entered lately",
    Measure.FAILURE_RATE: "Share of FAILED in what ended lately",
    Measure.AGE: "Seconds since the oldest in a state changed",
    Measure.SAVED_VIEW: "Messages of a saved view",
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
        parts.append(("with at least", f"{rule.at_least} that ended"))
    return parts
