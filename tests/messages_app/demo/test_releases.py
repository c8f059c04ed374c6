from datetime import UTC, datetime, timedelta

import pytest

from messages_app.demo.arrival_times import last_outage
from messages_app.demo.releases import load_releases
from messages_app.incidents.deployments.models import Deployment

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 21, 4, 30, tzinfo=UTC).timestamp()


class TestLoadReleases:
    def test_has_one_just_before_the_outage(self):
        load_releases(now=NOW)
        (newest, *others) = Deployment.objects.order_by("-at")
        outage = datetime.fromtimestamp(last_outage(NOW).begins_at, UTC)
        assert (newest.service_name, outage - newest.at) == ("billing", timedelta(minutes=8))
        assert len(others) == 4
        assert others[0].at < outage - timedelta(hours=12)

    def test_adds_none_a_second_time(self):
        load_releases(now=NOW)
        load_releases(now=NOW + 60)
        assert Deployment.objects.count() == 5
