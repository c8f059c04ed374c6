"""Restarts and cancels by the statements that requests and jobs share, on real rows and at the same time."""

import json
import threading
from datetime import timedelta

import pytest
from django.db import connection, transaction

from messages_app.audit.services import Actor
from messages_app.core.clock import database_clock
from messages_app.jobs.models import Job
from messages_app.messages import services
from messages_app.messages.models import ExternalCall, Message
from messages_app.shared.message_states import MessageAction
from messages_app.shared.state_changes import ChangedMessage, change_states, delete_calls
from tests.messages_app.messages.test_services import wait_for_lock_of
from tests.support.factories import NOON, make_external_call, make_message
from tests.support.ledgers import store_ledger
from tests.support.threads import in_threads

CANCELLING = {"allowed": {"NEW", "PARTLY_FAILED", "POSTPONED"}, "new_state": "CANCEL", "zone": None}
RESTARTING = {"allowed": {"FAILED", "CANCEL"}, "new_state": "PARTLY_FAILED", "zone": None}
both_ways = pytest.mark.parametrize("of_job", [True, False])


def cancel(expected_states: dict[int, str | None], *, of_job: bool) -> list[ChangedMessage]:
    with connection.cursor() as cursor:
        return change_states(cursor, MessageAction.CANCEL, expected_states, of_job=of_job, **CANCELLING)


def restart(expected_states: dict[int, str | None], *, of_job: bool) -> list[ChangedMessage]:
    with connection.cursor() as cursor:
        return change_states(cursor, MessageAction.RESTART, expected_states, of_job=of_job, **RESTARTING)


def states() -> dict[int, str]:
    return dict(Message.objects.values_list("msg_id", "state"))


def version_of(msg_id: int) -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT xmin::text FROM message WHERE msg_id = %s", [msg_id])
        return cursor.fetchone()[0]


@pytest.mark.django_db
class TestChangeStates:
    @both_ways
    def test_cancels_messages_in_the_expected_state_if_it_allows_that(self, of_job):
        for msg_id, state in enumerate(("NEW", "PARTLY_FAILED", "PROCESSING", "POSTPONED", "OK", "NEW"), 1):
            make_message(msg_id=msg_id, state=state, failed_count=3)
        expected = {4: None, 1: "NEW", 2: "NEW", 3: "PROCESSING", 5: None, 777: "NEW", 778: None}
        assert cancel(expected, of_job=of_job) == [
            ChangedMessage(msg_id=1, old_state="NEW", version=version_of(1)),
            ChangedMessage(msg_id=4, old_state="POSTPONED", version=version_of(4)),
        ]
        assert states() == {
            1: "CANCEL",
            2: "PARTLY_FAILED",
            3: "PROCESSING",
            4: "CANCEL",
            5: "OK",
            6: "NEW",
        }
        message = Message.objects.get(pk=1)
        assert (message.failed_count, message.last_process_timestamp) == (3, None)

    @both_ways
    def test_restarts_messages_in_the_expected_state_and_writes_the_time(self, of_job):
        for msg_id, state in enumerate(("FAILED", "CANCEL", "OK", "CANCEL", "FAILED"), 1):
            make_message(msg_id=msg_id, state=state, last_process_timestamp=NOON)
        expected = {1: "FAILED", 2: "FAILED", 3: "OK", 4: None}
        changed = restart(expected, of_job=of_job)
        assert [(message.msg_id, message.old_state) for message in changed] == [(1, "FAILED"), (4, "CANCEL")]
        assert states() == {1: "PARTLY_FAILED", 2: "CANCEL", 3: "OK", 4: "PARTLY_FAILED", 5: "FAILED"}
        times = dict(Message.objects.values_list("msg_id", "last_process_timestamp"))
        assert (times[2], times[3], times[5]) == (NOON, NOON, NOON)
        for msg_id in (1, 4):
            assert timedelta(0) <= database_clock() - times[msg_id] < timedelta(minutes=1)

    def test_lets_only_a_job_change_what_an_active_job_has(self):
        for msg_id in (1, 2, 3):
            make_message(msg_id=msg_id, state="NEW")
        job = Job.objects.create(kind="cancel", state="running", reason="r", created_by="ada")
        store_ledger(job, {1: None, 2: "skipped:locked"})
        assert [each.msg_id for each in cancel({1: "NEW", 2: None, 3: None}, of_job=False)] == [2, 3]
        assert states() == {1: "NEW", 2: "CANCEL", 3: "CANCEL"}
        assert [each.msg_id for each in cancel({1: "NEW"}, of_job=True)] == [1]


@pytest.mark.django_db(transaction=True)
class TestChangeStatesAtOnce:
    def test_changes_each_message_once_and_waits_in_one_order(self):
        """Jobs that lock the same messages in two orders would wait for each other until one is aborted."""
        ids = [make_message(state="NEW").pk for _ in range(300)]
        for state, action in (("NEW", cancel), ("CANCEL", restart), ("PARTLY_FAILED", cancel)):
            expected = dict.fromkeys(ids, state)
            backwards = dict.fromkeys(reversed(ids), state)
            answers = in_threads(
                lambda action=action, expected=expected: action(expected, of_job=True),
                lambda action=action, expected=backwards: action(expected, of_job=True),
                lambda action=action, expected=backwards: action(expected, of_job=False),
            )
            changed = [message for answer in answers for message in answer]
            assert sorted(message.msg_id for message in changed) == ids
            assert {message.old_state for message in changed} == {state}

    @both_ways
    @pytest.mark.parametrize(("expected_state", "old_states"), [("NEW", []), (None, ["PARTLY_FAILED"])])
    def test_waits_for_the_hub_and_sees_the_state_that_it_wrote(self, of_job, expected_state, old_states):
        """A state that the hub writes meanwhile never counts as the one that a caller saw before."""
        message = make_message(state="NEW")
        holds, asked = threading.Event(), threading.Event()

        def write_as_hub() -> None:
            with transaction.atomic():
                Message.objects.filter(pk=message.pk).update(state="PARTLY_FAILED")
                holds.set()
                wait_for_lock_of(asked)

        def cancel_then() -> list[ChangedMessage]:
            holds.wait(10)
            asked.set()
            return cancel({message.pk: expected_state}, of_job=of_job)

        _, changed = in_threads(write_as_hub, cancel_then)
        assert [each.old_state for each in changed] == old_states
        assert states()[message.pk] == ("CANCEL" if changed else "PARTLY_FAILED")

    def test_lets_either_a_request_or_a_job_change_a_message(self):
        for _ in range(10):
            message = make_message(state="NEW")
            by_job, by_request = in_threads(
                lambda pk=message.pk: cancel({pk: "NEW"}, of_job=True),
                lambda pk=message.pk: services.cancel_message(
                    msg_id=pk, actor=Actor(username="ada"), reason="r"
                ),
            )
            assert isinstance(by_request, Message if by_job == [] else services.StateConflict)
            assert states()[message.pk] == "CANCEL"


@pytest.mark.django_db
class TestDeleteCalls:
    @pytest.mark.parametrize(("total", "removed"), [(False, [0]), (True, [0, 1])])
    def test_removes_confirmations_or_all_calls_of_the_messages(self, total, removed):
        message, other = make_message(), make_message()
        calls = [
            make_external_call(message, operation_name="confirmation"),
            make_external_call(message, operation_name="direct:billing"),
            make_external_call(other, operation_name="confirmation"),
            make_external_call(other, operation_name="direct:billing"),
        ]
        with connection.cursor() as cursor:
            rows = [json.loads(text) for text in delete_calls(cursor, [message.pk], total=total)]
        gone = {calls[number].pk for number in removed}
        assert {row["call_id"] for row in rows} == gone
        assert {row["entity_id"] for row in rows} == {calls[number].entity_id for number in removed}
        left = set(ExternalCall.objects.values_list("call_id", flat=True))
        assert left == {call.pk for call in calls} - gone
