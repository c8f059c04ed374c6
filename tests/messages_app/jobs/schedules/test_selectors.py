from datetime import UTC, datetime, timedelta

import pytest

from messages_app.jobs.models import JobSchedule
from messages_app.jobs.preview.estimates import Estimate
from messages_app.jobs.schedules.selectors import Today, messages_today, next_start
from tests.support.factories import NOON, make_message

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


class TestMessagesToday:
    @pytest.fixture(autouse=True)
    def messages(self):
        for service, state, days in (
            ("billing", "OK", 400),
            ("billing", "OK", 410),
            ("billing", "OK", 1),
            ("billing", "NEW", 400),
            ("orders", "OK", 400),
        ):
            at = NOON - timedelta(days=days)
            make_message(service_name=service, state=state, receive_timestamp=at, last_process_timestamp=at)

    def schedule(self, **columns: object) -> JobSchedule:
        values = {
            "kind": "archive",
            "filter": {"service_name": "billing"},
            "options": {"older_than_months": 6, "to": "tables"},
            "reason": "as agreed",
        }
        return JobSchedule(**values | columns)

    def test_are_those_of_its_filter_and_options(self):
        assert messages_today(self.schedule()) == Today(messages=Estimate(least=2, about=2, most=2))

    def test_are_unknown_if_its_job_would_be_refused(self):
        for columns in ({"reason": ""}, {"options": {"older_than_months": -1}}, {"filter": {"zzz": "1"}}):
            today = messages_today(self.schedule(**columns))
            assert today.messages is None, columns
            assert today.refusal, columns
