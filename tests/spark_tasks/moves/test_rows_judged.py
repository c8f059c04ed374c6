from messages_app.shared.message_states import FINAL_STATES, MessageState
from spark_tasks.moves.rows import judge_families

OLD_OK = (MessageState.OK, True)
YOUNG_OK = (MessageState.OK, False)
RESTARTED = (MessageState.PARTLY_FAILED, True)


def judge(roots, locked, *, still_live=(), relatives=()):
    return judge_families(
        roots=roots, locked=locked, still_live=still_live, relatives=relatives, final_states=FINAL_STATES
    )


class TestJudgeFamilies:
    def test_allows_old_final_messages(self):
        assert judge({1: 1, 2: 1}, {1: OLD_OK, 2: OLD_OK}, relatives=[(1, 2, "OK"), (2, 1, "OK")]) == {}

    def test_keeps_the_whole_family_of_a_restarted_member(self):
        assert judge({1: 1, 2: 1, 9: 9}, {1: RESTARTED, 2: OLD_OK, 9: OLD_OK}) == {
            1: "moved_on",
            2: "family_not_final",
        }

    def test_keeps_the_family_of_a_member_that_ended_again_recently(self):
        assert judge({1: 1, 2: 1}, {1: YOUNG_OK, 2: OLD_OK}) == {1: "moved_on", 2: "family_too_young"}

    def test_keeps_the_family_of_a_locked_member(self):
        assert judge({1: 1, 2: 1}, {2: OLD_OK}, still_live=[1]) == {1: "locked", 2: "locked"}

    def test_does_not_wait_for_a_member_that_the_hub_deleted(self):
        assert judge({1: 1, 2: 1}, {2: OLD_OK}) == {1: "vanished"}

    def test_keeps_a_family_that_got_an_unfinished_child_after_the_plan(self):
        assert judge({1: 1}, {1: OLD_OK}, relatives=[(1, 7, "NEW")]) == {1: "family_not_final"}

    def test_keeps_a_family_that_got_a_finished_child_after_the_plan(self):
        assert judge({1: 1}, {1: OLD_OK}, relatives=[(1, 7, "OK")]) == {1: "family_too_young"}

    def test_does_not_delay_other_families(self):
        assert judge({1: 1, 2: 2}, {1: RESTARTED, 2: OLD_OK}) == {1: "moved_on"}
