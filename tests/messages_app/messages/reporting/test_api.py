import pytest

from messages_app.web.clock import database_clock
from tests.api_client import ApiClient, caller, problem
from tests.factories import make_message

pytestmark = pytest.mark.django_db

REPORTS = ["failure-groups/", "stats/"]


@pytest.fixture
def reader() -> ApiClient:
    return caller("support")


class TestEveryReport:
    @pytest.mark.parametrize("path", REPORTS)
    @pytest.mark.parametrize(
        ("query", "field"),
        [
            ("zzz=1", "zzz"),
            ("page_size=5", "page_size"),
            ("receive_timestamp_from=today", "receive_timestamp_from"),
        ],
    )
    def test_refuses_what_it_does_not_know(self, reader, path, query, field):
        body = problem(reader.get(f"{path}?{query}"))
        assert (body["status"], body["errors"][0]["field"]) == (400, field)

    @pytest.mark.parametrize("path", REPORTS)
    def test_asks_for_a_right(self, path):
        assert problem(caller().get(path))["status"] == 403


class TestFailureGroupListView:
    def test_groups_the_last_day(self, reader):
        message = make_message(
            state="FAILED",
            receive_timestamp=database_clock(),
            failed_error_code="E103",
            failed_desc="E103: order 1",
        )
        make_message(state="FAILED")
        body = reader.get("failure-groups/").json()
        assert (body["next"], body["previous"], body["truncated"]) == (None, None, False)
        (group,) = body["results"]
        assert (group["summary"], group["count"], group["msg_ids"]) == ("E103: order <n>", 1, [message.pk])

    def test_takes_any_range(self, reader):
        make_message(state="FAILED")
        body = reader.get("failure-groups/?receive_timestamp_from=2026-01-01T00:00:00Z").json()
        assert len(body["results"]) == 1


class TestStatsView:
    def test_counts_the_last_day(self, reader):
        make_message(state="OK", receive_timestamp=database_clock())
        body = reader.get("stats/").json()
        assert body["results"] == [
            {
                "service_name": "billing",
                "operation_name": "createInvoice",
                "source_system": "CRM",
                "states": {"OK": 1},
                "total": 1,
            }
        ]
        assert body["counted_from"] == body["receive_timestamp_from"]
        assert {"state": "FAILED", "count": 0, "exact": True} in body["totals"]

    def test_takes_seven_days_at_most(self, reader):
        query = "receive_timestamp_from=2026-11-01T00:00:00Z&receive_timestamp_to=2026-11-08T00:00:00Z"
        assert reader.get(f"stats/?{query}").status_code == 200
        body = problem(reader.get("stats/?receive_timestamp_from=2026-01-01T00:00:00Z"))
        assert body["errors"][0]["field"] == "receive_timestamp_from"
