"""Explanations only advise actions that are allowed. The expected rules are written out here."""

import re
from collections.abc import Callable, Iterator

import pytest

from messages_app.messages import services
from messages_app.messages.diagnosis.explanation import Explanation, make_step
from messages_app.messages.diagnosis.reasons import By, NextStep
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.models import ArchiveMessage, Message
from tests.messages_app.messages.diagnosis.explanations import explanation_of, make_child, record_change
from tests.messages_app.messages.funnels.rows import ago, in_funnel, ordered, stored
from tests.support.api_client import caller
from tests.support.factories import make_archived_message, make_external_call
from tests.support.parameters import quick_first

pytestmark = pytest.mark.django_db

STATES = (
    "NEW",
    "IN_QUEUE",
    "PROCESSING",
    "WAITING",
    "WAITING_FOR_RES",
    "PARTLY_FAILED",
    "POSTPONED",
    "OK",
    "FAILED",
    "CANCEL",
    "LIMBO",
)
ALLOWED = {
    "cleverbus": {
        "NEW": {"cancel"},
        "PARTLY_FAILED": {"cancel"},
        "POSTPONED": {"cancel"},
        "FAILED": {"restart"},
        "CANCEL": {"restart"},
    },
    "openhub": {
        "NEW": {"cancel"},
        "IN_QUEUE": {"cancel"},
        "PROCESSING": {"cancel"},
        "WAITING": {"cancel"},
        "WAITING_FOR_RES": {"cancel"},
        "PARTLY_FAILED": {"cancel"},
        "POSTPONED": {"cancel"},
        "OK": {"restart"},
        "FAILED": {"restart"},
        "CANCEL": {"restart"},
    },
}
# Advice in addition to the two actions on the message itself.
NOT_ACTIONS = {
    "route",
    "repair",
    "poll",
    "children",
    "answer",
    "confirmation",
    "restart_blocker",
    "restore_blocker",
    "blocker_ends",
    "chase_answer",
    "check_hub",
    "check_target",
    "correct",
    "restore",
    "nothing",
}


def assert_is_possible(explanation: Explanation, message: MessageColumns, rules: str) -> None:
    """Fail if the next step or a sentence is an action that the API would reject."""
    is_archived = isinstance(message, ArchiveMessage)
    allowed = set() if is_archived else ALLOWED[rules].get(message.state, set())
    description = (
        f"{message.state} {rules} archived={is_archived}: {explanation.reason}: {explanation.summary}"
    )
    assert explanation.next["what"] in allowed | NOT_ACTIONS, description
    if re.search(r"\bcancel it\b", explanation.summary, re.IGNORECASE) and not is_archived:
        assert "cancel" in allowed, description
    if explanation.next["what"] == "restart_blocker":
        assert _state_of(explanation.blocked_by[0]) in {"FAILED", "CANCEL"}, description
    if explanation.next["what"] == "restore_blocker":
        assert ArchiveMessage.objects.filter(pk=explanation.blocked_by[0]).exists(), description


def _state_of(msg_id: int) -> str | None:
    return Message.objects.filter(pk=msg_id).values_list("state", flat=True).first()


def _with_child(state: str, **columns: object) -> Callable[..., dict[str, object]]:
    def after(message: MessageColumns) -> None:
        make_child(message, state, **columns)

    return after


def _with_archived_child(message: MessageColumns) -> None:
    columns = {"parent_binding_type": "HARD", "failed_error_code": "E103", "failed_count": 4}
    make_archived_message(state="FAILED", parent_msg_id=message.pk, **columns)


def _with_confirmation(message: MessageColumns) -> None:
    if isinstance(message, Message):
        key = {"operation_name": "confirmation", "entity_id": message.correlation_id}
        make_external_call(message, state="FAILED_END", **key)


def _with_overtaken_cancel(message: MessageColumns) -> None:
    if isinstance(message, Message):
        record_change(message, "PROCESSING", "CANCEL", actor="ada")
        record_change(message, "CANCEL", message.state)


def _behind(state: str, **columns: object) -> Callable[..., None]:
    def after(message: MessageColumns) -> None:
        ordered(state, age=900, **columns)

    return after


E103 = {"failed_error_code": "E103", "failed_count": 4}
E121 = {"failed_error_code": "E121", "guaranteed_order": True, "funnel_value": "777"}
# Columns of the message, and what is stored after it.
SITUATIONS: list[tuple[dict[str, object], Callable[[MessageColumns], None] | None]] = [
    ({}, None),
    ({"start_process_timestamp": None}, None),
    ({"last_process_timestamp": None}, None),
    ({"start_process_timestamp": ago(4000), "last_process_timestamp": ago(4000)}, None),
    ({"guaranteed_order": True}, None),
    ({"funnel_value": "777", "funnel_component_id": "f"}, None),
    (E103, None),
    ({"failed_error_code": "E116", "failed_count": 4}, None),
    (E121, None),
    (E121, _behind("FAILED", **E103)),
    (E121, _behind("PROCESSING")),
    (E121, _behind("POSTPONED")),
    (E121, _behind("FAILED", failed_error_code="E121")),
    ({}, _with_child("PROCESSING")),
    ({}, _with_child("WAITING_FOR_RES")),
    ({}, _with_child("CANCEL")),
    ({}, _with_child("OK")),
    ({}, _with_child("FAILED", binding="SOFT")),
    ({}, _with_child("OK", binding=None)),
    (E103, _with_child("FAILED", **E103)),
    (E103, _with_child("OK", **E103)),
    (E103, _with_child("PARTLY_FAILED", **E103)),
    (E103, _with_archived_child),
    ({}, _with_confirmation),
    ({}, _with_overtaken_cancel),
]


def situations(state: str, *, is_archived: bool) -> Iterator[MessageColumns]:
    for columns, after in SITUATIONS:
        message = make_archived_message(state=state, **columns) if is_archived else stored(state, **columns)
        if after is not None:
            after(message)
        yield message
        # The rows of one situation must not affect the next.
        Message.objects.all().update(funnel_value=None, guaranteed_order=False, state="OK")


class TestEveryExplanation:
    @pytest.mark.parametrize("is_archived", quick_first([False, True]), ids=["live", "archived"])
    @pytest.mark.parametrize("state", STATES)
    @pytest.mark.parametrize("rules", quick_first(["openhub", "cleverbus"]))
    def test_advises_what_is_allowed(self, settings, rules, state, is_archived):
        settings.HUB_RULES = rules
        reasons = set()
        for message in situations(state, is_archived=is_archived):
            explanation = explanation_of(message)
            reasons.add(explanation.reason)
            assert_is_possible(explanation, message, rules)
            assert {str(action) for action in services.allowed_actions(message)} == (
                set() if is_archived else ALLOWED[rules].get(state, set())
            )
        assert reasons

    @pytest.mark.parametrize("roles", [(), ("operator",)])
    def test_is_the_same_for_users_who_may_not_act(self, roles):
        """The advice depends on the state, whether the user may perform it or not."""
        message = stored("IN_QUEUE")
        client = caller("support", *roles)
        allowed = client.get(f"messages/{message.pk}/").json()["allowed_actions"]
        advised = client.get(f"messages/{message.pk}/explain/").json()["next"]
        assert (allowed, advised["what"], advised["by"]) == ([], "correct", "operator")


class TestAdvise:
    def test_corrects_a_row_that_the_hub_never_picks_up_and_no_one_may_cancel(self):
        explanation = explanation_of(stored("IN_QUEUE"))
        assert explanation.next["what"] == "correct"
        assert "It cannot be cancelled in IN_QUEUE. Its row must be corrected." in explanation.summary
        assert "ancel it" not in explanation.summary

    def test_waits_for_an_unfinished_message_that_caused_the_failure(self):
        ordered("PROCESSING", age=900)
        explanation = explanation_of(ordered("FAILED", age=800, failed_error_code="E121"))
        assert (explanation.reason, explanation.next["what"], explanation.next["by"]) == (
            "failed_in_order",
            "blocker_ends",
            "hub",
        )

    def test_restarts_the_failed_message_that_caused_the_failure(self):
        ordered("FAILED", age=900, **E103)
        explanation = explanation_of(ordered("FAILED", age=800, failed_error_code="E121"))
        assert (explanation.reason, explanation.next["what"]) == ("failed_in_order", "restart_blocker")

    def test_restores_the_archived_child_of_a_failed_parent(self):
        parent = stored("FAILED", **E103)
        _with_archived_child(parent)
        explanation = explanation_of(parent)
        assert (explanation.reason, explanation.next["what"]) == ("failed_by_child", "restore_blocker")
        assert (
            f"Restore {explanation.blocked_by[0]} from the archive, then restart it." in explanation.summary
        )

    def test_cancels_a_message_that_blocks_itself(self):
        explanation = explanation_of(stored("POSTPONED", values=("1", "2")))
        assert (explanation.reason, explanation.next["what"]) == ("postpones_itself", "cancel")


class TestStep:
    @pytest.mark.parametrize("what", [NextStep.CANCEL, NextStep.RESTART])
    def test_rejects_an_action_that_was_not_checked(self, what):
        with pytest.raises(ValueError, match=r"Only advice\.advise"):
            make_step(what, By.OPERATOR)

    def test_every_step_is_an_action_or_in_the_list_of_others(self):
        assert {str(what) for what in NextStep} == NOT_ACTIONS | {"cancel", "restart"}


def test_a_held_funnel_does_not_need_an_action():
    in_funnel("PROCESSING")
    assert explanation_of(in_funnel("POSTPONED")).next["what"] == "poll"
