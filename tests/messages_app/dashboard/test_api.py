import pytest

from messages_app.messages.metrics.passes import fold_changes
from tests.messages_app.dashboard.test_handover import fail, restart
from tests.support.api_client import ApiClient, caller, problem
from tests.support.factories import make_message

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader() -> ApiClient:
    return caller("support")


class TestDashboardView:
    def test_returns_tiles(self, reader):
        make_message(state="FAILED")
        fold_changes()
        body = reader.get("dashboard/?window=7d").json()
        assert body["window"] == "7d"
        assert body["counted_at"]
        tiles = {tile["name"]: tile for tile in body["tiles"]}
        assert tiles["failing"]["content"]["failing_now"] == 1
        assert tiles["failing"]["query"] == "state=FAILED"

    def test_refuses_another_window(self, reader):
        assert problem(reader.get("dashboard/?window=2y"))["errors"][0]["field"] == "window"


class TestHandoverView:
    def test_shows_since_a_time(self, reader):
        body = reader.get("handover/?since=2026-11-01T08:00:00Z").json()
        assert (body["groups"], body["alerts"], body["oldest"]) == ([], [], None)

    def test_shows_repairs_with_their_users_and_open_failures(self, reader):
        ids = fail("outage", 2)
        job = restart(ids, became="OK")
        fail("other")
        body = reader.get("handover/?since=2026-11-01T08:00:00Z").json()
        [repair] = body["repairs"]
        told = ("job_id", "kind", "created_by", "reason", "done", "ok", "failed_again", "in_progress")
        assert [repair[name] for name in told] == [
            job.pk,
            "restart",
            "ana",
            "the target is back",
            2,
            2,
            0,
            0,
        ]
        [repaired], [still_open] = body["repaired"], body["open_groups"]
        assert (repaired["group"]["summary"], repaired["job_ids"]) == ("outage", [job.pk])
        assert (repaired["outcome"]["ok"], repaired["outcome"]["is_repaired"]) == (2, True)
        assert (still_open["group"]["summary"], still_open["outcome"]["failed"]) == ("other", 1)

    def test_accepts_an_offset_that_postgresql_refuses(self, reader):
        body = reader.get("handover/?since=2026-11-01T22:08:00%2B22:08").json()
        assert body["since"] == "2026-11-01T00:00:00Z"

    @pytest.mark.parametrize(
        "query", ["", "?since=yesterday", "?since=2026-11-01T08:00:00", "?since=0001-01-01T00:00:00%2B10:00"]
    )
    def test_needs_a_time_with_its_offset(self, reader, query):
        assert problem(reader.get(f"handover/{query}"))["errors"][0]["field"] == "since"
