import pytest

from messages_app.messages.models import Message
from tests.messages_app.messages.diagnosis.explanations import explanation_of, reason_of
from tests.messages_app.messages.funnels.rows import ago, ordered, stored
from tests.support.factories import make_external_call

pytestmark = pytest.mark.django_db

OPENHUB = [("NEW", "not_taken_yet"), ("IN_QUEUE", "in_queue"), ("PROCESSING", "processing")]


class TestExplainStart:
    def test_names_the_start_of_the_processing(self):
        explanation = explanation_of(stored("PROCESSING", age=40))
        assert explanation.reason == "processing"
        assert "PROCESSING since 2026-11-02 11:59:20 UTC" in explanation.summary
        assert (explanation.blocked_by, explanation.next["what"], explanation.next["by"]) == (
            [],
            "route",
            "hub",
        )

    def test_names_its_last_call(self):
        message = stored("PROCESSING")
        make_external_call(message, operation_name="direct:erp", state="PROCESSING")
        assert "Its last call, direct:erp, is PROCESSING since" in explanation_of(message).summary

    @pytest.mark.parametrize(("state", "code"), OPENHUB)
    def test_explains_the_states_before_processing_in_openhub(self, openhub, state, code):
        assert reason_of(stored(state, age=300)) == code
        assert reason_of(stored(state, age=301)) == "stuck"

    @pytest.mark.parametrize(("state", "way_out"), [("NEW", "cancel"), ("IN_QUEUE", "correct")])
    def test_says_that_cleverbus_never_picks_up_these_states(self, state, way_out):
        explanation = explanation_of(stored(state))
        assert explanation.reason == "never_picked_up"
        assert (explanation.next["what"], explanation.next["by"]) == (way_out, "operator")

    def test_waits_for_the_repair_after_five_minutes(self):
        assert reason_of(stored("PROCESSING", age=300)) == "processing"
        assert reason_of(stored("PROCESSING", age=300.001)) == "stuck"

    @pytest.mark.parametrize(
        ("failed_count", "becomes"),
        [(0, "PARTLY_FAILED"), (2, "PARTLY_FAILED"), (3, "FAILED"), (4, "FAILED")],
    )
    def test_names_the_state_after_the_repair(self, failed_count, becomes):
        explanation = explanation_of(stored("PROCESSING", age=400, failed_count=failed_count))
        assert (explanation.next["what"], explanation.next["becomes"]) == ("repair", becomes)
        assert ("E116" in explanation.summary) == (becomes == "FAILED")

    def test_names_the_time_of_the_repair(self):
        explanation = explanation_of(stored("PROCESSING", age=400))
        assert (explanation.next["at"], explanation.next["latest"]) == (
            "2026-11-02T12:00:00Z",
            "2026-11-02T12:03:20Z",
        )

    def test_expects_an_overdue_repair_at_its_next_run(self):
        assert explanation_of(stored("PROCESSING", age=4000)).next["latest"] == "2026-11-02T12:05:00Z"

    def test_counts_stuck_messages_that_one_run_cannot_repair(self):
        message = stored("PROCESSING", age=400)
        Message.objects.bulk_create(
            Message(
                **{field.name: getattr(message, field.name) for field in Message._meta.concrete_fields}
                | {"msg_id": message.pk + 1000 + number, "correlation_id": f"crowd-{number}"}
            )
            for number in range(50)
        )
        assert "51 messages are stuck and a run repairs 50" in explanation_of(message).summary

    @pytest.mark.parametrize("state", ["NEW", "IN_QUEUE", "PROCESSING"])
    def test_says_that_the_repair_does_not_find_a_message_without_a_start(self, openhub, state):
        explanation = explanation_of(stored(state, start_process_timestamp=None))
        assert explanation.reason == "never_repaired"
        assert explanation.next["what"] == "cancel"

    def test_needs_a_correction_without_a_start_in_cleverbus(self):
        explanation = explanation_of(stored("PROCESSING", start_process_timestamp=None))
        assert (explanation.reason, explanation.next["what"]) == ("never_repaired", "correct")


class TestExplainOrderWithoutValue:
    @pytest.mark.parametrize("state", ["PROCESSING", "PARTLY_FAILED", "POSTPONED"])
    def test_is_reported_for_every_unfinished_state(self, state):
        assert reason_of(stored(state, guaranteed_order=True)) == "order_without_value"

    def test_leaves_processing_to_the_repair(self):
        explanation = explanation_of(
            stored("PROCESSING", guaranteed_order=True, start_process_timestamp=ago(10))
        )
        assert (explanation.next["what"], explanation.next["at"]) == ("repair", "2026-11-02T12:04:50Z")

    @pytest.mark.parametrize("columns", [{"funnel_value": "777"}, {"values": ("777",)}])
    def test_is_not_reported_for_a_message_with_a_value(self, columns):
        assert reason_of(stored("PROCESSING", guaranteed_order=True, **columns)) == "processing"

    def test_is_not_reported_for_the_first_message_of_an_order(self):
        assert reason_of(ordered("PARTLY_FAILED")) == "waits_for_retry"
