"""Several users, a job and the hub want the same message at the same time; a process dies in the middle."""

import os
import signal
import threading
import traceback
from collections.abc import Callable
from functools import partial
from itertools import count

import psycopg
import pytest
from django.db import OperationalError, connection, transaction

from messages_app.audit.models import AuditEntry
from messages_app.jobs.connections import own_dsn
from messages_app.messages.corrections.services import AlreadyResent, resend_message
from messages_app.messages.models import Funnel, Message, ResentMessage
from messages_app.messages.services import ActionRefused, HeldByJob, restart_message
from tests.messages_app.messages.corrections.test_services import ADA, CORRECTED, WHY
from tests.messages_app.messages.test_services_held_by_job import held
from tests.support.eventually import eventually
from tests.support.factories import make_message, next_id
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db(transaction=True)


def send(msg_id: int, *, cancel_original: bool = True) -> int:
    return resend_message(msg_id=msg_id, payload=CORRECTED, cancel_original=cancel_original, **WHY).msg_id


@pytest.mark.parametrize("is_cancelled", [True, False])
def test_one_of_many_users_sends(is_cancelled):
    for _ in range(5):
        message = make_message(state="FAILED")
        outcomes = in_threads(*[partial(send, message.msg_id, cancel_original=is_cancelled)] * 6)
        sent = [outcome for outcome in outcomes if isinstance(outcome, int)]
        assert len(sent) == 1, outcomes
        assert all(isinstance(outcome, ActionRefused) for outcome in outcomes if outcome not in sent)
        assert ResentMessage.objects.get(pk=message.pk).msg_id == sent[0]
        assert Message.objects.filter(correlation_id__startswith=message.correlation_id + "_r").count() == 1
        assert AuditEntry.objects.filter(msg_id=message.pk, outcome="done").count() == 1


def test_either_a_restart_or_a_resend_succeeds():
    for _ in range(8):
        message = make_message(state="FAILED")
        restart = partial(
            restart_message, msg_id=message.msg_id, actor=ADA, reason="r", expected_state="FAILED"
        )
        sent, restarted = in_threads(partial(send, message.msg_id), restart)
        assert isinstance(sent, int) != isinstance(restarted, Message), (sent, restarted)
        state = Message.objects.get(pk=message.pk).state
        assert state == ("CANCEL" if isinstance(sent, int) else "PARTLY_FAILED")
        assert ResentMessage.objects.filter(pk=message.pk).exists() == isinstance(sent, int)


@pytest.mark.parametrize("is_cancelled", [True, False])
def test_a_restart_without_a_state_does_not_run_an_original_a_second_time(is_cancelled):
    for _ in range(8):
        message = make_message(state="FAILED")
        restart = partial(restart_message, msg_id=message.msg_id, actor=ADA, reason="r")
        sent, restarted = in_threads(partial(send, message.msg_id, cancel_original=is_cancelled), restart)
        assert isinstance(sent, int) != isinstance(restarted, Message), (sent, restarted)


@pytest.mark.parametrize("is_cancelled", [True, False])
def test_a_restart_that_waits_for_a_resend_sees_it(is_cancelled):
    """The resend has locked the message, and commits while the restart waits for the lock."""
    message = make_message(state="FAILED")
    is_sent = threading.Event()

    def send_slowly() -> int:
        with transaction.atomic():
            sent = send(message.msg_id, cancel_original=is_cancelled)
            is_sent.set()
            eventually(_has_waiting_session)
        return sent

    def restart() -> Message:
        assert is_sent.wait(timeout=60)
        return restart_message(msg_id=message.msg_id, actor=ADA, reason="r")

    sent, restarted = in_threads(send_slowly, restart)
    assert isinstance(restarted, AlreadyResent), restarted
    assert restarted.resent_as == sent
    assert Message.objects.get(pk=message.pk).state == ("CANCEL" if is_cancelled else "FAILED")


def _has_waiting_session() -> bool:
    with connection.cursor() as cursor:
        # A transaction keeps what it has seen of other sessions.
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
        return bool(cursor.fetchone()[0])


def test_a_message_that_the_hub_takes_meanwhile_is_not_sent():
    message = make_message(state="FAILED")
    with psycopg.connect(own_dsn()) as hub:
        hub.execute("UPDATE message SET state = 'PROCESSING' WHERE msg_id = %s", [message.msg_id])

        def commit_when_waited_for() -> None:
            try:
                eventually(_is_waiting)
            finally:
                hub.commit()

        outcome, _ = in_threads(partial(send, message.msg_id), commit_when_waited_for)
    assert isinstance(outcome, ActionRefused)
    assert outcome.current_state == "PROCESSING"
    assert not ResentMessage.objects.exists()


def _is_waiting() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE wait_event_type = 'Lock' AND query LIKE '%%message that is resent%%'"
        )
        return bool(cursor.fetchone()[0])


def test_a_locked_message_changes_nothing():
    message = make_message(state="FAILED")
    with psycopg.connect(own_dsn()) as hub:
        hub.execute("SELECT 1 FROM message WHERE msg_id = %s FOR UPDATE", [message.msg_id])
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '100ms'")
        try:
            with pytest.raises(OperationalError):
                send(message.msg_id)
        finally:
            with connection.cursor() as cursor:
                cursor.execute("RESET lock_timeout")
    assert not ResentMessage.objects.exists()


@pytest.mark.parametrize("kind", ["restart", "cancel", "archive", "resend"])
def test_a_message_of_an_active_job_is_left_to_it(kind):
    job, message = held(kind=kind)
    with pytest.raises(HeldByJob) as refused:
        send(message.msg_id)
    assert refused.value.job_id == job.pk
    assert not ResentMessage.objects.exists()


def test_an_error_at_the_last_step_undoes_all():
    message = make_message(state="FAILED")
    Funnel.objects.create(funnel_id=next_id(), msg_id=message.msg_id, funnel_value="a")
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN IF new.details ? 'resent_from' THEN RAISE 'no'; END IF; RETURN new; END $$;"
            "CREATE TRIGGER refuse BEFORE INSERT ON audit_entry FOR EACH ROW EXECUTE FUNCTION refuse()"
        )
    try:
        with pytest.raises(Exception, match="no"):
            send(message.msg_id)
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP FUNCTION refuse() CASCADE")
    assert_untouched(message)


def test_a_process_that_dies_after_any_statement_leaves_nothing_and_the_next_one_sends_once():
    message = make_message(state="FAILED")
    Funnel.objects.create(funnel_id=next_id(), msg_id=message.msg_id, funnel_value="a")
    for statements in count(1):
        if not run_until_killed(partial(send_and_die, message.msg_id, after=statements)):
            break
        assert_untouched(message)
    # The link, the new row, its funnel values, the cancel and two entries: each was the last statement once.
    assert statements > 6
    assert_sent_once(message)


def test_a_process_that_dies_right_after_the_commit_has_sent_once():
    message = make_message(state="FAILED")
    Funnel.objects.create(funnel_id=next_id(), msg_id=message.msg_id, funnel_value="a")
    assert run_until_killed(partial(send_and_die_after_commit, message.msg_id))
    assert_sent_once(message)


def run_until_killed(work: Callable[[], object]) -> bool:
    """Do the work in a child process; return whether it was killed, or False if it came to its end."""
    child = os.fork()
    if not child:
        status = 1
        try:
            # The child opens a connection of its own. The object of the parent stays, and closes nothing.
            _inherited, connection.connection = connection.connection, None
            work()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, -signal.SIGKILL)
    # Until the database has noticed, the dead process holds its locks. Waiting for them has a time limit.
    eventually(lambda: not _has_open_transactions())
    return status < 0


def _has_open_transactions() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND backend_type = 'client backend' AND xact_start IS NOT NULL AND pid <> pg_backend_pid()"
        )
        return bool(cursor.fetchone()[0])


def send_and_die(msg_id: int, *, after: int) -> None:
    """Send, and be killed when the database has done this number of statements."""
    numbers = count(1)

    def execute_and_die(execute, text, values, is_many, context):
        answer = execute(text, values, is_many, context)
        if next(numbers) == after:
            os.kill(os.getpid(), signal.SIGKILL)
        return answer

    with connection.execute_wrapper(execute_and_die):
        send(msg_id)


def send_and_die_after_commit(msg_id: int) -> None:
    with transaction.atomic():
        transaction.on_commit(lambda: os.kill(os.getpid(), signal.SIGKILL))
        send(msg_id)


def assert_sent_once(message: Message) -> None:
    sent = ResentMessage.objects.get()
    assert sent.original_id == message.msg_id
    states = dict(Message.objects.values_list("msg_id", "state"))
    assert states == {message.msg_id: "CANCEL", sent.msg_id: "POSTPONED"}
    assert list(Funnel.objects.filter(msg_id=sent.msg_id).values_list("funnel_value", flat=True)) == ["a"]
    assert sorted(AuditEntry.objects.values_list("msg_id", "outcome")) == [
        (message.msg_id, "done"),
        (sent.msg_id, "done"),
    ]
    with pytest.raises(AlreadyResent):
        send(message.msg_id)
    assert Message.objects.count() == 2


def assert_untouched(message: Message) -> None:
    with transaction.atomic():
        assert Message.objects.get().state == "FAILED"
        assert not ResentMessage.objects.exists()
        assert not AuditEntry.objects.exists()
        assert Funnel.objects.exclude(msg_id=message.msg_id).count() == 0
