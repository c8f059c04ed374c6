import pytest

from messages_app.messages.alerts.models import WatchRule
from messages_app.messages.alerts.states import list_conditions
from messages_app.messages.listing.models import SavedView

COLUMNS = {
    "state": "FAILED",
    "service_name": "billing",
    "operation_name": "createInvoice",
    "source_system": "CRM",
    "failed_error_code": "E103",
    "window_minutes": 31,
    "older_than_seconds": 32,
    "at_least": 33,
}
OF_MESSAGES = [("service", "billing"), ("operation", "createInvoice"), ("source", "CRM"), ("code", "E103")]
WINDOW = ("in the last", "31 min")


class TestListConditions:
    @pytest.mark.parametrize(
        ("measure", "expected"),
        [
            ("present", [("state", "FAILED"), *OF_MESSAGES, ("unchanged for", "32 s")]),
            ("entered", [("state", "FAILED"), *OF_MESSAGES, WINDOW]),
            ("failure_rate", [*OF_MESSAGES, WINDOW, ("minimum sample", "33")]),
            ("age", [("state", "FAILED"), *OF_MESSAGES]),
            ("saved_view", [("view", "deleted")]),
        ],
    )
    def test_lists_what_the_measure_uses(self, measure, expected):
        assert list_conditions(WatchRule(measure=measure, **COLUMNS)) == expected

    def test_leaves_out_what_is_not_set(self):
        rule = WatchRule(measure="present", state="FAILED", older_than_seconds=0)
        assert list_conditions(rule) == [("state", "FAILED")]

    def test_names_the_saved_view(self):
        rule = WatchRule(measure="saved_view", saved_view=SavedView(name="mine"), **COLUMNS)
        assert list_conditions(rule) == [("view", "mine")]
