import json
from dataclasses import replace

import pytest
from django.db import connection

from messages_app.demo.hub import poll
from messages_app.demo.hub.play import Stage
from messages_app.demo.hub.poll import take_up
from messages_app.messages.models import Message
from messages_app.shared.message_states import MessageState
from tests.messages_app.demo.hub.playing import TIMING, ago, done, make_stage, settle, state_of, stored
from tests.support.factories import make_messages

pytestmark = pytest.mark.django_db
POSTPONED, PARTLY_FAILED, OK = MessageState.POSTPONED, MessageState.PARTLY_FAILED, MessageState.OK


def polled(stage) -> list[int]:
    """Return whom one poll takes, in its order, from the history of states."""
    done(poll.poll_messages(stage))
    with connection.cursor() as cursor:
        cursor.execute("SELECT msg_id FROM message_event ORDER BY event_id")
        return [row[0] for row in cursor]


class TestPoll:
    def test_takes_messages_that_have_rested_long_enough(self, stage):
        failed = stored(PARTLY_FAILED, age=61)
        postponed = stored(POSTPONED, age=6)
        for early in ((PARTLY_FAILED, 59), (POSTPONED, 4)):
            stored(early[0], age=early[1])
        stored(PARTLY_FAILED, age=500, last_process_timestamp=None)
        stored(MessageState.NEW, age=500)
        assert polled(stage) == [postponed.pk, failed.pk]

    def test_takes_postponed_messages_first_or_all_by_time(self, stage, settings):
        for hub, expected in (("cleverbus", (1, 2, 0)), ("openhub", (0, 1, 2))):
            settings.HUB_RULES = hub
            Message.objects.all().delete()
            with connection.cursor() as cursor:
                cursor.execute("DELETE FROM message_event")
            made = [stored(PARTLY_FAILED, age=900), stored(POSTPONED, age=800), stored(POSTPONED, age=700)]
            assert polled(stage) == [made[place].pk for place in expected]

    def test_runs_the_messages_that_it_takes(self, stage):
        message = stored(PARTLY_FAILED, failed_count=1)
        done(poll.poll_messages(stage))
        settle(stage)
        assert state_of(message) == OK

    def test_reads_a_state_with_many_messages_in_parts(self, stage):
        make_messages(2_300, first=ago(9_000))
        Message.objects.update(state=PARTLY_FAILED, last_process_timestamp=ago(100))
        first = stored(PARTLY_FAILED, receive_timestamp=ago(1), last_process_timestamp=ago(100))
        assert len(list(poll._due_messages(stage))) == 2_301
        assert done(take_up(stage, first.pk))

    def test_does_not_change_messages_that_their_funnel_keeps_out_in_a_gentle_hub(self):
        holder = stored(MessageState.WAITING_FOR_RES, values=("V",), funnel_component_id="f", age=60)
        waiting = stored(POSTPONED, values=("V",), funnel_component_id="f", age=50)
        before = waiting.last_process_timestamp
        stage = make_stage(is_gentle=True)
        assert polled(stage) == []
        waiting.refresh_from_db()
        assert waiting.last_process_timestamp == before
        Message.objects.filter(pk=holder.pk).update(state=OK)
        assert waiting.pk in polled(stage)

    def test_runs_only_messages_with_a_route_in_a_gentle_hub(self):
        stored(PARTLY_FAILED, operation_name="Invoice")
        assert polled(make_stage(is_gentle=True)) == []
        assert len(polled(make_stage())) == 1


class TestTakeLeftMessages:
    @pytest.mark.parametrize("hub", ["cleverbus", "openhub"])
    def test_processes_messages_that_were_received_or_queued_before_the_hub_started(self, settings, hub):
        settings.HUB_RULES = hub
        left = [stored(state, age=2, node_id=2) for state in (MessageState.NEW, MessageState.IN_QUEUE)]
        stage = make_stage(is_gentle=True)
        done(poll.take_left_messages(stage))
        settle(stage)
        assert [state_of(message) for message in left] == [OK, OK]

    def test_does_not_touch_other_messages(self):
        others = [stored(state) for state in (MessageState.PROCESSING, POSTPONED, MessageState.WAITING)]
        foreign = stored(MessageState.NEW, operation_name="Invoice")
        stage = make_stage(is_gentle=True)
        done(poll.take_left_messages(stage))
        settle(stage)
        assert [state_of(message) for message in others] == [message.state for message in others]
        assert state_of(foreign) == MessageState.NEW


class TestWalks:
    def test_need_no_scan(self, stage):
        """With scans priced out, an index must be able to serve; that it is chosen, a million rows showed."""
        seen: list[dict] = []

        def explain(execute, sql, params, many, context):
            if "walked" in sql:
                with connection.cursor() as cursor:
                    cursor.cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}", params)
                    seen.append(cursor.cursor.fetchone()[0])
            return execute(sql, params, many, context)

        from messages_app.demo.hub import attempt_end, poll, repair

        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off")
        with connection.execute_wrapper(explain):
            for job in (
                poll.poll_messages,
                repair.repair_messages,
                poll.give_answers,
                attempt_end.repeat_confirmations,
            ):
                done(job(stage))
        plans = json.dumps(seen)
        assert len(seen) >= 6
        assert "Seq Scan" not in plans
        assert "message_state_received_idx" in plans
        assert "ext_state_idx" in plans


WAITING_FOR_RES = MessageState.WAITING_FOR_RES


@pytest.fixture
def stage(db) -> Stage:
    # Answers come after 50 to 600 ms, and none after three seconds: time for a busy machine.
    return make_stage(timing=replace(TIMING, work=100.0))


def waiting(**columns: object) -> Message:
    # Its correlation id is one that is answered.
    return stored(WAITING_FOR_RES, **({"operation_name": "createWorkOrder", "age": 1.0} | columns))


class TestAnswer:
    def test_lets_the_message_continue_to_its_end(self, stage):
        message = waiting(correlation_id="answered")
        done(poll.give_answers(stage))
        settle(stage)
        assert state_of(message) == MessageState.OK

    def test_never_arrives_late_or_for_a_silent_system(self, stage):
        late = waiting(correlation_id="answered", last_process_timestamp=ago(301))
        other = waiting(operation_name="postPayment")
        done(poll.give_answers(stage))
        settle(stage)
        assert state_of(late) == state_of(other) == WAITING_FOR_RES

    def test_finds_it_cancelled(self, stage):
        message = waiting(correlation_id="answered")
        done(poll.give_answers(stage))
        Message.objects.filter(pk=message.pk).update(state=MessageState.CANCEL)
        settle(stage)
        assert state_of(message) == MessageState.CANCEL
