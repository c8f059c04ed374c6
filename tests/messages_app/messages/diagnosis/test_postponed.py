import pytest

from tests.messages_app.messages.diagnosis.told import reason, told
from tests.messages_app.messages.funnels.rows import ago, in_funnel, stored

pytestmark = pytest.mark.django_db


class TestExplainPostponed:
    def test_names_the_holder_the_component_and_the_times(self):
        holder = in_funnel("WAITING_FOR_RES", age=120)
        found = told(in_funnel("POSTPONED", age=60))
        assert (found.reason, found.blocked_by) == ("held_by_funnel", [holder.pk])
        assert (
            f"POSTPONED for 60 s: message {holder.pk} holds funnel value “777” of f "
            "(WAITING_FOR_RES, started 2026-11-02 11:58:00 UTC)." in found.summary
        )
        assert "after 2026-11-02 12:08:00 UTC, when 10 min have passed since their start" in found.summary
        assert found.next == {
            "what": "poll",
            "at": "2026-11-02T12:00:00Z",
            "latest": "2026-11-02T12:01:00Z",
            "by": "hub",
            "becomes": None,
        }
        assert found.mentions == [holder.pk]

    def test_names_every_holder(self):
        first, second = in_funnel("PROCESSING", age=90), in_funnel("WAITING", age=80)
        found = told(in_funnel("POSTPONED"))
        assert found.blocked_by == [first.pk, second.pk]
        assert f"messages {first.pk} and {second.pk} hold" in found.summary

    def test_says_its_place_in_line(self):
        in_funnel("PROCESSING", age=90)
        in_funnel("POSTPONED", age=80)
        in_funnel("POSTPONED", age=70)
        assert "it is third in line" in told(in_funnel("POSTPONED", age=60)).summary

    @pytest.mark.parametrize(
        "columns",
        [{"funnel_component_id": "g"}, {"value": "778"}, {"start_process_timestamp": ago(601)}],
    )
    def test_is_not_held_by_a_message_elsewhere(self, columns):
        in_funnel("PROCESSING", **columns)
        assert reason(in_funnel("POSTPONED")) == "free_to_go"

    @pytest.mark.parametrize("state", ["OK", "CANCEL", "NEW", "IN_QUEUE"])
    def test_is_not_held_by_what_does_not_run(self, state):
        in_funnel(state)
        assert reason(in_funnel("POSTPONED")) == "free_to_go"

    def test_is_held_by_another_component_in_openhub(self, openhub):
        holder = in_funnel("NEW", funnel_component_id="g")
        assert told(in_funnel("POSTPONED")).blocked_by == [holder.pk]

    def test_is_held_just_within_the_idle_window(self):
        in_funnel("PROCESSING", age=600)
        assert reason(in_funnel("POSTPONED")) == "held_by_funnel"

    def test_says_who_still_runs_but_no_longer_counts(self):
        old = in_funnel("PROCESSING", age=601)
        found = told(in_funnel("POSTPONED"))
        assert found.reason == "free_to_go"
        assert f"Message {old.pk} still runs, but started more than 10 min ago" in found.summary
        assert (found.blocked_by, found.mentions) == ([], [old.pk])
        assert found.next["becomes"] == "PROCESSING"

    def test_lets_the_first_of_two_postponed_together_go(self):
        first, second = in_funnel("POSTPONED", age=61), in_funnel("POSTPONED", age=60)
        assert reason(first) == "free_to_go"
        found = told(second)
        assert (found.reason, found.blocked_by) == ("behind_in_line", [first.pk])
        assert "it is second in line" in found.summary

    def test_is_not_behind_one_that_never_gets_in(self):
        stored("POSTPONED", age=90, values=("777", "778"), funnel_component_id="f")
        in_funnel("POSTPONED", age=90, last_process_timestamp=None)
        assert reason(in_funnel("POSTPONED")) == "perhaps_held_by_funnel_order"

    @pytest.mark.parametrize("state", ["FAILED", "PARTLY_FAILED"])
    def test_says_that_the_funnel_may_keep_order(self, state):
        earlier = in_funnel(state, age=90)
        found = told(in_funnel("POSTPONED"))
        assert (found.reason, found.blocked_by) == ("perhaps_held_by_funnel_order", [])
        assert found.mentions == [earlier.pk]

    @pytest.mark.parametrize("columns", [{"age": 601}, {"age": 30}, {"funnel_component_id": "g"}])
    def test_does_not_say_so_of_one_that_such_an_order_would_not_count(self, columns):
        in_funnel("FAILED", **columns)
        assert reason(in_funnel("POSTPONED")) == "free_to_go"

    def test_blocks_itself_with_two_values_in_cleverbus(self):
        found = told(stored("POSTPONED", values=("777", "778"), funnel_component_id="f"))
        assert (found.reason, found.blocked_by) == ("postpones_itself", [])
        assert "it blocks itself at every attempt" in found.summary

    def test_does_not_in_openhub(self, openhub):
        assert reason(stored("POSTPONED", values=("777", "778"))) == "free_to_go"

    def test_has_no_cause_without_a_value(self):
        assert reason(stored("POSTPONED")) == "postponed_without_cause"

    def test_is_overdue_when_nothing_holds_it_for_two_polls(self):
        assert reason(in_funnel("POSTPONED", age=125)) == "free_to_go"
        assert reason(in_funnel("POSTPONED", age=126, value="778")) == "retry_overdue"

    def test_says_that_no_poll_finds_one_without_a_time(self):
        assert reason(in_funnel("POSTPONED", last_process_timestamp=None)) == "never_picked_up"

    def test_reads_the_old_column(self):
        holder = stored("PROCESSING", funnel_value="777", funnel_component_id="f")
        waiting = stored("POSTPONED", funnel_value="777", funnel_component_id="f")
        assert told(waiting).blocked_by == [holder.pk]
