import pytest

from tests.messages_app.messages.diagnosis.told import reason, told
from tests.messages_app.messages.funnels.rows import ago, ordered, stored

pytestmark = pytest.mark.django_db


def failed_in_order(**columns: object):
    return ordered("FAILED", **({"failed_error_code": "E121", "failed_count": 1} | columns))


class TestExplainOrder:
    @pytest.mark.parametrize(
        "state", ["PROCESSING", "WAITING", "WAITING_FOR_RES", "PARTLY_FAILED", "POSTPONED"]
    )
    def test_names_an_unfinished_earlier_one(self, state):
        head = ordered(state, age=5000)
        found = told(ordered("POSTPONED", age=60))
        assert (found.reason, found.blocked_by) == ("held_by_order", [head.pk])
        assert f"message {head.pk}, {state} since 2026-11-02 10:36:40 UTC, is before it" in found.summary
        assert "after 2026-11-02 12:04:00 UTC sets it to FAILED with E121" in found.summary

    def test_names_a_failed_earlier_one_with_its_error(self):
        head = ordered("FAILED", age=5000, failed_error_code="E103", failed_count=4)
        found = told(ordered("POSTPONED", age=60))
        assert (found.reason, found.blocked_by) == ("held_by_failed_order", [head.pk])
        assert "with E103" in found.summary
        assert (found.next["what"], found.next["by"]) == ("restart_blocker", "operator")

    def test_ignores_failed_ones_where_the_waiting_one_says_so(self):
        ordered("FAILED", age=5000)
        assert reason(ordered("POSTPONED", exclude_failed_state=True)) == "free_to_go"

    def test_does_not_ask_the_blocking_one_for_that(self):
        ordered("FAILED", age=5000, exclude_failed_state=True)
        assert reason(ordered("POSTPONED")) == "held_by_failed_order"

    @pytest.mark.parametrize("state", ["OK", "CANCEL"])
    def test_lets_go_behind_what_has_completed(self, state):
        ordered(state, age=5000)
        assert reason(ordered("POSTPONED")) == "free_to_go"

    def test_lets_the_first_go(self):
        first = ordered("POSTPONED", age=60)
        ordered("POSTPONED", age=50)
        assert reason(first) == "free_to_go"

    @pytest.mark.parametrize("columns", [{"guaranteed_order": False}, {"value": "778"}])
    def test_is_not_held_by_another_order(self, columns):
        ordered("PROCESSING", age=5000, **columns)
        assert reason(ordered("POSTPONED")) == "free_to_go"

    def test_gives_the_head_and_the_place_in_line(self):
        head = ordered("FAILED", age=300)
        ordered("POSTPONED", age=200)
        found = told(ordered("POSTPONED", age=100))
        assert found.blocked_by == [head.pk]
        assert "it is third in line" in found.summary

    def test_puts_the_newest_id_first_among_equal_times_in_openhub(self, openhub):
        older, newer = ordered("POSTPONED"), ordered("POSTPONED")
        assert told(older).blocked_by == [newer.pk]
        assert reason(newer) != "held_by_order"

    def test_says_that_the_next_check_fails_it(self):
        head = ordered("FAILED", age=5000)
        found = told(ordered("POSTPONED", age=60, receive_timestamp=ago(301)))
        assert (found.reason, found.blocked_by) == ("order_time_over", [head.pk])
        assert (found.next["what"], found.next["becomes"]) == ("poll", "FAILED")

    def test_does_not_say_so_when_the_time_is_just_not_over(self):
        ordered("FAILED", age=5000)
        assert reason(ordered("POSTPONED", receive_timestamp=ago(300))) == "held_by_failed_order"

    def test_reckons_with_the_time_until_the_next_check(self):
        ordered("PROCESSING", age=5000)
        # Changed just now, so the next check is in 60 s at the earliest; received 241 s ago.
        restarted = ordered(
            "PARTLY_FAILED", age=60, last_process_timestamp=ago(0), receive_timestamp=ago(241)
        )
        assert reason(restarted) == "order_time_over"


class TestExplainOrderFailure:
    def test_names_the_root(self):
        root = ordered("FAILED", age=900, failed_error_code="E102", failed_count=1)
        middle = failed_in_order(age=800)
        found = told(failed_in_order(age=700))
        assert (found.reason, found.blocked_by) == ("failed_in_order", [root.pk])
        assert f"Restart {root.pk} first" in found.summary
        assert found.mentions == [root.pk, middle.pk]

    def test_names_an_unfinished_root(self):
        root = ordered("WAITING_FOR_RES", age=900)
        found = told(failed_in_order(age=800))
        assert found.blocked_by == [root.pk]
        assert f"Wait until {root.pk} finishes" in found.summary

    @pytest.mark.parametrize("state", ["OK", "CANCEL"])
    def test_has_no_root_when_that_has_completed(self, state):
        ordered(state, age=900)
        found = told(failed_in_order(age=800))
        assert (found.reason, found.blocked_by, found.next["what"]) == ("failed_in_order", [], "restart")

    def test_takes_the_first_of_the_chain_when_the_root_is_gone(self):
        first = failed_in_order(age=900)
        assert told(failed_in_order(age=800)).blocked_by == [first.pk]
        assert told(first).blocked_by == []

    def test_follows_a_chain_from_value_to_value(self):
        root = ordered("FAILED", age=900, value="A", failed_error_code="E103", failed_count=4)
        link = {"guaranteed_order": True, "failed_error_code": "E121", "failed_count": 1}
        stored("FAILED", age=800, values=("A", "B"), **link)
        assert told(failed_in_order(age=700, value="B")).blocked_by == [root.pk]

    def test_leaves_failed_ones_out_where_it_excludes_them(self):
        ordered("FAILED", age=900)
        ordered("POSTPONED", age=100)
        assert told(failed_in_order(age=800, exclude_failed_state=True)).blocked_by == []

    def test_is_not_reported_without_guaranteed_order(self):
        ordered("FAILED", age=900)
        assert reason(failed_in_order(guaranteed_order=False)) == "failed_at_once"


class TestFollowers:
    def test_are_counted_behind_a_failed_head(self):
        head = ordered("FAILED", age=900, failed_error_code="E103", failed_count=4)
        ordered("POSTPONED", age=800)
        failed_in_order(age=700)
        assert "2 later messages with the same value cannot start" in told(head).summary

    def test_are_not_reported_for_one_that_blocks_no_other(self):
        head = ordered("FAILED", age=900, failed_error_code="E103", failed_count=4)
        assert "cannot start" not in told(head).summary
