import pytest

from messages_app.messages.models import Message
from tests.messages_app.messages.diagnosis.told import reason, told
from tests.messages_app.messages.funnels.rows import ago, ordered, stored
from tests.support.factories import make_external_call

pytestmark = pytest.mark.django_db

OPENHUB = [("NEW", "not_taken_yet"), ("IN_QUEUE", "in_queue"), ("PROCESSING", "processing")]


class TestExplainStart:
    def test_says_since_when_the_hub_works_on_it(self):
        found = told(stored("PROCESSING", age=40))
        assert found.reason == "processing"
        assert "PROCESSING since 2026-11-02 11:59:20 UTC" in found.summary
        assert (found.blocked_by, found.next["what"], found.next["by"]) == ([], "route", "hub")

    def test_names_its_last_call(self):
        message = stored("PROCESSING")
        make_external_call(message, operation_name="direct:erp", state="PROCESSING")
        assert "Its last call, direct:erp, is PROCESSING since" in told(message).summary

    @pytest.mark.parametrize(("state", "code"), OPENHUB)
    def test_knows_the_states_before_processing_in_openhub(self, openhub, state, code):
        assert reason(stored(state, age=300)) == code
        assert reason(stored(state, age=301)) == "stuck"

    @pytest.mark.parametrize(("state", "way_out"), [("NEW", "cancel"), ("IN_QUEUE", "correct")])
    def test_says_that_cleverbus_never_takes_these(self, state, way_out):
        found = told(stored(state))
        assert found.reason == "never_picked_up"
        assert (found.next["what"], found.next["by"]) == (way_out, "operator")

    def test_waits_for_the_repair_past_its_age_only(self):
        assert reason(stored("PROCESSING", age=300)) == "processing"
        assert reason(stored("PROCESSING", age=300.001)) == "stuck"

    @pytest.mark.parametrize(
        ("failed_count", "becomes"),
        [(0, "PARTLY_FAILED"), (2, "PARTLY_FAILED"), (3, "FAILED"), (4, "FAILED")],
    )
    def test_says_what_the_repair_makes_of_it(self, failed_count, becomes):
        found = told(stored("PROCESSING", age=400, failed_count=failed_count))
        assert (found.next["what"], found.next["becomes"]) == ("repair", becomes)
        assert ("E116" in found.summary) == (becomes == "FAILED")

    def test_says_by_when_the_repair_comes(self):
        found = told(stored("PROCESSING", age=400))
        assert (found.next["at"], found.next["latest"]) == ("2026-11-02T12:00:00Z", "2026-11-02T12:03:20Z")

    def test_expects_an_overdue_repair_at_its_next_run(self):
        assert told(stored("PROCESSING", age=4000)).next["latest"] == "2026-11-02T12:05:00Z"

    def test_counts_the_crowd_that_one_run_cannot_take(self):
        message = stored("PROCESSING", age=400)
        Message.objects.bulk_create(
            Message(
                **{field.name: getattr(message, field.name) for field in Message._meta.concrete_fields}
                | {"msg_id": message.pk + 1000 + number, "correlation_id": f"crowd-{number}"}
            )
            for number in range(50)
        )
        assert "51 messages are stuck and a run repairs 50" in told(message).summary

    @pytest.mark.parametrize("state", ["NEW", "IN_QUEUE", "PROCESSING"])
    def test_says_that_no_repair_finds_a_message_without_a_start(self, openhub, state):
        found = told(stored(state, start_process_timestamp=None))
        assert found.reason == "never_repaired"
        assert found.next["what"] == "cancel"

    def test_offers_no_way_out_of_that_in_cleverbus(self):
        found = told(stored("PROCESSING", start_process_timestamp=None))
        assert (found.reason, found.next["what"]) == ("never_repaired", "correct")


class TestOrderWithoutValue:
    @pytest.mark.parametrize("state", ["PROCESSING", "PARTLY_FAILED", "POSTPONED"])
    def test_is_reported_for_every_unfinished_state(self, state):
        assert reason(stored(state, guaranteed_order=True)) == "order_without_value"

    def test_leaves_processing_to_the_repair(self):
        found = told(stored("PROCESSING", guaranteed_order=True, start_process_timestamp=ago(10)))
        assert (found.next["what"], found.next["at"]) == ("repair", "2026-11-02T12:04:50Z")

    @pytest.mark.parametrize("columns", [{"funnel_value": "777"}, {"values": ("777",)}])
    def test_is_not_reported_for_one_with_a_value(self, columns):
        assert reason(stored("PROCESSING", guaranteed_order=True, **columns)) == "processing"

    def test_is_not_reported_for_a_first_one_with_a_value(self):
        assert reason(ordered("PARTLY_FAILED")) == "waits_for_retry"
