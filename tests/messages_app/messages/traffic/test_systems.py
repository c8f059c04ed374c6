from datetime import timedelta

import pytest

from messages_app.messages.traffic import systems
from messages_app.messages.traffic.systems import outside_systems
from messages_app.shared.message_states import ExternalCallState
from tests.support.factories import NOON, make_external_call, make_message, make_request, make_response

pytestmark = pytest.mark.django_db


class TestOutsideSystems:
    def test_counts_the_newest_calls_and_responses_up_to_the_fence(self, monkeypatch):
        monkeypatch.setattr(systems, "FENCE", 3)
        message = make_message(receive_timestamp=NOON)
        for age, name in enumerate(["new", "new", "new", "old", "old"]):
            request = make_request(message, uri=f"http://{name}.example/", req_timestamp=NOON)
            make_response(request, failed=True, res_timestamp=NOON + timedelta(seconds=9 - age))
        for name in ("older", "older", "newer", "newer", "newer"):  # ids ascend
            make_external_call(message, operation_name=f"http://{name}.example/", state="FAILED")
        found = {one.name: (one.calls, one.responses) for one in outside_systems(since=NOON)}
        assert found == {"new.example": ({}, 3), "newer.example": ({"FAILED": 3}, 0)}

    def test_leaves_out_servlets_of_the_hub(self):
        message = make_message(receive_timestamp=NOON)
        make_external_call(message, operation_name="servlet:///in/status", state="FAILED")
        make_response(
            make_request(message, uri="servlet:///in/status", req_timestamp=NOON), res_timestamp=NOON
        )
        assert outside_systems(since=NOON) == []

    def test_returns_failing_systems_first_with_their_calls_and_times(self):
        message = make_message(receive_timestamp=NOON)
        for state in ("FAILED", "FAILED", "PROCESSING", "OK"):
            make_external_call(
                message, operation_name="spring-ws:http://crm.example/ws", state=ExternalCallState(state)
            )
        make_external_call(message, operation_name="direct:stock", state=ExternalCallState.PROCESSING)
        for number in range(20):
            asked = make_request(message, uri=f"http://billing.example:8080/ws/{number}", req_timestamp=NOON)
            late = NOON + timedelta(seconds=1 + 9 * (number > 17))
            make_response(asked, failed=number == 3, res_timestamp=late)
        make_response(
            make_request(message, uri="http://old.example/"), res_timestamp=NOON - timedelta(days=1)
        )
        billing, crm, stock = outside_systems(since=NOON)
        assert (billing.name, billing.responses, billing.failed) == ("billing.example:8080", 20, 1)
        assert billing.p95_seconds == 10
        assert (crm.name, crm.calls) == ("crm.example", {"FAILED": 2, "PROCESSING": 1})
        assert (stock.calls, stock.p95_seconds) == ({"PROCESSING": 1}, None)
