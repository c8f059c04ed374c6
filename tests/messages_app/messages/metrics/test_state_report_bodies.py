"""The body of the report of states, and of the age of its figures."""

from datetime import timedelta

import pytest

from messages_app.messages.metrics.polling import PollingState
from messages_app.messages.metrics.state_report import PollingSerializer
from tests.support.api_client import caller
from tests.support.distinct_rows import check_body
from tests.support.factories import NOON, make_message


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
