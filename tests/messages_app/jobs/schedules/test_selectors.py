from datetime import UTC, datetime

import pytest

from messages_app.jobs.models import JobSchedule
from messages_app.jobs.schedules.selectors import next_start

pytestmark = pytest.mark.django_db


class TestNextStart:
    def test_is_the_time_of_the_first_that_runs(self):
        now = datetime(2026, 11, 21, 12, tzinfo=UTC)
        assert next_start(["archive"], now=now) is None
        every = {"reason": "r", "created_by": "ada", "zone": "UTC"}
        for kind, hour, enabled in (("archive", 5, True), ("archive", 3, True), ("archive", 1, False)):
            JobSchedule.objects.create(kind=kind, cron=f"30 {hour} * * *", enabled=enabled, **every)
        assert next_start(["archive"], now=now) == datetime(2026, 11, 22, 3, 30, tzinfo=UTC)
        assert next_start(["export"], now=now) is None
