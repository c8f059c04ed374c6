import pytest

from messages_app.messages.actions.effects import format_bounded_count
from messages_app.messages.actions.family import (
    children_of_cancelled,
    children_of_restarted,
    parent_of_cancelled,
    parent_of_restarted,
)
from tests.support.factories import make_archived_message, make_message


class TestCounted:
    @pytest.mark.parametrize(
        ("number", "noun", "more", "text"),
        [
            (1, "child", False, "1 child"),
            (3, "child", False, "3 children"),
            (200, "child", True, "200 or more children"),
            (0, "message", False, "0 messages"),
        ],
    )
    def test_writes_the_noun_in_singular_or_plural(self, number, noun, more, text):
        assert format_bounded_count(number, noun, more=more) == text


pytestmark = pytest.mark.django_db


def child_of(parent, *, binding: str | None = "HARD", **columns):
    columns = {"state": "FAILED"} | columns
    return make_message(parent_msg_id=parent.pk, parent_binding_type=binding, **columns)


class TestParentOfRestarted:
    def test_is_missing_without_a_parent(self):
        assert parent_of_restarted(make_message(state="FAILED")) is None

    def test_waits_for_its_child_under_both_rule_sets(self, settings):
        child = child_of(make_message(state="WAITING"))
        for settings.HUB_RULES in ("cleverbus", "openhub"):
            assert parent_of_restarted(child).code == "parent_waits"

    @pytest.mark.parametrize(
        ("rules", "code", "is_warning"),
        [("cleverbus", "parent_heals", False), ("openhub", "parent_stays", True)],
    )
    def test_completes_a_failed_parent_only_by_the_older_rules(self, settings, rules, code, is_warning):
        settings.HUB_RULES = rules
        parent = make_message(state="FAILED")
        effect = parent_of_restarted(child_of(parent))
        assert (effect.code, effect.is_warning, effect.msg_ids) == (code, is_warning, (parent.pk,))
        assert str(parent.pk) in effect.text

    @pytest.mark.parametrize("binding", ["SOFT", None])
    def test_does_not_change_a_parent_without_a_hard_binding(self, binding):
        effect = parent_of_restarted(child_of(make_message(state="WAITING"), binding=binding))
        assert effect.code == "parent_not_told"
        assert "not bound HARD" in effect.text

    def test_says_that_a_parent_is_archived_or_gone(self):
        assert "archive" in parent_of_restarted(child_of(make_archived_message())).text
        orphan = make_message(state="FAILED", parent_msg_id=999_999)
        assert "was not found" in parent_of_restarted(orphan).text


class TestChildrenOfRestarted:
    def test_says_that_the_list_is_empty(self):
        assert children_of_restarted(make_message(state="FAILED")).code == "children_none"

    @pytest.mark.parametrize(("failed", "code"), [(1, "children_refused"), (0, "children_twice")])
    def test_warns_that_a_splitter_rejects_a_message_that_has_failed(self, failed, code):
        parent = make_message(state="FAILED", correlation_id="order-7", failed_count=failed)
        child_of(parent, correlation_id="order-7_0", state="OK")
        child_of(parent, correlation_id="order-7_1")
        effect = children_of_restarted(parent)
        assert effect.code == code
        assert "2 children (1 OK, 1 FAILED)" in effect.text

    def test_warns_that_new_children_repeat_the_work_of_others(self):
        parent = make_message(state="FAILED", correlation_id="order-7", failed_count=4)
        child_of(parent, correlation_id="a-uuid", state="OK")
        assert children_of_restarted(parent).code == "children_twice"

    def test_counts_archived_children_too(self):
        parent = make_message(state="FAILED")
        make_archived_message(parent_msg_id=parent.pk)
        assert "1 child (1 OK)" in children_of_restarted(parent).text


class TestParentOfCancelled:
    def test_warns_only_of_a_parent_that_waits(self):
        assert parent_of_cancelled(child_of(make_message(state="WAITING"))).is_warning
        assert not parent_of_cancelled(child_of(make_message(state="FAILED"))).is_warning
        assert not parent_of_cancelled(child_of(make_archived_message(state="WAITING"))).is_warning
        assert parent_of_cancelled(make_message()) is None


class TestChildrenOfCancelled:
    def test_warns_of_children_that_continue(self):
        parent = make_message(state="WAITING")
        assert children_of_cancelled(parent) is None
        child_of(parent, state="OK")
        ended = children_of_cancelled(parent)
        assert (ended.text, ended.is_warning) == (
            "It has 1 child (1 OK), which are not cancelled with it.",
            False,
        )
        child_of(parent, state="POSTPONED")
        effect = children_of_cancelled(parent)
        assert effect.is_warning
        assert effect.text == (
            "It has 2 children (1 OK, 1 POSTPONED), which are not cancelled with it. "
            "If one of them fails, this message still becomes FAILED."
        )

    def test_does_not_say_that_a_parent_fails_if_it_no_longer_waits(self):
        parent = make_message(state="FAILED")
        child_of(parent, state="POSTPONED")
        effect = children_of_cancelled(parent)
        assert (effect.code, effect.is_warning) == ("children_go_on", True)
        assert effect.text == "It has 1 child (1 POSTPONED), which are not cancelled with it."
