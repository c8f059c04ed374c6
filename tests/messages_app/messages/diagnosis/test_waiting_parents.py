import pytest

from messages_app.messages.diagnosis import children
from tests.messages_app.messages.diagnosis.explanations import explanation_of, make_child, reason_of
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
        make_child(parent, "OK")
        unfinished = make_child(parent, state)
        explanation = explanation_of(parent)
        assert (explanation.reason, explanation.blocked_by) == ("waits_for_children", [unfinished.pk])
        assert f"1 child is not finished: HARD child {unfinished.pk} is {state}" in explanation.summary
        assert (explanation.next["what"], explanation.next["by"]) == ("children", "hub")

    def test_names_hard_children_before_soft_children(self, parent):
        soft = make_child(parent, "NEW", binding="SOFT")
        hard = make_child(parent, "PROCESSING")
        assert explanation_of(parent).blocked_by == [hard.pk, soft.pk]

    def test_names_only_the_first_of_many(self, parent):
        for _ in range(25):
            make_child(parent, "PROCESSING")
        explanation = explanation_of(parent)
        assert len(explanation.blocked_by) == 20
        assert "25 children are not finished" in explanation.summary
        assert len(explanation.mentions) == 3

    def test_says_more_than_if_it_did_not_count_all_children(self, parent, monkeypatch):
        monkeypatch.setattr(children, "MAX_CHILDREN", 3)
        monkeypatch.setattr("messages_app.messages.diagnosis.waiting.MAX_CHILDREN", 3)
        for _ in range(6):
            make_child(parent, "PROCESSING")
        assert "more than 3 children are not finished" in explanation_of(parent).summary

    def test_waits_for_the_response_to_its_child(self, parent):
        waiting = make_child(parent, "WAITING_FOR_RES")
        explanation = explanation_of(parent)
        assert (explanation.reason, explanation.blocked_by) == ("waits_for_unanswered_child", [waiting.pk])
        make_child(parent, "PROCESSING")
        assert reason_of(parent) == "waits_for_children"

    @pytest.mark.parametrize("state", ["CANCEL", "FAILED"])
    def test_will_wait_forever_behind_a_child_that_did_not_end_ok(self, parent, state):
        unfinished, not_ok = make_child(parent, "PROCESSING"), make_child(parent, state)
        explanation = explanation_of(parent)
        assert (explanation.reason, explanation.blocked_by) == (
            "will_wait_for_ever",
            [not_ok.pk, unfinished.pk],
        )
        assert f"Restart {not_ok.pk}" in explanation.summary

    @pytest.mark.parametrize("binding", ["SOFT", None])
    @pytest.mark.parametrize("state", ["CANCEL", "FAILED"])
    def test_will_wait_forever_behind_a_soft_child_that_did_not_end_ok(self, parent, state, binding):
        hard, soft = make_child(parent, "PROCESSING"), make_child(parent, state, binding=binding)
        explanation = explanation_of(parent)
        assert (explanation.reason, explanation.blocked_by) == ("will_wait_for_ever", [soft.pk, hard.pk])
        assert f"Restart {soft.pk}" in explanation.summary

    @pytest.mark.parametrize(
        ("state", "code"), [("CANCEL", "waits_for_cancelled_child"), ("FAILED", "waits_for_failed_child")]
    )
    def test_waits_forever_for_a_hard_child_that_did_not_end_ok(self, parent, state, code):
        make_child(parent, "OK")
        not_ok = make_child(parent, state)
        explanation = explanation_of(parent)
        assert (explanation.reason, explanation.blocked_by) == (code, [not_ok.pk])
        assert (explanation.next["what"], explanation.next["by"]) == ("restart_blocker", "operator")

    @pytest.mark.parametrize("binding", ["SOFT", None])
    @pytest.mark.parametrize("state", ["CANCEL", "FAILED", "PROCESSING"])
    def test_waits_forever_when_a_soft_child_was_not_ok(self, parent, state, binding):
        make_child(parent, "OK")
        soft = make_child(parent, state, binding=binding)
        explanation = explanation_of(parent)
        assert (explanation.reason, explanation.blocked_by) == ("waits_for_soft_child", [])
        assert explanation.mentions == [soft.pk]

    def test_waits_forever_when_a_soft_child_ended_last(self, parent):
        make_child(parent, "OK", age=90)
        soft = make_child(parent, "OK", age=80, binding="SOFT")
        explanation = explanation_of(parent)
        assert explanation.reason == "waits_for_soft_child"
        assert (
            f"its last child, {soft.pk}, ended at 2026-11-02 11:58:40 UTC and is SOFT" in explanation.summary
        )

    def test_ignores_a_soft_child_that_ended_earlier(self, parent):
        make_child(parent, "OK", age=80)
        make_child(parent, "OK", age=90, binding="SOFT")
        assert reason_of(parent) == "children_all_ok"

    @pytest.mark.parametrize("state", ["OK", "PROCESSING", "CANCEL", "FAILED"])
    def test_waits_forever_with_only_soft_children(self, parent, state):
        make_child(parent, state, binding="SOFT")
        assert reason_of(parent) == "waits_with_only_soft_children"

    def test_waits_forever_without_children(self, parent):
        make_child(stored("WAITING"), "PROCESSING")
        assert reason_of(parent) == "waits_without_children"

    def test_waits_forever_for_an_archived_child(self, parent):
        make_child(parent, "OK")
        archived = make_archived_message(parent_msg_id=parent.pk, parent_binding_type="HARD", state="CANCEL")
        explanation = explanation_of(parent)
        assert (explanation.reason, explanation.mentions) == ("waits_for_archived_child", [archived.pk])

    def test_waits_forever_when_its_children_ended_before_it_waited(self, parent, openhub):
        make_child(parent, "OK", age=501)
        assert reason_of(parent) == "children_ended_too_early"

    def test_does_not_say_so_if_a_child_ended_later(self, parent, openhub):
        make_child(parent, "OK", age=501)
        make_child(parent, "OK", age=499)
        assert reason_of(parent) == "children_all_ok"

    def test_does_not_say_so_in_cleverbus(self, parent):
        make_child(parent, "OK", age=501)
        assert reason_of(parent) == "children_all_ok"

    def test_says_that_cleverbus_checks_only_one_level_up(self, parent):
        last = make_child(parent, "OK", age=80)
        make_child(last, "OK", age=90)
        assert "this hub does not check one level higher" in explanation_of(parent).summary

    def test_advises_a_cancel_if_the_hub_allows_it(self, parent, settings):
        assert explanation_of(parent).next["what"] == "correct"
        settings.HUB_RULES = "openhub"
        assert explanation_of(parent).next["what"] == "cancel"
