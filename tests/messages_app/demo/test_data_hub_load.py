import time

import pytest
from django.db import transaction

from messages_app.cp_queue.models import CpMessage
from messages_app.demo.data_hub import load_data_hub
from messages_app.message_store.models import MessageHistory, MessageStore
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
