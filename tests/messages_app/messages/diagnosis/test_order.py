import pytest

from tests.messages_app.messages.diagnosis.explanations import explanation_of, reason_of
from tests.messages_app.messages.funnels.rows import ago, ordered, stored

pytestmark = pytest.mark.django_db


def failed_in_order(**columns: object):
    return ordered("FAILED", **({"failed_error_code": "E121", "failed_count": 1} | columns))


class TestExplainOrder:
    @pytest.mark.parametrize(
        "state", ["PROCESSING", "WAITING", "WAITING_FOR_RES", "PARTLY_FAILED", "POSTPONED"]
    )
    def test_names_an_unfinished_earlier_message(self, state):
        head = ordered(state, age=5000)
        explanation = explanation_of(ordered("POSTPONED", age=60))
        assert (explanation.reason, explanation.blocked_by) == ("held_by_order", [head.pk])
        assert (
            f"message {head.pk}, {state} since 2026-11-02 10:36:40 UTC, is before it" in explanation.summary
        )
        assert "after 2026-11-02 12:04:00 UTC sets it to FAILED with E121" in explanation.summary

    def test_names_a_failed_earlier_message_with_its_error(self):
        head = ordered("FAILED", age=5000, failed_error_code="E103", failed_count=4)
        explanation = explanation_of(ordered("POSTPONED", age=60))
        assert (explanation.reason, explanation.blocked_by) == ("held_by_failed_order", [head.pk])
        assert "with E103" in explanation.summary
        assert (explanation.next["what"], explanation.next["by"]) == ("restart_blocker", "operator")

    def test_ignores_failed_messages_if_the_waiting_message_excludes_them(self):
        ordered("FAILED", age=5000)
        assert reason_of(ordered("POSTPONED", exclude_failed_state=True)) == "free_to_go"

    def test_ignores_what_the_blocking_message_excludes(self):
        ordered("FAILED", age=5000, exclude_failed_state=True)
        assert reason_of(ordered("POSTPONED")) == "held_by_failed_order"

    @pytest.mark.parametrize("state", ["OK", "CANCEL"])
    def test_is_not_held_by_a_message_that_has_ended(self, state):
        ordered(state, age=5000)
        assert reason_of(ordered("POSTPONED")) == "free_to_go"

    def test_is_not_reported_for_the_first_message(self):
        first = ordered("POSTPONED", age=60)
        ordered("POSTPONED", age=50)
        assert reason_of(first) == "free_to_go"

    @pytest.mark.parametrize("columns", [{"guaranteed_order": False}, {"value": "778"}])
    def test_is_not_held_by_another_order(self, columns):
        ordered("PROCESSING", age=5000, **columns)
        assert reason_of(ordered("POSTPONED")) == "free_to_go"

    def test_names_the_head_and_the_place_in_line(self):
        head = ordered("FAILED", age=300)
        ordered("POSTPONED", age=200)
        explanation = explanation_of(ordered("POSTPONED", age=100))
        assert explanation.blocked_by == [head.pk]
        assert "it is third in line" in explanation.summary

    def test_puts_the_newest_id_first_among_equal_times_in_openhub(self, openhub):
        older, newer = ordered("POSTPONED"), ordered("POSTPONED")
        assert explanation_of(older).blocked_by == [newer.pk]
        assert reason_of(newer) != "held_by_order"

    def test_says_that_the_next_check_fails_it(self):
        head = ordered("FAILED", age=5000)
        explanation = explanation_of(ordered("POSTPONED", age=60, receive_timestamp=ago(301)))
        assert (explanation.reason, explanation.blocked_by) == ("order_time_over", [head.pk])
        assert (explanation.next["what"], explanation.next["becomes"]) == ("poll", "FAILED")

    def test_does_not_say_so_before_the_time_is_over(self):
        ordered("FAILED", age=5000)
        assert reason_of(ordered("POSTPONED", receive_timestamp=ago(300))) == "held_by_failed_order"

    def test_includes_the_time_until_the_next_check(self):
        ordered("PROCESSING", age=5000)
        # It was changed just now, so the next check is in 60 s at the earliest. It was received 241 s ago.
        restarted = ordered(
            "PARTLY_FAILED", age=60, last_process_timestamp=ago(0), receive_timestamp=ago(241)
        )
        assert reason_of(restarted) == "order_time_over"


class TestExplainOrderFailure:
    def test_names_the_root(self):
        root = ordered("FAILED", age=900, failed_error_code="E102", failed_count=1)
        middle = failed_in_order(age=800)
        explanation = explanation_of(failed_in_order(age=700))
        assert (explanation.reason, explanation.blocked_by) == ("failed_in_order", [root.pk])
        assert f"Restart {root.pk} first" in explanation.summary
        assert explanation.mentions == [root.pk, middle.pk]

    def test_names_an_unfinished_root(self):
        root = ordered("WAITING_FOR_RES", age=900)
        explanation = explanation_of(failed_in_order(age=800))
        assert explanation.blocked_by == [root.pk]
        assert f"Wait until {root.pk} finishes" in explanation.summary

    @pytest.mark.parametrize("state", ["OK", "CANCEL"])
    def test_does_not_name_a_root_that_has_ended(self, state):
        ordered(state, age=900)
        explanation = explanation_of(failed_in_order(age=800))
        assert (explanation.reason, explanation.blocked_by, explanation.next["what"]) == (
            "failed_in_order",
            [],
            "restart",
        )

    def test_names_the_first_message_of_a_chain_without_a_root(self):
        first = failed_in_order(age=900)
        assert explanation_of(failed_in_order(age=800)).blocked_by == [first.pk]
        assert explanation_of(first).blocked_by == []

    def test_follows_a_chain_from_value_to_value(self):
        root = ordered("FAILED", age=900, value="A", failed_error_code="E103", failed_count=4)
        link = {"guaranteed_order": True, "failed_error_code": "E121", "failed_count": 1}
        stored("FAILED", age=800, values=("A", "B"), **link)
        assert explanation_of(failed_in_order(age=700, value="B")).blocked_by == [root.pk]

    def test_ignores_failed_messages_if_it_excludes_them(self):
        ordered("FAILED", age=900)
        ordered("POSTPONED", age=100)
        assert explanation_of(failed_in_order(age=800, exclude_failed_state=True)).blocked_by == []

    def test_is_not_reported_without_a_guaranteed_order(self):
        ordered("FAILED", age=900)
        assert reason_of(failed_in_order(guaranteed_order=False)) == "failed_at_once"


class TestWriteFollowers:
    def test_are_counted_behind_a_failed_head(self):
        head = ordered("FAILED", age=900, failed_error_code="E103", failed_count=4)
        ordered("POSTPONED", age=800)
        failed_in_order(age=700)
        assert "2 later messages with the same value cannot start" in explanation_of(head).summary

    def test_are_not_reported_if_the_message_does_not_block_others(self):
        head = ordered("FAILED", age=900, failed_error_code="E103", failed_count=4)
        assert "cannot start" not in explanation_of(head).summary
