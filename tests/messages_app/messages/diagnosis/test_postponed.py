import pytest

from messages_app.messages.corrections.services import resend_message
from messages_app.messages.models import Message
from tests.messages_app.messages.diagnosis.explanations import explanation_of, reason_of
from tests.messages_app.messages.funnels.rows import ago, in_funnel, stored
from tests.support.factories import PAYLOAD
from tests.support.jobs import ANA

pytestmark = pytest.mark.django_db


class TestExplainPostponed:
    def test_names_the_holder_the_component_and_the_times(self):
        holder = in_funnel("WAITING_FOR_RES", age=120)
        explanation = explanation_of(in_funnel("POSTPONED", age=60))
        assert (explanation.reason, explanation.blocked_by) == ("held_by_funnel", [holder.pk])
        assert (
            f"POSTPONED for 60 s: message {holder.pk} holds funnel value “777” of f "
            "(WAITING_FOR_RES, started 2026-11-02 11:58:00 UTC)." in explanation.summary
        )
        assert "after 2026-11-02 12:08:00 UTC, when 10 min have passed since its start" in explanation.summary
        assert explanation.next == {
            "what": "poll",
            "at": "2026-11-02T12:00:00Z",
            "latest": "2026-11-02T12:01:00Z",
            "by": "hub",
            "becomes": None,
        }
        assert explanation.mentions == [holder.pk]

    def test_names_every_holder(self):
        first, second = in_funnel("PROCESSING", age=90), in_funnel("WAITING", age=80)
        explanation = explanation_of(in_funnel("POSTPONED"))
        assert explanation.blocked_by == [first.pk, second.pk]
        assert f"messages {first.pk} and {second.pk} hold" in explanation.summary

    def test_can_start_when_the_last_of_its_holders_no_longer_counts(self):
        in_funnel("PROCESSING", age=300)
        in_funnel("WAITING", age=90)
        in_funnel("PROCESSING", age=200)
        summary = explanation_of(in_funnel("POSTPONED", age=60)).summary
        assert "when those messages are done, or after 2026-11-02 12:08:30 UTC" in summary

    def test_names_its_place_in_line(self):
        in_funnel("PROCESSING", age=90)
        in_funnel("POSTPONED", age=80)
        in_funnel("POSTPONED", age=70)
        assert "this message is third in line" in explanation_of(in_funnel("POSTPONED", age=60)).summary

    @pytest.mark.parametrize(
        "columns",
        [{"funnel_component_id": "g"}, {"value": "778"}, {"start_process_timestamp": ago(601)}],
    )
    def test_is_not_held_by_a_message_elsewhere(self, columns):
        in_funnel("PROCESSING", **columns)
        assert reason_of(in_funnel("POSTPONED")) == "free_to_go"

    @pytest.mark.parametrize("state", ["OK", "CANCEL", "NEW", "IN_QUEUE"])
    def test_is_not_held_by_a_message_that_does_not_run(self, state):
        in_funnel(state)
        assert reason_of(in_funnel("POSTPONED")) == "free_to_go"

    def test_is_held_by_another_component_in_openhub(self, openhub):
        holder = in_funnel("NEW", funnel_component_id="g")
        assert explanation_of(in_funnel("POSTPONED")).blocked_by == [holder.pk]

    def test_is_held_just_within_the_idle_window(self):
        in_funnel("PROCESSING", age=600)
        assert reason_of(in_funnel("POSTPONED")) == "held_by_funnel"

    def test_names_messages_that_still_run_but_no_longer_count(self):
        old = in_funnel("PROCESSING", age=601)
        explanation = explanation_of(in_funnel("POSTPONED"))
        assert explanation.reason == "free_to_go"
        assert f"Message {old.pk} still runs, but started more than 10 min ago" in explanation.summary
        assert (explanation.blocked_by, explanation.mentions) == ([], [old.pk])
        assert explanation.next["becomes"] == "PROCESSING"

    def test_does_not_block_the_first_of_two_postponed_messages(self):
        first, second = in_funnel("POSTPONED", age=61), in_funnel("POSTPONED", age=60)
        assert reason_of(first) == "free_to_go"
        explanation = explanation_of(second)
        assert (explanation.reason, explanation.blocked_by) == ("behind_in_line", [first.pk])
        assert "this message is second in line" in explanation.summary

    def test_is_not_behind_messages_that_can_never_enter(self):
        stored("POSTPONED", age=90, values=("777", "778"), funnel_component_id="f")
        in_funnel("POSTPONED", age=90, last_process_timestamp=None)
        assert reason_of(in_funnel("POSTPONED")) == "perhaps_held_by_funnel_order"

    @pytest.mark.parametrize("state", ["FAILED", "PARTLY_FAILED"])
    def test_says_that_the_funnel_may_keep_order(self, state):
        earlier = in_funnel(state, age=90)
        explanation = explanation_of(in_funnel("POSTPONED"))
        assert (explanation.reason, explanation.blocked_by) == ("perhaps_held_by_funnel_order", [])
        assert explanation.mentions == [earlier.pk]

    @pytest.mark.parametrize("columns", [{"age": 601}, {"age": 30}, {"funnel_component_id": "g"}])
    def test_ignores_messages_that_such_an_order_does_not_count(self, columns):
        in_funnel("FAILED", **columns)
        assert reason_of(in_funnel("POSTPONED")) == "free_to_go"

    def test_blocks_itself_with_two_values_in_cleverbus(self):
        explanation = explanation_of(stored("POSTPONED", values=("777", "778"), funnel_component_id="f"))
        assert (explanation.reason, explanation.blocked_by) == ("postpones_itself", [])
        assert "it blocks itself at every attempt" in explanation.summary

    def test_does_not_block_itself_in_openhub(self, openhub):
        assert reason_of(stored("POSTPONED", values=("777", "778"))) == "free_to_go"

    def test_does_not_have_a_cause_without_a_value(self):
        assert reason_of(stored("POSTPONED")) == "postponed_without_cause"

    def test_is_not_the_hubs_doing_after_a_correction(self):
        original = stored("FAILED", payload=PAYLOAD)
        payload = PAYLOAD.replace("Ada", "Eva")
        resent = resend_message(msg_id=original.pk, payload=payload, actor=ANA, reason="wrong name")
        explanation = explanation_of(Message.objects.get(pk=resent.pk))
        assert explanation.reason == "postponed_without_cause"
        assert (
            f"it was sent with a corrected payload instead of message {original.pk}, as every correction is."
            in explanation.summary
        )

    def test_is_overdue_when_nothing_holds_it_for_two_polls(self):
        assert reason_of(in_funnel("POSTPONED", age=125)) == "free_to_go"
        assert reason_of(in_funnel("POSTPONED", age=126, value="778")) == "retry_overdue"

    def test_says_that_polls_do_not_find_a_message_without_a_time(self):
        assert reason_of(in_funnel("POSTPONED", last_process_timestamp=None)) == "never_picked_up"

    def test_reads_the_column_of_older_hubs(self):
        holder = stored("PROCESSING", funnel_value="777", funnel_component_id="f")
        waiting = stored("POSTPONED", funnel_value="777", funnel_component_id="f")
        assert explanation_of(waiting).blocked_by == [holder.pk]
