"""A hub and an operator work on the same messages, against a dictionary of states."""

from collections import Counter

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, invariant, rule

from messages_app.audit.models import AuditEntry
from messages_app.audit.services import Actor
from messages_app.messages import services
from messages_app.messages.models import ExternalCall, Message, MessageEvent
from messages_app.shared.message_states import MessageAction, MessageState
from tests.stateful.machine import StoredMachine, check
from tests.support.factories import make_external_call, make_message
from tests.support.rule_table import ALLOWED, LEADS_TO

ADA = Actor(username="ada")
STATES = st.sampled_from(list(MessageState))
SERVICES = {
    MessageAction.CANCEL: services.cancel_message,
    MessageAction.RESTART: services.restart_message,
}


class Hub(StoredMachine):
    messages = Bundle("messages")

    def __init__(self) -> None:
        super().__init__()
        self.states: dict[int, MessageState] = {}
        self.calls: dict[int, Counter] = {}
        self.done = self.refused = 0

    @rule(target=messages, state=STATES)
    def stores(self, state: MessageState) -> int:
        message = make_message(state=state)
        for operation in ("direct:billing", "confirmation"):
            make_external_call(message, operation_name=operation)
        self.states[message.pk] = state
        self.calls[message.pk] = Counter({"direct:billing": 1, "confirmation": 1})
        return message.pk

    @rule(msg_id=messages, state=STATES)
    def moves(self, msg_id: int, state: MessageState) -> None:
        Message.objects.filter(pk=msg_id).update(state=state)
        self.states[msg_id] = state

    @rule(
        msg_id=messages,
        action=st.sampled_from(list(MessageAction)),
        expected=st.none() | STATES,
        total=st.booleans(),
    )
    def is_operated(self, msg_id: int, action: MessageAction, expected: str | None, total: bool) -> None:
        before = self.states[msg_id]
        more = {"total": total} if action is MessageAction.RESTART else {}
        asked = {"msg_id": msg_id, "actor": ADA, "reason": "r", "expected_state": expected, **more}
        if expected not in {None, before}:
            refusal = services.ExpectedStateNotMet
        elif before not in ALLOWED["cleverbus", action]:
            refusal = services.StateConflict
        else:
            assert SERVICES[action](**asked).state == LEADS_TO[action]
            self.states[msg_id] = LEADS_TO[action]
            self.done += 1
            if action is MessageAction.RESTART:
                self.calls[msg_id] = Counter() if total else self.calls[msg_id] - Counter({"confirmation": 1})
            return
        self.refused += 1
        with pytest.raises(refusal):
            SERVICES[action](**asked)

    @invariant()
    def has_the_states_and_calls_of_the_model(self) -> None:
        assert dict(Message.objects.values_list("msg_id", "state")) == self.states
        found: dict[int, Counter] = {msg_id: Counter() for msg_id in self.states}
        for msg_id, operation in ExternalCall.objects.values_list("msg_id", "operation_name"):
            found[msg_id][operation] += 1
        assert found == self.calls

    @invariant()
    def has_an_entry_for_each_action_and_a_line_for_each_change(self) -> None:
        outcomes = Counter(AuditEntry.objects.values_list("outcome", flat=True))
        assert (outcomes["done"], outcomes["refused"]) == (self.done, self.refused)
        last = dict(MessageEvent.objects.order_by("at", "pk").values_list("msg_id", "to_state"))
        assert all(self.states[msg_id] == state for msg_id, state in last.items())


@pytest.mark.django_db
class TestMessages:
    def test_agree_with_the_model(self):
        check(Hub)
