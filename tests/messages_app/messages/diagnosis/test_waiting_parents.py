import pytest

from messages_app.messages.diagnosis import children
from tests.messages_app.messages.diagnosis.told import child, reason, told
from tests.messages_app.messages.funnels.rows import stored
from tests.support.factories import make_archived_message

pytestmark = pytest.mark.django_db


@pytest.fixture
def parent():
    return stored("WAITING", age=500)


class TestExplainParent:
    @pytest.mark.parametrize(
        "state", ["NEW", "IN_QUEUE", "PROCESSING", "PARTLY_FAILED", "POSTPONED", "WAITING"]
    )
    def test_waits_for_an_unfinished_child(self, parent, state):
        child(parent, "OK")
        open_one = child(parent, state)
        found = told(parent)
        assert (found.reason, found.blocked_by) == ("waits_for_children", [open_one.pk])
        assert f"1 child is not finished: HARD child {open_one.pk} is {state}" in found.summary
        assert (found.next["what"], found.next["by"]) == ("children", "hub")

    def test_names_hard_ones_before_soft_ones(self, parent):
        soft = child(parent, "NEW", binding="SOFT")
        hard = child(parent, "PROCESSING")
        assert told(parent).blocked_by == [hard.pk, soft.pk]

    def test_names_only_the_first_of_many(self, parent):
        for _ in range(25):
            child(parent, "PROCESSING")
        found = told(parent)
        assert len(found.blocked_by) == 20
        assert "25 children are not finished" in found.summary
        assert len(found.mentions) == 3

    def test_says_more_than_where_it_did_not_count_them(self, parent, monkeypatch):
        monkeypatch.setattr(children, "MOST_CHILDREN", 3)
        monkeypatch.setattr("messages_app.messages.diagnosis.waiting.MOST_CHILDREN", 3)
        for _ in range(6):
            child(parent, "PROCESSING")
        assert "more than 3 children are not finished" in told(parent).summary

    def test_waits_for_an_answer_through_its_child(self, parent):
        waiting = child(parent, "WAITING_FOR_RES")
        found = told(parent)
        assert (found.reason, found.blocked_by) == ("waits_for_unanswered_child", [waiting.pk])
        child(parent, "PROCESSING")
        assert reason(parent) == "waits_for_children"

    @pytest.mark.parametrize("state", ["CANCEL", "FAILED"])
    def test_will_wait_forever_behind_a_child_that_did_not_end_ok(self, parent, state):
        open_one, bad = child(parent, "PROCESSING"), child(parent, state)
        found = told(parent)
        assert (found.reason, found.blocked_by) == ("will_wait_for_ever", [bad.pk, open_one.pk])
        assert f"Restart {bad.pk}" in found.summary

    @pytest.mark.parametrize(
        ("state", "code"), [("CANCEL", "waits_for_cancelled_child"), ("FAILED", "waits_for_failed_child")]
    )
    def test_waits_forever_for_a_hard_child_that_did_not_end_ok(self, parent, state, code):
        child(parent, "OK")
        bad = child(parent, state)
        found = told(parent)
        assert (found.reason, found.blocked_by) == (code, [bad.pk])
        assert (found.next["what"], found.next["by"]) == ("restart_blocker", "operator")

    @pytest.mark.parametrize("binding", ["SOFT", None])
    @pytest.mark.parametrize("state", ["CANCEL", "FAILED", "PROCESSING"])
    def test_waits_forever_when_a_soft_child_was_not_ok(self, parent, state, binding):
        child(parent, "OK")
        soft = child(parent, state, binding=binding)
        found = told(parent)
        assert (found.reason, found.blocked_by) == ("waits_for_soft_child", [])
        assert found.mentions == [soft.pk]

    def test_waits_forever_when_a_soft_child_ended_last(self, parent):
        child(parent, "OK", age=90)
        soft = child(parent, "OK", age=80, binding="SOFT")
        found = told(parent)
        assert found.reason == "waits_for_soft_child"
        assert f"its last child, {soft.pk}, ended at 2026-11-02 11:58:40 UTC and is SOFT" in found.summary

    def test_does_not_blame_a_soft_child_that_ended_earlier(self, parent):
        child(parent, "OK", age=80)
        child(parent, "OK", age=90, binding="SOFT")
        assert reason(parent) == "children_all_ok"

    @pytest.mark.parametrize("state", ["OK", "PROCESSING", "CANCEL", "FAILED"])
    def test_waits_forever_with_only_soft_children(self, parent, state):
        child(parent, state, binding="SOFT")
        assert reason(parent) == "waits_with_only_soft_children"

    def test_waits_forever_without_children(self, parent):
        child(stored("WAITING"), "PROCESSING")
        assert reason(parent) == "waits_without_children"

    def test_waits_forever_for_an_archived_child(self, parent):
        child(parent, "OK")
        gone = make_archived_message(parent_msg_id=parent.pk, parent_binding_type="HARD", state="CANCEL")
        found = told(parent)
        assert (found.reason, found.mentions) == ("waits_for_archived_child", [gone.pk])

    def test_waits_forever_when_its_children_ended_before_it_waited(self, parent, openhub):
        child(parent, "OK", age=501)
        assert reason(parent) == "children_ended_too_early"

    def test_does_not_say_so_of_children_that_ended_later(self, parent, openhub):
        child(parent, "OK", age=501)
        child(parent, "OK", age=499)
        assert reason(parent) == "children_all_ok"

    def test_does_not_say_so_in_cleverbus(self, parent):
        child(parent, "OK", age=501)
        assert reason(parent) == "children_all_ok"

    def test_says_that_cleverbus_looks_one_level_up_only(self, parent):
        last = child(parent, "OK", age=80)
        child(last, "OK", age=90)
        assert "this hub does not check one level higher" in told(parent).summary

    def test_offers_a_cancel_where_the_hub_allows_it(self, parent, settings):
        assert told(parent).next["what"] == "correct"
        settings.HUB_RULES = "openhub"
        assert told(parent).next["what"] == "cancel"
