"""Calls of operators: the messages that each reaches, with its answer and audit entry."""

import pytest

from messages_app.audit.models import AuditEntry
from messages_app.cp_queue.models import CpMessage
from messages_app.cp_queue.services.dispatch import dispatch_message
from messages_app.cp_queue.services.operators import pause_queue
from tests.support.api_client import caller, problem
from tests.support.queues import ADA, guid_of, remaining_messages, store

pytestmark = pytest.mark.django_db

CREATED = "2026-11-02T12:00:00Z"


@pytest.fixture
def held() -> None:
    """Store one message that every condition selects, and one for each that only this one excludes."""
    values = {"queue": "RENDITION", "osid": 71, "ostype": 82, "lock": "W1"}
    for name, other in (
        ("all", {}),
        ("QueueName", {"queue": "PAGECOUNT"}),
        ("ServiceName", {"lock": "W2"}),
        ("ObjectID", {"osid": 82}),
        ("ObjectType", {"ostype": 71}),
        ("CreatedBefore", {}),
    ):
        store(name, **values | other)
    CpMessage.objects.update(created="2026-11-02T11:59:59Z")
    CpMessage.objects.filter(pk=guid_of("CreatedBefore")).update(created=CREATED)


class TestResetSelective:
    CONDITIONS = {
        "QueueName": "RENDITION",
        "ServiceName": "W1",
        "ObjectID": 71,
        "ObjectType": 82,
        "CreatedBefore": CREATED,
    }

    @pytest.mark.parametrize("left_out", ["", *CONDITIONS])
    def test_frees_the_messages_that_meet_each_given_condition(self, held, left_out):
        asked = {name: value for name, value in self.CONDITIONS.items() if name != left_out}
        body = asked | {"reason": "restart"}
        operator = caller("operator")
        freed = {guid_of("all"), guid_of(left_out)} if left_out else {guid_of("all")}
        dry = operator.post("cp-queue/reset-selective/", body | {"DryRun": True}).json()
        assert (dry["released"], None in remaining_messages().values()) == (len(freed), False)
        done = operator.post("cp-queue/reset-selective/", body).json()
        assert (done["return_code"], done["released"]) == (0, len(freed))
        assert {guid for guid, service in remaining_messages().items() if service is None} == freed


class TestReasons:
    """Each call has an audit entry with the reason of its body, and with none if nothing is changed."""

    ONE = {"MessageGUID": guid_of("held")}
    WAITING = {"MessageGUID": guid_of("waiting")}
    SERVICE = {"ServiceName": "W1"}
    DONE = {"return_code": 0, "outcome": "failed", "attempts": 0, "not_before": None}

    @pytest.mark.parametrize(
        ("path", "body", "answer", "entry"),
        [
            ("reset/", ONE, {"released": 1, "result": "released"}, ("reset_cp_message", guid_of("held"))),
            ("reset-service/", SERVICE, {"released": 2}, ("reset_cp_service", "")),
            ("reset-selective/", {"ObjectID": 71}, {"released": 1}, ("reset_cp_selection", "")),
            ("delete/", WAITING, WAITING | {"deleted": 1}, ("delete_cp_message", guid_of("waiting"))),
            ("send-on/", WAITING, WAITING, ("send_on_cp_message", guid_of("waiting"))),
            ("pause-queue/", {"QueueName": "NEW"}, {"changed": True}, ("pause_cp_queue", "")),
            ("resume-queue/", {"QueueName": "FULLTEXTIDX"}, {"changed": True}, ("resume_cp_queue", "")),
            (
                "dispatch-for-service/",
                ONE | SERVICE | {"Reason": "no file"},
                DONE,
                ("dispatch_cp_message", guid_of("held")),
            ),
            (
                "dispatch-all-for-service/",
                SERVICE | {"Reason": "no file"},
                {"dispatched": 2, "outcomes": {"failed": 2}},
                ("dispatch_cp_service", ""),
            ),
            (
                "create-messages/",
                {"ObjectID": 5, "ObjectType": 6, "QueueNames": "A,B"},
                {"created": 2},
                ("create_cp_messages", ""),
            ),
        ],
    )
    def test_are_in_the_audit_log(self, path, body, answer, entry):
        store("held", osid=71, lock="W1"), store("second", osid=82, lock="W1")
        dispatch_message(guid=store("waiting", osid=93, lock="W2"), service="W2", reason="RETRY")
        pause_queue(queue="FULLTEXTIDX", actor=ADA)
        told = caller("operator", username="grace").post(f"cp-queue/{path}", body | {"reason": "as agreed"})
        assert told.json() == {"return_code": 0} | answer
        (row,) = AuditEntry.objects.filter(actor="grace").values_list("action", "subject", "reason")
        assert row == (*entry, "as agreed")


class TestConfinedTokens:
    def test_cannot_tell_messages_of_other_queues_from_unknown_ones(self):
        held = store("held", "PAGECOUNT", lock="W1")
        client = caller("cp_service", scopes=["queue:consume:RENDITION"])
        bodies = []
        for guid in (held, guid_of("unknown")):
            body = {"MessageGUID": guid, "ServiceName": "W1", "Reason": "OK"}
            bodies.append(problem(client.post("cp-queue/dispatch/", body)) | {"request_id": ""})
        assert bodies[0] == bodies[1]
        assert bodies[0]["status"] == 403
        assert remaining_messages() == {held: "W1"}

    def test_cannot_reset_messages_of_all_queues(self):
        store("held", lock="W1")
        client = caller("operator", scopes=["queue:act:RENDITION"])
        body = {"ServiceName": "W1", "reason": "restart"}
        assert problem(client.post("cp-queue/reset-selective/", body))["status"] == 403
        answer = client.post("cp-queue/reset-selective/", body | {"QueueName": "RENDITION"})
        assert (answer.status_code, answer.json()["released"]) == (200, 1)
