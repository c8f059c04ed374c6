import threading
from collections.abc import Callable
from functools import partial

import pytest
from django.db import OperationalError, connection, transaction

from messages_app.audit.models import AuditEntry
from messages_app.audit.services import Actor
from messages_app.messages.models import ExternalCall, Message, MessageEvent
from messages_app.messages.services import (
    ExpectedStateNotMet,
    MessageArchived,
    MessageNotFound,
    StateConflict,
    cancel_message,
    restart_message,
)
from messages_app.shared.message_states import CONFIRMATION_OPERATION, MessageAction
from tests.support.eventually import eventually
from tests.support.factories import make_archived_message, make_external_call, make_message, make_request
from tests.support.rule_table import ALLOWED, LEADS_TO, STATES
from tests.support.threads import in_threads

ADA = Actor(username="ada", token_name="laptop", address="192.0.2.7", request_id="r-1")
ACTIONS: dict[MessageAction, Callable] = {
    MessageAction.CANCEL: cancel_message,
    MessageAction.RESTART: restart_message,
}

every_rule_set = pytest.mark.parametrize("hub", ["cleverbus", "openhub"])
every_state = pytest.mark.parametrize("state", STATES)
every_action = pytest.mark.parametrize("action", MessageAction)


def columns(msg_id: int) -> dict[str, object]:
    return Message.objects.filter(pk=msg_id).values().get()


@pytest.mark.django_db
class TestActions:
    """The common behaviour of cancel_message and restart_message."""

    @every_rule_set
    @every_state
    @every_action
    def test_follow_the_rules_of_the_hub(self, hub, state, action, settings):
        settings.HUB_RULES = hub
        message = make_message(state=state)
        if state in ALLOWED[hub, action]:
            changed = ACTIONS[action](msg_id=message.msg_id, actor=ADA, reason="r")
            assert changed.state == LEADS_TO[action]
            entry = AuditEntry.objects.get()
            assert (entry.outcome, entry.before_state, entry.after_state) == ("done", state, changed.state)
            return
        with pytest.raises(StateConflict, match=f"Message {message.msg_id} is {state};") as refused:
            ACTIONS[action](msg_id=message.msg_id, actor=ADA, reason="r")
        assert refused.value.current_state == state
        assert columns(message.msg_id)["state"] == state
        entry = AuditEntry.objects.get()
        assert (entry.outcome, entry.before_state, entry.after_state) == ("refused", state, "")
        assert entry.reason == "r"

    @every_action
    def test_do_not_change_an_unknown_state(self, action):
        message = make_message(state="ON_HOLD")
        with pytest.raises(StateConflict, match="is ON_HOLD"):
            ACTIONS[action](msg_id=message.msg_id, actor=ADA, reason="r")

    @pytest.mark.parametrize(
        ("action", "state", "written"),
        [
            (MessageAction.CANCEL, "NEW", {"state"}),
            (MessageAction.RESTART, "FAILED", {"state", "last_process_timestamp"}),
        ],
    )
    def test_write_no_other_column(self, action, state, written):
        message = make_message(state=state, failed_count=3, failed_desc="d", custom_data="c", node_id=1)
        others = [make_message(state=state).msg_id for _ in range(2)]
        before = {msg_id: columns(msg_id) for msg_id in [message.msg_id, *others]}
        ACTIONS[action](msg_id=message.msg_id, actor=ADA, reason="r")
        after = columns(message.msg_id)
        assert {name for name in after if after[name] != before[message.msg_id][name]} == written
        assert all(columns(msg_id) == before[msg_id] for msg_id in others)

    @every_action
    def test_put_the_actor_into_audit_and_history(self, action):
        state = min(ALLOWED["cleverbus", action])
        message = make_message(state=state)
        ACTIONS[action](msg_id=message.msg_id, actor=ADA, reason="because")
        entry = AuditEntry.objects.get()
        assert (entry.actor, entry.token_name, entry.address) == ("ada", "laptop", "192.0.2.7")
        assert (entry.request_id, entry.action, entry.reason) == ("r-1", action, "because")
        event = MessageEvent.objects.get(msg_id=message.msg_id)
        assert (event.actor, event.from_state) == ("ada", state)
        assert event.to_state == columns(message.msg_id)["state"]

    def test_leave_the_hub_nameless_in_the_history_afterwards(self):
        message = make_message()
        cancel_message(msg_id=message.msg_id, actor=ADA, reason="r")
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('hubconsole.actor', '', true)")
        Message.objects.filter(pk=message.pk).update(state="NEW")
        assert MessageEvent.objects.order_by("event_id").last().actor is None

    @every_action
    def test_refuse_when_the_expected_state_is_gone(self, action):
        state = min(ALLOWED["cleverbus", action])
        message = make_message(state=state)
        with pytest.raises(ExpectedStateNotMet, match=f"is {state}, not OK") as refused:
            ACTIONS[action](msg_id=message.msg_id, actor=ADA, reason="r", expected_state="OK")
        assert refused.value.current_state == state
        assert AuditEntry.objects.get().outcome == "refused"

    @every_action
    def test_act_when_the_expected_state_holds(self, action):
        state = min(ALLOWED["cleverbus", action])
        message = make_message(state=state)
        ACTIONS[action](msg_id=message.msg_id, actor=ADA, reason="r", expected_state=state)
        assert columns(message.msg_id)["state"] != state

    @every_action
    def test_refuse_an_expected_state_that_the_rules_do_not_allow(self, action):
        message = make_message(state="PROCESSING")
        with pytest.raises(StateConflict):
            ACTIONS[action](msg_id=message.msg_id, actor=ADA, reason="r", expected_state="PROCESSING")

    @every_action
    def test_refuse_an_archived_message(self, action):
        message = make_archived_message(state="FAILED")
        with pytest.raises(MessageArchived, match="is archived") as refused:
            ACTIONS[action](msg_id=message.msg_id, actor=ADA, reason="r")
        assert refused.value.current_state == "FAILED"
        assert AuditEntry.objects.get().outcome == "refused"

    @every_action
    def test_find_nothing_under_an_unknown_id(self, action):
        with pytest.raises(MessageNotFound, match="No message has the id 777"):
            ACTIONS[action](msg_id=777, actor=ADA, reason="r")
        assert not AuditEntry.objects.exists()

    @every_action
    def test_do_not_change_calls_of_other_messages_and_the_request_log(self, action):
        message = make_message(state=min(ALLOWED["cleverbus", action]))
        request = make_request(message)
        foreign = make_external_call(make_message(), operation_name=CONFIRMATION_OPERATION)
        ACTIONS[action](msg_id=message.msg_id, actor=ADA, reason="r")
        foreign.refresh_from_db()
        request.refresh_from_db()


@pytest.mark.django_db
class TestRestartMessage:
    @pytest.mark.parametrize(("total", "kept"), [(False, ["route"]), (True, [])])
    def test_deletes_calls_and_keeps_them_in_the_audit(self, total, kept):
        message = make_message(state="FAILED")
        calls = {
            name: make_external_call(message, operation_name=operation)
            for name, operation in {"route": "direct:a", "confirmation": CONFIRMATION_OPERATION}.items()
        }
        restart_message(msg_id=message.msg_id, actor=ADA, reason="r", total=total)
        left = set(ExternalCall.objects.values_list("call_id", flat=True))
        assert left == {calls[name].call_id for name in kept}
        details = AuditEntry.objects.get().details
        assert details["total"] is total
        deleted = {call["call_id"]: call for call in details["deleted_external_calls"]}
        assert set(deleted) == {call.call_id for name, call in calls.items() if name not in kept}
        assert deleted[calls["confirmation"].call_id]["entity_id"] == calls["confirmation"].entity_id

    def test_deletes_nothing_when_refused(self):
        message = make_message(state="PROCESSING")
        make_external_call(message, operation_name=CONFIRMATION_OPERATION)
        with pytest.raises(StateConflict):
            restart_message(msg_id=message.msg_id, actor=ADA, reason="r", total=True)
        assert ExternalCall.objects.count() == 1


@pytest.mark.django_db(transaction=True)
class TestActionsAtOnce:
    """Two at a time, on connections of their own."""

    def test_let_one_of_two_win(self):
        for _ in range(5):
            message = make_message(state="NEW")
            cancel = partial(cancel_message, msg_id=message.msg_id, actor=ADA, reason="r")
            answers = in_threads(cancel, cancel)
            assert {type(answer) for answer in answers} == {Message, StateConflict}
            outcomes = AuditEntry.objects.filter(msg_id=message.msg_id).values_list("outcome", flat=True)
            assert sorted(outcomes) == ["done", "refused"]
            assert MessageEvent.objects.filter(msg_id=message.msg_id).count() == 1

    def test_let_the_hub_win(self):
        message = make_message(state="NEW")
        holds, asked = threading.Event(), threading.Event()

        def hub() -> None:
            with transaction.atomic():
                Message.objects.filter(pk=message.pk).update(state="OK")
                holds.set()
                wait_for_lock_of(asked)

        def console() -> object:
            holds.wait(10)
            asked.set()
            return cancel_message(msg_id=message.msg_id, actor=ADA, reason="r")

        _, answer = in_threads(hub, console)
        assert isinstance(answer, StateConflict)
        assert answer.current_state == "OK"
        assert columns(message.msg_id)["state"] == "OK"

    def test_give_up_on_a_locked_row_and_change_nothing(self):
        message = make_message(state="NEW")
        with transaction.atomic():
            Message.objects.select_for_update().get(pk=message.pk)

            def console() -> object:
                with connection.cursor() as cursor:
                    cursor.execute("SET lock_timeout = '200ms'")
                return cancel_message(msg_id=message.msg_id, actor=ADA, reason="r")

            (answer,) = in_threads(console)
        assert isinstance(answer, OperationalError)
        assert answer.__cause__.sqlstate == "55P03"
        assert columns(message.msg_id)["state"] == "NEW"
        assert not AuditEntry.objects.exists()


def wait_for_lock_of(asked: threading.Event) -> None:
    """Wait until another session waits for a row of this one."""
    asked.wait(10)

    def somebody_waits() -> bool:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT EXISTS (SELECT FROM pg_locks"
                " WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid)))"
            )
            return cursor.fetchone()[0]

    eventually(somebody_waits)
