"""The real command in a process of its own, next to the console's own services."""

import re

import pytest
from django.db import connection, transaction

from messages_app.audit.services import Actor
from messages_app.demo.hub.demo_hub import _build_stage
from messages_app.demo.hub.play import Play
from messages_app.demo.loader import load_demo
from messages_app.demo.world import OPERATIONS
from messages_app.messages.models import ExternalCall, Message, MessageEvent
from messages_app.messages.services import restart_message
from messages_app.shared.message_states import ExternalCallState, MessageState
from tests.messages_app.demo.hub.playing import state_of, stored
from tests.support.eventually import eventually
from tests.support.oracle import Oracle
from tests.support.parameters import quick_first

OK, PARTLY_FAILED, PROCESSING = MessageState.OK, MessageState.PARTLY_FAILED, MessageState.PROCESSING
pytestmark = pytest.mark.django_db(transaction=True)


def cut_off_every_hub() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND application_name = 'hubconsole-demo-hub'"
        )
        return cursor.rowcount


def moves() -> set[tuple[str, str]]:
    return set(MessageEvent.objects.filter(actor=None).values_list("from_state", "to_state"))


class TestWork:
    @pytest.mark.parametrize("hub", quick_first(["cleverbus", "openhub"]))
    def test_makes_every_transition_of_the_hub_and_logs_all_its_rows(self, settings, start_hub, hub):
        settings.HUB_RULES = hub
        before = Oracle()
        running = start_hub("--rate", "60", "--speed", "60", "--failing", "0.3", "--seed", "4")
        first = (MessageState.NEW, MessageState.IN_QUEUE) if hub == "openhub" else (PARTLY_FAILED, PROCESSING)
        wanted = {
            first,
            (PROCESSING, OK),
            (PROCESSING, PARTLY_FAILED),
            (PROCESSING, MessageState.WAITING),
            (PROCESSING, MessageState.WAITING_FOR_RES),
            (MessageState.WAITING_FOR_RES, PROCESSING),
            (MessageState.WAITING, OK),
        }
        eventually(lambda: wanted <= moves(), 60)
        assert running.stop() == 0
        assert re.search(r"routes broken: 0\n$", running.output())
        verdict, changes = before.verdict(), running.changes()
        assert set(verdict.unexpected) == changes.inserted
        assert (verdict.lost, verdict.doubled, verdict.altered, verdict.torn) == ([], [], [], [])

    def test_runs_restarted_messages(self, start_hub):
        message = stored(MessageState.FAILED, failed_count=4, failed_error_code="E103")
        start_hub("--rate", "0", "--speed", "60")
        restart_message(msg_id=message.pk, actor=Actor(username="ada", address=None), reason="again")
        eventually(lambda: state_of(message) == OK)
        assert ExternalCall.objects.filter(msg_id=message.pk, state=ExternalCallState.OK).count() == 2

    @pytest.mark.slow
    def test_continues_after_the_database_was_gone(self, start_hub):
        running = start_hub()
        eventually(cut_off_every_hub)
        size = running.log.stat().st_size
        eventually(lambda: running.log.stat().st_size > size + 2_000)
        assert "The database is gone" in running.output()
        assert running.stop() == 0

    def test_waits_for_its_first_id_while_a_demo_is_loaded(self, start_hub):
        message = stored(PARTLY_FAILED)
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("ALTER SEQUENCE hibernate_sequence INCREMENT BY 1")
            options = ("--rate", "0", "--speed", "60", "--failing", "0", "--seed", "4")
            stopped, running = (start_hub(*options) for _ in range(2))
            eventually(
                lambda: "is being loaded" in stopped.output() and "is being loaded" in running.output()
            )
            assert stopped.stop() == 0
            assert state_of(message) == PARTLY_FAILED
        eventually(lambda: state_of(message) == OK)
        assert running.stop() == 0

    @pytest.mark.slow
    def test_leaves_interrupted_messages_to_the_next_repair(self, start_hub):
        running = start_hub("--rate", "40", "--speed", "1")
        eventually(lambda: ExternalCall.objects.filter(state=ExternalCallState.PROCESSING).exists())
        running.kill()
        left = list(Message.objects.filter(state=PROCESSING).values_list("msg_id", flat=True))
        assert left
        start_hub("--rate", "0", "--speed", "100")
        eventually(lambda: not Message.objects.filter(pk__in=left, state=PROCESSING).exists())
        eventually(
            lambda: not Message.objects.filter(pk__in=left, state__in=[PROCESSING, PARTLY_FAILED]).exists(),
            60,
        )


class TestBuildStage:
    @pytest.mark.parametrize(
        ("hub", "is_gentle", "counts"),
        [("cleverbus", True, {1}), ("cleverbus", False, {1, 2}), ("openhub", True, {1, 2})],
    )
    def test_makes_no_payment_that_blocks_itself_in_a_gentle_hub(self, settings, hub, is_gentle, counts):
        settings.HUB_RULES = hub
        senders = _build_stage(Play(is_gentle=is_gentle)).senders
        drafts = [senders.make_root(OPERATIONS["postPayment"], 1_000.0) for _ in range(300)]
        assert {len(draft.funnel_values) for draft in drafts} == counts


class TestWorkGently:
    @pytest.mark.slow
    def test_keeps_the_demo_s_stories(self, start_hub):
        load_demo(count=400, seed=2, on_progress=lambda done: None)
        kept = [
            MessageState.FAILED,
            MessageState.CANCEL,
            MessageState.POSTPONED,
            MessageState.WAITING_FOR_RES,
        ]
        stories = dict(Message.objects.filter(state__in=kept).values_list("msg_id", "state"))
        failed = Message.objects.filter(state=MessageState.FAILED, failed_count=4, parent_msg_id=None)
        failed = failed.filter(guaranteed_order=False).exclude(
            operation_name__in=("createOrder", "createSubscription", "submitReadings", "createWorkOrder")
        )
        restarted = failed.first().pk
        # Its own windows are not shortened: only how often it looks.
        start_hub("--rate", "10", "--speed", "60", "--gently", "--failing", "0")
        restart_message(msg_id=restarted, actor=Actor(username="ada", address=None), reason="again")
        eventually(lambda: Message.objects.get(pk=restarted).state == OK)
        eventually(lambda: Message.objects.filter(pk__gt=max(stories), state=OK).count() > 5)
        del stories[restarted]
        now = dict(Message.objects.filter(pk__in=stories).values_list("msg_id", "state"))
        assert {key: now[key] for key in stories if now[key] != stories[key]} == {}

    @pytest.mark.slow
    def test_stays_still_next_to_other_messages(self, start_hub):
        message = stored(PARTLY_FAILED, operation_name="Invoice")
        running = start_hub("--rate", "0", "--speed", "60", "--gently", "--failing", "0")
        eventually(lambda: "is waiting" in running.output())
        assert state_of(message) == PARTLY_FAILED
        Message.objects.all().delete()
        other = stored(PARTLY_FAILED)
        eventually(lambda: state_of(other) == OK)
