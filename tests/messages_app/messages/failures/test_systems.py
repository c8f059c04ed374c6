"""The external system of a failure: the host in its text, else that of its last call."""

import pytest

from messages_app.incidents.models import FailureCell
from messages_app.messages.failures.grouping import group_new_failures
from messages_app.messages.failures.systems import SystemNames
from messages_app.messages.models import ExternalCall, Message, Request, Response
from tests.support.factories import NOON, make_message, next_id


def find_system(text: str, address: str = "") -> str:
    return SystemNames().find_system(text, address)


class TestFindSystem:
    @pytest.mark.parametrize(
        ("text", "address", "system"),
        [
            ("POST https://pay.bank.example:8443/v1 timed out", "https://crm.example/a", "pay.bank.example"),
            ("timed out", "https://crm.corp.example:8443/orders/7?x=1", "crm.corp.example"),
            ("timed out", "spring-ws:http://legacy.example/ws", "legacy.example"),
            ("timed out", "direct:Billing", "direct:billing"),
            ("timed out", "smtp:user:secret@relay?x=secret", "relay"),
            ("timed out", "", ""),
            ("element http://www.w3.org/2001/XMLSchema is missing", "", ""),
        ],
    )
    def test_takes_the_text_before_the_call(self, text, address, system):
        assert find_system(text, address) == system

    def test_keeps_hosts_with_digits_apart(self):
        systems = SystemNames()
        texts = [f"connection to https://erp{number}.example refused" for number in (1, 2, 1)]
        assert [systems.find_system(text, "") for text in texts] == [
            "erp1.example",
            "erp2.example",
            "erp1.example",
        ]


def send_request(message: Message, host: str, *, failed: bool | None = None) -> None:
    """Store a request with an answer, a failed one, or none."""
    req_id = next_id()
    Request.objects.create(
        req_id=req_id,
        msg_id=message.pk,
        res_join_id=str(req_id),
        uri=f"https://{host}/x",
        req_envelope="",
        req_timestamp=NOON,
    )
    if failed is not None:
        Response.objects.create(res_id=next_id(), req_id=req_id, failed=failed, res_timestamp=NOON)


def fail(message: Message) -> FailureCell:
    Message.objects.filter(pk=message.pk).update(state="FAILED", failed_desc="no answer")
    group_new_failures()
    return FailureCell.objects.get()


@pytest.mark.django_db
class TestReadFailures:
    @pytest.mark.parametrize("failed", [None, True])
    def test_finds_the_last_request_without_an_answer_or_with_a_failed_one(self, failed):
        message = make_message(source_system="ERP")
        send_request(message, "first.example")
        send_request(message, "second.example", failed=failed)
        send_request(message, "third.example", failed=False)
        cell = fail(message)
        assert (cell.external_system, cell.source_system) == ("second.example", "ERP")

    def test_finds_the_failed_call_if_all_requests_have_answers(self):
        message = make_message()
        send_request(message, "answered.example", failed=False)
        for state, name in (("FAILED", "direct:crm"), ("OK", "direct:erp")):
            ExternalCall.objects.create(
                call_id=next_id(),
                msg_id=message.pk,
                operation_name=name,
                state=state,
                entity_id="7",
                msg_timestamp=NOON,
                creation_timestamp=NOON,
                last_update_timestamp=NOON,
            )
        assert fail(message).external_system == "direct:crm"
