import time
from datetime import timedelta

import pytest
from django.db import transaction

from messages_app.core.clock import database_clock
from messages_app.cp_queue.models import CpMessage
from messages_app.demo.data_hub import load_data_hub
from messages_app.message_store.models import MessageHistory, MessageLine, MessageProcess, MessageStore
from messages_app.message_store.selectors.summary import counts_by_status

pytestmark = pytest.mark.django_db


class TestLoadDataHub:
    @pytest.mark.slow
    def test_leaves_messages_that_wait_that_gave_up_and_that_are_wrong(self):
        with transaction.atomic():
            load_data_hub(seed=1, now=time.time())
        counts = counts_by_status()
        assert counts[26] == 24
        assert counts[25] == 5
        assert counts[24] == 1
        assert counts[2] == 6
        assert counts[10] == 164
        assert not CpMessage.objects.exists()
        assert MessageHistory.objects.count() == MessageStore.objects.count() == sum(counts.values())

    @pytest.mark.slow
    def test_makes_attempts_when_messages_came_or_when_the_system_was_switched_on_again(self):
        now = database_clock()
        with transaction.atomic():
            load_data_hub(seed=1, now=now.timestamp())
        came_at = dict(MessageStore.objects.values_list("message_identifier", "message_timestamp"))
        for attempt in MessageHistory.objects.exclude(status=2):
            at = attempt.processed_timestamp
            expected = (
                now - timedelta(hours=3) if attempt.status == 26 else came_at[attempt.message_identifier]
            )
            assert timedelta(0) <= at - expected < timedelta(minutes=2), attempt.status
            assert attempt.log_text.startswith(f"Attempt of {at.isoformat()}.\n")
            assert MessageProcess.objects.get(pk=attempt.message_identifier).processed_timestamp == at
            line = MessageLine.objects.get(message_identifier=attempt.message_identifier)
            assert (line.last_started_at, line.attempts) == (at, 1)
            assert timedelta(0) < line.last_ended_at - at < timedelta(seconds=5)
