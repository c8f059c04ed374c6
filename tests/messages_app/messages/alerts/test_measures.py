from datetime import timedelta

import pytest

from messages_app.core.clock import database_clock
from messages_app.messages.alerts.checks import check_rules
from messages_app.messages.alerts.measures import CannotMeasure, holds_since, measure_rule
from messages_app.messages.alerts.models import Alert
from messages_app.messages.listing.models import SavedView
from messages_app.messages.metrics.passes import fold_changes
from messages_app.messages.models import Message
from tests.messages_app.messages.alerts.rules import make_rule, store
from tests.support.factories import NOON, make_user

pytestmark = pytest.mark.django_db


def ago(**span: int):
    return database_clock() - timedelta(**span)


class TestMeasure:
    def test_counts_the_messages_in_a_state_of_all_services_or_of_one(self):
        store(2)
        store(service_name="orders", failed_error_code="E103")
        store(state="CANCEL")
        assert measure_rule(make_rule()) == 3
        assert measure_rule(make_rule(name="one", service_name="orders", failed_error_code="E103")) == 1
        assert measure_rule(make_rule(name="none", source_system="ODD")) == 0

    def test_counts_the_messages_without_a_change_for_a_time(self):
        rule = make_rule(state="WAITING_FOR_RES", older_than_seconds=3600)
        store(state="WAITING_FOR_RES", last_process_timestamp=ago(minutes=58))
        assert measure_rule(rule) == 0
        store(state="WAITING_FOR_RES", last_process_timestamp=ago(minutes=62))
        assert measure_rule(rule) == 1

    def test_counts_how_often_a_state_was_entered_in_the_time_window(self):
        rule = make_rule(measure="entered", window_minutes=15)
        store(receive_timestamp=NOON)
        assert measure_rule(rule) == 0
        for state in ("PARTLY_FAILED", "FAILED", "PARTLY_FAILED", "FAILED", "OK"):
            Message.objects.update(state=state)
        fold_changes()
        assert measure_rule(rule) == 2

    def test_returns_the_share_of_failures_if_enough_messages_ended(self):
        rule = make_rule(measure="failure_rate", at_least=4)
        store(1, receive_timestamp=ago(minutes=1))
        store(2, state="OK", receive_timestamp=ago(minutes=1))
        assert measure_rule(rule) == 0
        store(state="OK", receive_timestamp=ago(minutes=1))
        assert measure_rule(rule) == 0.25

    def test_returns_the_age_of_the_oldest_message(self):
        rule = make_rule(measure="age", state="POSTPONED")
        assert measure_rule(rule) == 0
        store(state="POSTPONED", receive_timestamp=ago(minutes=30))
        assert 1800 <= measure_rule(rule) < 1900

    def test_returns_no_age_of_messages_that_have_left_the_state(self):
        rule = make_rule(measure="age", state="FAILED")
        store(receive_timestamp=ago(hours=3))
        store(receive_timestamp=ago(minutes=10))
        repaired = Message.objects.order_by("receive_timestamp").first()
        Message.objects.filter(pk=repaired.pk).update(state="OK")
        fold_changes()
        assert 600 <= measure_rule(rule) < 700
        Message.objects.update(state="OK")
        fold_changes()
        assert measure_rule(rule) == 0

    @pytest.mark.parametrize(
        ("column", "wanted", "other"),
        [
            ("service_name", "orders", "billing"),
            ("operation_name", "createOrder", "createInvoice"),
            ("source_system", "ERP", "CRM"),
            ("failed_error_code", "E103", "E101"),
        ],
    )
    def test_measures_only_messages_with_the_value_of_the_rule(self, column, wanted, other):
        store(3, **{column: other}, receive_timestamp=ago(minutes=9))
        store(2, **{column: wanted}, receive_timestamp=ago(minutes=4))
        store(2, **{column: wanted}, state="OK", receive_timestamp=ago(minutes=4))
        store(5, **{column: other}, state="OK", receive_timestamp=ago(minutes=4))
        rules = {
            name: make_rule(name=name, measure=name, window_minutes=60, at_least=1, **{column: wanted})
            for name in ("present", "entered", "failure_rate", "age")
        }
        assert (measure_rule(rules["present"]), measure_rule(rules["entered"])) == (2, 2)
        assert measure_rule(rules["failure_rate"]) == 0.5
        assert 240 <= measure_rule(rules["age"]) < 400

    def test_counts_a_saved_view_to_just_above_the_limit(self):
        view = SavedView.objects.create(owner=make_user("support"), name="mine", query="state=FAILED")
        rule = make_rule(measure="saved_view", saved_view=view, limit=2)
        store(2)
        assert measure_rule(rule) == 2
        store(5)
        assert measure_rule(rule) == 3

    def test_cannot_measure_a_missing_or_broken_view(self):
        with pytest.raises(CannotMeasure, match="deleted"):
            measure_rule(make_rule(measure="saved_view"))
        view = SavedView.objects.create(owner=make_user("support"), name="mine", query="odd=1")
        with pytest.raises(CannotMeasure, match="no longer a valid filter"):
            measure_rule(make_rule(name="odd", measure="saved_view", saved_view=view))


class TestHoldsSince:
    """The banner of an alert does not say when the alert opened, but since when its condition holds."""

    def test_is_when_the_message_that_exceeds_the_limit_had_waited_long_enough(self):
        rule = make_rule(state="WAITING_FOR_RES", older_than_seconds=3600, limit=1)
        for days in (130, 20, 3):
            store(state="WAITING_FOR_RES", last_process_timestamp=ago(days=days))
        check_rules()
        since = holds_since(Alert.objects.get(rule=rule))
        # More than one message has waited for an hour since the second one did. Old counts are by the day.
        assert ago(days=21) < since < ago(days=19)

    def test_is_when_the_oldest_message_was_older_than_the_limit(self):
        rule = make_rule(measure="age", state="WAITING", limit=2 * 3600)
        store(state="WAITING", last_process_timestamp=ago(hours=5))
        check_rules()
        assert ago(hours=3, minutes=1) < holds_since(Alert.objects.get(rule=rule)) < ago(hours=2, minutes=59)

    def test_is_when_the_alert_opened_for_measures_of_a_time_window(self):
        rule = make_rule(measure="entered", state="FAILED", window_minutes=60)
        store(receive_timestamp=ago(minutes=30), last_process_timestamp=ago(minutes=30))
        check_rules()
        alert = Alert.objects.get(rule=rule)
        assert holds_since(alert) == alert.opened_at
