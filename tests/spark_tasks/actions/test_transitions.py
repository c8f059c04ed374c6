"""Restarts, cancels and undos of a chunk's messages, over a connection like an executor's."""

from collections.abc import Iterator
from dataclasses import replace

import psycopg
import pytest

from messages_app.jobs.connections import database_dsn
from messages_app.jobs.models import Job, JobChunk
from messages_app.messages.models import ExternalCall, Message, MessageEvent, ResentMessage
from messages_app.shared.message_states import CONFIRMATION_OPERATION, MessageAction
from spark_tasks.actions.transitions import PutBack, Transition
from spark_tasks.contract import Action, Decided, Item, JobKey
from spark_tasks.moves.rows import lock_families_to_move
from tests.messages_app.erasure.test_sql_messages import make_cold_message
from tests.spark_tasks.moves.scenes import executor, hub
from tests.support.factories import make_archived_message, make_external_call, make_message
from tests.support.ledgers import store_ledger

pytestmark = pytest.mark.django_db(transaction=True)

CANCEL = Transition(action=MessageAction.CANCEL, allowed=("FAILED", "POSTPONED"), new_state="CANCEL")
RESTART = Transition(action=MessageAction.RESTART, allowed=("FAILED", "CANCEL"), new_state="PARTLY_FAILED")


@pytest.fixture
def session() -> Iterator[psycopg.Connection]:
    with executor() as found:
        yield found


@pytest.fixture
def key() -> JobKey:
    job = Job.objects.create(kind="cancel", state="running", attempt=1, reason="r", created_by="ada")
    Job.objects.create(kind="cancel", state="running", attempt=1, reason="r", created_by="bob")
    return JobKey(dsn=database_dsn(), job_id=job.pk, attempt=1, rivals=())


def act(session: psycopg.Connection, key: JobKey, action: Action, asked: dict[int, str]) -> Decided:
    """Let an action process messages, each with its state when the set was frozen."""
    with session.transaction():
        return action.process_items(
            session, key, [Item(msg_id, msg_id, state) for msg_id, state in asked.items()]
        )


def states() -> dict[int, str]:
    return dict(Message.objects.values_list("pk", "state"))


def events() -> list[tuple[int, str, str, str | None]]:
    found = MessageEvent.objects.order_by("msg_id", "event_id")
    return list(found.values_list("msg_id", "from_state", "to_state", "actor"))


def versions_of(*msg_ids: int) -> set[str]:
    with hub() as connection:
        found = connection.execute("SELECT xmin::text FROM message WHERE msg_id = ANY (%s)", [list(msg_ids)])
        return {row[0] for row in found}


class TestTransition:
    def test_changes_messages_as_they_were_frozen_and_says_why_not_the_others(self, session, key):
        for msg_id, state in enumerate(
            ("FAILED", "POSTPONED", "OK", "NEW", "FAILED", "FAILED", "FAILED"), start=1
        ):
            make_message(msg_id=msg_id, state=state)
        make_archived_message(msg_id=11, state="FAILED"), make_cold_message(12, state="FAILED")
        make_archived_message(msg_id=6)
        asked = {1: "FAILED", 2: "POSTPONED", 3: "FAILED", 4: "NEW", 5: "FAILED", 6: "FAILED"}
        asked |= {11: "FAILED", 12: "FAILED", 13: "FAILED"}
        with hub() as other, other.transaction():
            other.execute("SELECT FROM message WHERE msg_id IN (5, 4) FOR UPDATE")
            found = act(session, key, CANCEL, asked)
        assert found.refusals == {
            3: "skipped:moved_on",
            4: "skipped:locked",
            5: "skipped:locked",
            11: "skipped:archived",
            12: "skipped:archived",
            13: "skipped:vanished",
        }
        assert (found.versions, found.details, found.moved) == (versions_of(1, 2, 6), {}, {})
        cancelled = dict.fromkeys((1, 2, 6), "CANCEL")
        assert states() == cancelled | {3: "OK", 4: "NEW", 5: "FAILED", 7: "FAILED"}
        assert events() == [
            (1, "FAILED", "CANCEL", "ada"),
            (2, "POSTPONED", "CANCEL", "ada"),
            (6, "FAILED", "CANCEL", "ada"),
        ]

    def test_skips_states_that_the_rules_do_not_allow(self, session, key):
        make_message(msg_id=1, state="NEW"), make_message(msg_id=2, state="OK")
        found = act(session, key, CANCEL, {1: "NEW", 2: "OK"})
        assert found.refusals == {1: "skipped:moved_on", 2: "skipped:moved_on"}
        assert (states(), events()) == ({1: "NEW", 2: "OK"}, [])

    @pytest.mark.parametrize(
        ("total", "deleted"),
        [(False, {(1, CONFIRMATION_OPERATION)}), (True, {(1, CONFIRMATION_OPERATION), (1, "b")})],
    )
    def test_a_restart_deletes_calls_of_restarted_messages(self, session, key, total, deleted):
        for msg_id, state in ((1, "FAILED"), (2, "OK"), (3, "FAILED")):
            message = make_message(msg_id=msg_id, state=state)
            for operation in (CONFIRMATION_OPERATION, "b"):
                make_external_call(message, operation_name=operation)
        restart = Transition(action=MessageAction.RESTART, allowed=("FAILED",), new_state="NEW", total=total)
        found = act(session, key, restart, {1: "FAILED", 2: "FAILED"})
        calls = found.details["deleted_external_calls"]
        assert {(call["msg_id"], call["operation_name"]) for call in calls} == deleted
        assert len(calls) == len(deleted)
        left = set(ExternalCall.objects.values_list("msg_id", "operation_name"))
        everything = {(msg_id, name) for msg_id in (1, 2, 3) for name in (CONFIRMATION_OPERATION, "b")}
        assert left == everything - deleted
        assert states() == {1: "NEW", 2: "OK", 3: "FAILED"}

    def test_a_restart_leaves_a_message_that_was_resent_after_the_plan(self, session, key):
        for msg_id, state in ((1, "FAILED"), (2, "FAILED"), (3, "CANCEL")):
            make_message(msg_id=msg_id, state=state)
        for original in (2, 3):
            ResentMessage.objects.create(original_id=original, msg_id=original + 10)
        asked = {1: "FAILED", 2: "FAILED", 3: "FAILED"}
        found = act(session, key, replace(RESTART, spares_resent=True), asked)
        assert found.refusals == {2: "skipped:already_resent", 3: "skipped:already_resent"}
        assert states() == {1: "PARTLY_FAILED", 2: "FAILED", 3: "CANCEL"}
        assert act(session, key, RESTART, {2: "FAILED"}).refusals == {}
        assert states()[2] == "PARTLY_FAILED"

    def test_only_a_restart_writes_the_time_and_deletes_calls(self, session, key):
        for msg_id in (1, 2):
            make_external_call(
                make_message(msg_id=msg_id, state="FAILED"), operation_name=CONFIRMATION_OPERATION
            )
        assert act(session, key, CANCEL, {1: "FAILED"}).details == {}
        assert list(act(session, key, RESTART, {2: "FAILED"}).details) == ["deleted_external_calls"]
        assert list(ExternalCall.objects.values_list("msg_id", flat=True)) == [1]
        times = dict(Message.objects.values_list("pk", "last_process_timestamp"))
        assert (times[1] is None, times[2] is None) == (True, False)
        assert act(session, key, RESTART, {2: "FAILED"}).details == {}


class TestPutBack:
    def test_puts_back_messages_that_have_not_changed_since_the_job(self, session, key):
        for msg_id in range(1, 7):
            make_message(msg_id=msg_id, state="FAILED" if msg_id < 6 else "POSTPONED")
        origin = Job.objects.create(kind="cancel", state="done", reason="r", created_by="bob")
        cancelled = act(session, key, CANCEL, dict.fromkeys(range(1, 5), "FAILED") | {6: "POSTPONED"})
        store_ledger(origin, dict.fromkeys((1, 2, 3, 4, 6), "done"), new_state="CANCEL")
        JobChunk.objects.update(versions=sorted(cancelled.versions))
        with hub() as other:
            other.execute("UPDATE job_item SET old_state = 'FAILED' WHERE msg_id < 6")
            other.execute("UPDATE job_item SET old_state = 'POSTPONED' WHERE msg_id = 6")
            other.execute("UPDATE message SET state = state WHERE msg_id = 2")
            other.execute("UPDATE message SET state = 'OK' WHERE msg_id = 3")
        MessageEvent.objects.all().delete()
        with hub() as other, other.transaction():
            other.execute("SELECT FROM message WHERE msg_id = 4 FOR UPDATE")
            found = act(
                session, key, PutBack(origin_id=origin.pk), dict.fromkeys((1, 2, 3, 4, 5, 6, 7), "CANCEL")
            )
        assert found.refusals == {
            2: "skipped:moved_on",
            3: "skipped:moved_on",
            4: "skipped:locked",
            5: "skipped:moved_on",
            7: "skipped:vanished",
        }
        assert found.versions == versions_of(1, 6)
        assert states() == {1: "FAILED", 2: "CANCEL", 3: "OK", 4: "CANCEL", 5: "FAILED", 6: "POSTPONED"}
        assert events() == [(1, "CANCEL", "FAILED", "ada"), (6, "CANCEL", "POSTPONED", "ada")]


class TestFamiliesToMove:
    def test_reports_why_messages_stay(self, session):
        for msg_id, state, parent in (
            (1, "OK", None), (2, "OK", None), (3, "NEW", 2), (4, "OK", None), (5, "OK", 4),
            (6, "OK", None), (7, "CANCEL", 6),
        ):  # fmt: skip
            make_message(msg_id=msg_id, state=state, parent_msg_id=parent)
        items = [
            Item(1, 1, "OK"),
            Item(2, 2, "OK"),
            Item(3, 2, "OK"),
            Item(4, 4, "OK"),
            Item(6, 6, "OK"),
            Item(9, 9, "OK"),
        ]
        final = ["CANCEL", "FAILED", "OK"]
        with session.transaction():
            moving, reasons = lock_families_to_move(session, items, cutoff="2027-01-01", final_states=final)
        assert moving == [1]
        assert reasons == {
            2: "skipped:family_not_final",
            3: "skipped:moved_on",
            4: "skipped:family_too_young",
            6: "skipped:family_too_young",
            9: "skipped:vanished",
        }
