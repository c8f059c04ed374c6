import pytest

from messages_app.demo.hub import repair
from messages_app.demo.hub.order import is_kept_out
from messages_app.messages.models import Message
from messages_app.shared.message_states import MessageState
from tests.messages_app.demo.hub.playing import done, fresh, make_stage, stored

pytestmark = pytest.mark.django_db


class TestKeepFunnelsStuck:
    def test_lets_a_funnel_stay_stuck(self):
        in_funnel = {"values": ("V",), "funnel_component_id": "funnel_account"}
        holder = stored(MessageState.WAITING_FOR_RES, age=4_000, **in_funnel)
        waiting = stored(MessageState.POSTPONED, age=3_000, **in_funnel)
        stage = make_stage(is_gentle=True)
        assert not is_kept_out(stage, waiting)
        done(repair.keep_funnels_stuck(stage))
        assert fresh(holder).state == MessageState.WAITING_FOR_RES
        assert is_kept_out(stage, waiting)

    def test_does_not_change_other_waiting_messages(self):
        message = stored(MessageState.WAITING_FOR_RES, age=4_000, values=("V",), funnel_component_id="f")
        before = Message.objects.filter(pk=message.pk).values().get()
        done(repair.keep_funnels_stuck(make_stage(is_gentle=True)))
        assert Message.objects.filter(pk=message.pk).values().get() == before
