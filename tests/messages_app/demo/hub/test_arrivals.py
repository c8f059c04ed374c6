"""Acceptance case 22 of docs/contributing/spec/cleverbus.md, "Acceptance cases"."""

import pytest

from messages_app.demo.hub.arrivals import receive_message
from messages_app.demo.senders import Senders
from messages_app.demo.world import make_dice
from messages_app.messages.models import Funnel, Message
from messages_app.shared.message_states import MessageState

pytestmark = pytest.mark.django_db


class TestReceive:
    def test_stores_a_message_that_is_processed_immediately(self, stage):
        message = receive_message(stage)
        row = Message.objects.get(pk=message.pk)
        assert row.state == MessageState.PROCESSING
        assert row.start_process_timestamp == row.receive_timestamp == row.last_process_timestamp
        assert row.msg_timestamp < row.receive_timestamp
        assert row.failed_count == 0
        assert row.payload in row.envelope
        assert "\\n" not in row.payload

    def test_stores_it_new_if_the_hub_has_a_queue(self, stage, openhub):
        assert Message.objects.get(pk=receive_message(stage).pk).state == MessageState.NEW

    @pytest.mark.parametrize(("hub", "rows"), [("cleverbus", True), ("openhub", False)])
    def test_keeps_funnel_values_if_the_hub_does(self, stage, settings, hub, rows):
        settings.HUB_RULES = hub
        for _ in range(40):
            receive_message(stage)
        assert Funnel.objects.exists() is rows
        assert Message.objects.exclude(funnel_value=None).exists() is not rows

    def test_refuses_a_correlation_id_twice(self, stage):
        twins = [Senders(random=make_dice(7), count=7, name="L") for _ in range(2)]
        stage.senders = twins[0]
        assert receive_message(stage) is not None
        stage.senders = twins[1]
        assert receive_message(stage) is None
        assert Message.objects.count() == 1
