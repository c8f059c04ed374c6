from datetime import timedelta

import pytest
from django.utils import timezone

from messages_app.cp_queue.models import CpLostPickup
from messages_app.cp_queue.services.operators import forget_old_log

pytestmark = pytest.mark.django_db


class TestForgetOldLog:
    def test_leaves_no_count_of_lost_pickups_that_is_older_than_a_week(self):
        for days in (8, 6):
            hour = timezone.now() - timedelta(days=days)
            CpLostPickup.objects.create(queuename="RENDITION", hour=hour, service="W1", lost=days)
        forget_old_log()
        assert [each.lost for each in CpLostPickup.objects.all()] == [6]
