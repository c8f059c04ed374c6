import pytest

from messages_app.messages.alerts.models import WatchRule
from messages_app.messages.alerts.sentences import (
    describe_rule,
    describe_value,
    limit_in_units,
    limit_of_units,
)
from messages_app.messages.listing.models import SavedView

COLUMNS = {
    "state": "FAILED",
    "service_name": "billing",
    "operation_name": "createInvoice",
    "source_system": "CRM",
    "failed_error_code": "E103",
    "window_minutes": 31,
    "older_than_seconds": 1920,
    "at_least": 33,
}
OF = " of billing with operation createInvoice from CRM with error E103"


class TestDescribeRule:
    @pytest.mark.parametrize(
        ("measure", "limit", "expected"),
        [
            (
                "failure_rate",
                0.07,
                f"When the share of failures{OF} is above 7 % for 31 min, if at least 33 messages ended",
            ),
            (
                "entered",
                4,
                f"When the number of messages{OF} that change to FAILED within 31 min is above 4",
            ),
            (
                "present",
                3,
                f"When the number of FAILED messages{OF} unchanged for 32 min is above 3",
            ),
            ("age", 5400, f"When the oldest FAILED message{OF} is unchanged for more than 90 min"),
            ("saved_view", 2, "When the number of messages in the view (deleted) is above 2"),
        ],
    )
    def test_has_what_the_measure_uses(self, measure, limit, expected):
        assert describe_rule(WatchRule(measure=measure, limit=limit, **COLUMNS)) == expected

    def test_leaves_out_what_is_not_set(self):
        rule = WatchRule(measure="present", state="FAILED", older_than_seconds=0, limit=0)
        assert describe_rule(rule) == "When the number of FAILED messages is above 0"
        rule = WatchRule(
            measure="failure_rate", service_name="billing", window_minutes=10, at_least=0, limit=0.05
        )
        assert describe_rule(rule) == "When the share of failures of billing is above 5 % for 10 min"

    def test_names_the_saved_view(self):
        rule = WatchRule(measure="saved_view", saved_view=SavedView(name="{mine}"), limit=1)
        assert describe_rule(rule) == "When the number of messages in the view {mine} is above 1"


class TestUnits:
    @pytest.mark.parametrize(
        ("measure", "stored", "shown"),
        [("failure_rate", 0.07, 7), ("failure_rate", 0.125, 12.5), ("age", 90, 1.5), ("present", 3, 3)],
    )
    def test_of_the_limit_are_percent_minutes_and_messages(self, measure, stored, shown):
        assert (limit_in_units(measure, stored), limit_of_units(measure, shown)) == (shown, stored)

    @pytest.mark.parametrize(
        ("measure", "value", "words"),
        [("failure_rate", 0.254, "25 %"), ("age", 5400, "90 min"), ("entered", 7, "7"), ("age", None, "–")],
    )
    def test_of_a_value_are_those_of_its_limit(self, measure, value, words):
        assert describe_value(measure, value) == words
