"""Watch rules in tests, and messages for them to measure."""

from messages_app.messages.alerts.models import WatchRule
from messages_app.messages.alerts.states import Measure
from messages_app.messages.metrics.passes import fold_changes
from tests.support.factories import make_message


def make_rule(**columns: object) -> WatchRule:
    """Store a rule that opens with the first FAILED message of any service."""
    defaults = {"name": "Failed", "measure": Measure.PRESENT, "state": "FAILED", "limit": 0}
    return WatchRule.objects.create(**defaults | columns)


def store(count: int = 1, **columns: object) -> None:
    """Store messages and count them."""
    for _ in range(count):
        make_message(**{"state": "FAILED"} | columns)
    fold_changes()
