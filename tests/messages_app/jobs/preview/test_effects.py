"""The external systems that a restart calls again, counted for messages of different weights."""

import pytest

from messages_app.jobs.preview import effects
from messages_app.jobs.preview.deadline import Deadline
from messages_app.jobs.preview.effects import systems_called
from tests.support.factories import NOON, make_external_call, make_message, make_request

pytestmark = pytest.mark.django_db


def store(msg_id: int, *calls: str, requests: int = 0) -> None:
    """Store a message with calls in these states, and requests to one address."""
    message = make_message(msg_id=msg_id, state="FAILED", receive_timestamp=NOON)
    for number, state in enumerate(calls):
        make_external_call(
            message, operation_name=f"direct:erp{number}", state=state, entity_id=f"{msg_id}-{number}"
        )
    for _ in range(requests):
        make_request(message, uri="http://mail.example/ws")


def test_sums_have_the_weight_of_each_message():
    store(1, "OK", "FAILED", requests=2), store(2, "OK", requests=1), store(3, "FAILED", "FAILED")
    store(4, "OK", "OK", requests=5)
    found, looked_up = systems_called({1: 2.0, 2: 2.0, 3: 10.0}, total=False, deadline=Deadline(60))
    assert looked_up == 3
    assert found == {
        "direct:erp0": {"skipped": 4, "sent_again": 10, "repeated": 0, "asked_before": 0},
        "direct:erp1": {"skipped": 0, "sent_again": 12, "repeated": 0, "asked_before": 0},
        "mail.example": {"skipped": 0, "sent_again": 0, "repeated": 0, "asked_before": 4},
    }


def test_a_restart_in_total_sends_what_succeeded_again():
    store(1, "OK", "FAILED"), store(2, "OK")
    found, _ = systems_called({1: 1.0, 2: 4.0}, total=True, deadline=Deadline(60))
    assert found == {
        "direct:erp0": {"skipped": 0, "sent_again": 5, "repeated": 5, "asked_before": 0},
        "direct:erp1": {"skipped": 0, "sent_again": 1, "repeated": 0, "asked_before": 0},
    }


def test_are_empty_without_messages():
    assert systems_called({}, total=False, deadline=Deadline(60)) == ({}, 0)


@pytest.mark.parametrize(("count", "looked_up"), [(3, 3), (4, 3)])
def test_more_messages_are_sampled_with_the_same_sum(monkeypatch, count, looked_up):
    monkeypatch.setattr(effects, "_MAX_MESSAGES", 3)
    for msg_id in range(count):
        store(msg_id + 1, "FAILED")
    weights = {msg_id + 1: 5.0 for msg_id in range(count)}
    found, number = systems_called(weights, total=False, deadline=Deadline(60))
    assert (number, found["direct:erp0"]["sent_again"]) == (looked_up, 5 * count)
