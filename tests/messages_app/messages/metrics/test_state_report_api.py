import pytest

from messages_app.core.clock import database_clock
from tests.support.api_client import ApiClient, caller, problem
from tests.support.factories import make_message

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader() -> ApiClient:
    return caller("support")


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

    def test_accepts_up_to_seven_days(self, reader):
        query = "receive_timestamp_from=2026-11-01T00:00:00Z&receive_timestamp_to=2026-11-08T00:00:00Z"
        assert reader.get(f"stats/?{query}").status_code == 200
        body = problem(reader.get("stats/?receive_timestamp_from=2026-01-01T00:00:00Z"))
        assert body["errors"][0]["field"] == "receive_timestamp_from"

    @pytest.mark.parametrize(
        ("query", "field"),
        [
            ("zzz=1", "zzz"),
            ("page_size=5", "page_size"),
            ("receive_timestamp_from=today", "receive_timestamp_from"),
        ],
    )
    def test_refuses_unknown_and_invalid_parameters(self, reader, query, field):
        body = problem(reader.get(f"stats/?{query}"))
        assert (body["status"], body["errors"][0]["field"]) == (400, field)

    def test_requires_a_permission(self):
        assert problem(caller().get("stats/"))["status"] == 403
