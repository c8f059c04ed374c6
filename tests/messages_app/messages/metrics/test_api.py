from datetime import timedelta

import pytest

from messages_app.core.clock import database_clock
from messages_app.messages.metrics.api import PollingSerializer
from messages_app.messages.metrics.polling import PollingState
from tests.support.api_client import ApiClient, caller, problem
from tests.support.distinct_rows import check_body
from tests.support.factories import NOON, make_message

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


def test_has_the_time_of_each_poll():
    check_body(PollingSerializer, PollingState)


@pytest.mark.django_db
def test_counts_by_service_operation_source_and_state_in_a_range():
    columns = {"service_name": "billing", "operation_name": "createInvoice", "source_system": "CRM"}
    for place, state in enumerate(["FAILED"] * 3 + ["OK"] * 2):
        make_message(state=state, receive_timestamp=NOON + timedelta(minutes=place), **columns)
    for at in (NOON - timedelta(seconds=1), NOON + timedelta(seconds=301)):
        make_message(state="OK", receive_timestamp=at, **columns)
    path = "stats/?receive_timestamp_from=2026-11-01T12:00:00Z&receive_timestamp_to=2026-11-01T12:05:00Z"
    body = caller("support").get(path).json()
    totals = {line["state"]: line["count"] for line in body.pop("totals")}
    assert (totals["FAILED"], body.pop("counted_from")) == (3, "2026-11-01T12:00:00Z")
    assert body == {
        "next": None,
        "previous": None,
        "receive_timestamp_from": "2026-11-01T12:00:00Z",
        "receive_timestamp_to": "2026-11-01T12:05:00Z",
        "truncated": False,
        "results": [columns | {"states": {"FAILED": 3, "OK": 2}, "total": 5}],
        "failing_now": 3,
    }
