"""
The calls over REST in addition to the hard cases: bad input, rights, idempotency.

Source: docs/contributing/spec/bad_input.md, "CP queue".
"""

import pytest

from messages_app.audit.models import AuditEntry
from messages_app.cp_queue.models import CpDispatch, CpMessage, CpService
from tests.support.api_client import ApiClient, caller, problem
from tests.support.queues import guid_of, make_due, remaining_messages, store

pytestmark = pytest.mark.django_db

BASE = "cp-queue/"
PULL = {"QueueNames": "RENDITION", "ServiceName": "W1"}
DISPATCH = {"MessageGUID": "A" * 32, "ServiceName": "W1", "Reason": "OK"}
CREATE = {"ObjectID": 5, "ObjectType": 65_536}


@pytest.fixture
def operator() -> ApiClient:
    return caller("operator")


BAD = [
    ("get-next/", {"ServiceName": "W1"}, "QueueNames", "required"),
    ("get-next/", PULL | {"QueueNames": ""}, "QueueNames", "required"),
    ("get-next/", PULL | {"QueueNames": " , "}, "QueueNames", "required"),
    ("get-next/", PULL | {"QueueNames": "x" * 129}, "QueueNames", "too_long"),
    ("get-next/", PULL | {"QueueNames": "x" * 20_001}, "QueueNames", "too_long"),
    ("get-next/", PULL | {"QueueNames": ",".join(map(str, range(101)))}, "QueueNames", "too_many"),
    ("get-next/", PULL | {"QueueNames": ["RENDITION"]}, "QueueNames", "invalid_value"),
    ("get-next/", PULL | {"QueueNames": None}, "QueueNames", "required"),
    ("get-next/", PULL | {"QueueNames": 7}, "QueueNames", "invalid_value"),
    ("get-next/", PULL | {"ServiceName": ""}, "ServiceName", "required"),
    ("get-next/", PULL | {"ServiceName": "   "}, "ServiceName", "required"),
    ("get-next/", PULL | {"ServiceName": "x" * 300}, "ServiceName", "too_long"),
    ("get-next/", PULL | {"ServiceName": "a\nb"}, "ServiceName", "invalid_value"),
    ("get-next/", PULL | {"Flags": 1}, "Flags", "invalid_value"),
    ("get-next/", PULL | {"Flags": "0"}, "Flags", "invalid_value"),
    ("get-next/", PULL | {"WantToken": "yes"}, "WantToken", "invalid_value"),
    ("get-next/", PULL | {"n": 5}, "n", "unknown_field"),
    ("get-next/", PULL | {"filter": {"osid": 5}}, "filter", "unknown_field"),
    ("dispatch/", DISPATCH | {"MessageGUID": ""}, "MessageGUID", "required"),
    ("dispatch/", DISPATCH | {"MessageGUID": "A" * 31}, "MessageGUID", "invalid_value"),
    ("dispatch/", DISPATCH | {"MessageGUID": "{" + "A" * 30 + "}"}, "MessageGUID", "invalid_value"),
    ("dispatch/", DISPATCH | {"MessageGUID": "G" * 32}, "MessageGUID", "invalid_value"),
    ("dispatch/", DISPATCH | {"Reason": ""}, "Reason", "required"),
    ("dispatch/", DISPATCH | {"Reason": " "}, "Reason", "required"),
    ("dispatch/", DISPATCH | {"Reason": "x" * 10_000}, "Reason", "too_long"),
    ("dispatch/", DISPATCH | {"Reason": {"code": 1}}, "Reason", "invalid_value"),
    ("dispatch/", {"MessageGUID": "A" * 32, "Reason": "OK"}, "ServiceName", "required"),
    ("dispatch/", DISPATCH | {"Token": 5}, "Token", "invalid_value"),
    ("get-next-many/", PULL, "Count", "required"),
    ("get-next-many/", PULL | {"Count": 0}, "Count", "out_of_range"),
    ("get-next-many/", PULL | {"Count": 101}, "Count", "out_of_range"),
    ("get-next-many/", PULL | {"Count": "5"}, "Count", "invalid_value"),
    ("get-next-many/", PULL | {"Count": True}, "Count", "invalid_value"),
    ("get-next-many/", PULL | {"Count": 1, "QueueNames": " , "}, "QueueNames", "required"),
    ("get-next-many/", PULL | {"Count": 1, "ServiceName": "a\nb"}, "ServiceName", "invalid_value"),
    ("get-next-many/", PULL | {"Count": 1, "n": 5}, "n", "unknown_field"),
    ("dispatch-many/", {"ServiceName": "W1"}, "messages", "required"),
    ("dispatch-many/", {"ServiceName": "W1", "messages": []}, "messages", "invalid_value"),
    ("dispatch-many/", {"ServiceName": "W1", "messages": {}}, "messages", "invalid_value"),
    ("dispatch-many/", {"ServiceName": "W1", "messages": [DISPATCH] * 101}, "messages", "too_long"),
    ("dispatch-many/", {"ServiceName": "", "messages": [{}]}, "ServiceName", "required"),
    ("dispatch-many/", {"messages": [DISPATCH]}, "ServiceName", "required"),
    ("create-messages/", {"ObjectType": 1}, "ObjectID", "required"),
    ("create-messages/", CREATE | {"ObjectID": -1}, "ObjectID", "out_of_range"),
    ("create-messages/", CREATE | {"ObjectID": 2**31}, "ObjectID", "out_of_range"),
    ("create-messages/", CREATE | {"ObjectID": "5"}, "ObjectID", "invalid_value"),
    ("create-messages/", CREATE | {"ObjectID": 5.5}, "ObjectID", "invalid_value"),
    ("create-messages/", CREATE | {"ObjectID": True}, "ObjectID", "invalid_value"),
    (
        "create-messages/",
        CREATE | {"CreateRenditionMessages": 1},
        "CreateRenditionMessages",
        "invalid_value",
    ),
    ("create-messages/", CREATE | {"CreateRendition": True}, "CreateRendition", "unknown_field"),
    ("create-messages/", CREATE | {"QueueNames": "x" * 129}, "QueueNames", "too_long"),
    ("reset-service/", {}, "ServiceName", "required"),
    ("reset-service/", {"ServiceName": ""}, "ServiceName", "required"),
    ("reset/", {"MessageGUID": "x"}, "MessageGUID", "invalid_value"),
    ("reset-selective/", {}, "QueueName", "required"),
    ("reset-selective/", {"QueueName": ""}, "QueueName", "required"),
    ("reset-selective/", {"ObjectID": "5"}, "ObjectID", "invalid_value"),
    ("reset-selective/", {"CreatedBefore": "soon"}, "CreatedBefore", "invalid_value"),
    ("delete/", {}, "MessageGUID", "required"),
    ("pause-queue/", {"QueueName": ""}, "QueueName", "required"),
    ("resume-queue/", {}, "QueueName", "required"),
    ("send-on/", {"MessageGUID": None}, "MessageGUID", "required"),
]


class TestEveryCall:
    @pytest.mark.parametrize(("path", "body", "field", "code"), BAD)
    def test_refuses_bad_input_by_its_field(self, operator, path, body, field, code):
        guid = store("A", lock="W1")
        answer = problem(operator.post(BASE + path, body))
        assert answer["status"] == 400
        assert (answer["errors"][0]["field"], answer["errors"][0]["code"]) == (field, code)
        assert remaining_messages() == {guid: "W1"}
        assert not CpService.objects.exists()

    @pytest.mark.parametrize(
        ("path", "body", "role"),
        [
            ("create-messages/", CREATE, "support"),
            ("get-next/", PULL, "support"),
            ("dispatch/", DISPATCH, "support"),
            ("get-next-many/", PULL | {"Count": 1}, "support"),
            ("dispatch-many/", {"ServiceName": "W1", "messages": [DISPATCH]}, "support"),
            ("reset-service/", {"ServiceName": "W1"}, "support"),
            ("reset/", {"MessageGUID": "A" * 32}, "cp_service"),
            ("reset-selective/", {"QueueName": "RENDITION"}, "cp_service"),
            ("dispatch-for-service/", DISPATCH, "cp_service"),
            ("dispatch-all-for-service/", {"ServiceName": "W1", "Reason": "OK"}, "cp_service"),
            ("delete/", {"MessageGUID": "A" * 32}, "cp_service"),
            ("send-on/", {"MessageGUID": "A" * 32}, "cp_service"),
            ("pause-queue/", {"QueueName": "RENDITION"}, "cp_service"),
        ],
    )
    def test_is_refused_and_remembered_without_the_right(self, path, body, role):
        assert problem(caller(role, username="sue").post(BASE + path, body))["status"] == 403
        assert AuditEntry.objects.get(outcome="refused").actor == "sue"

    def test_needs_a_token(self):
        assert problem(ApiClient().post(BASE + "get-next/", PULL))["status"] == 401

    @pytest.mark.parametrize(
        "raw", [b'{"QueueNames": "A", "ServiceName": "\\u0000"}', b"[]", b"{", b'{"a": NaN}', b"\xff"]
    )
    def test_refuses_an_invalid_body(self, operator, raw):
        assert problem(operator.send("POST", BASE + "get-next/", raw))["status"] == 400

    def test_accepts_no_other_method(self, operator):
        assert problem(operator.send("GET", BASE + "get-next/"))["status"] == 405


class TestCreate:
    def test_makes_one_message_for_each_flag(self, operator):
        flags = {"CreateFulltextIdxMessages": True, "CreateFulltextFilterMessages": False}
        answer = operator.post(BASE + "create-messages/", CREATE | flags | {"QueueNames": "PAGECOUNT, NEW"})
        assert (answer.status_code, answer.json()) == (201, {"return_code": 0, "created": 3})
        found = CpMessage.objects.order_by("queuename").values_list("queuename", "osid", "ostype")
        assert list(found) == [(name, 5, 65_536) for name in ("FULLTEXTIDX", "NEW", "PAGECOUNT")]
        assert not AuditEntry.objects.filter(action="create_cp_messages").exists()

    def test_answers_200_if_nothing_is_asked_for(self, operator):
        answer = operator.post(BASE + "create-messages/", CREATE)
        assert (answer.status_code, answer.json()) == (200, {"return_code": 0, "created": 0})

    def test_makes_no_second_message_for_a_repeat_with_its_key(self, operator):
        body = CREATE | {"CreateRenditionMessages": True}
        for _ in range(2):
            assert operator.post(BASE + "create-messages/", body, Idempotency_Key="k-1").status_code == 201
        assert CpMessage.objects.count() == 1

    def test_is_audited_if_a_reason_is_given(self, operator):
        body = CREATE | {"CreateRenditionMessages": True, "reason": "its rendition was broken"}
        operator.post(BASE + "create-messages/", body)
        assert AuditEntry.objects.get(action="create_cp_messages").details["queues"] == ["RENDITION"]

    def test_counts_before_it_makes_any(self, operator):
        body = CREATE | {"CreateRenditionMessages": True, "QueueNames": "PAGECOUNT", "DryRun": True}
        answer = operator.post(BASE + "create-messages/", body)
        assert (answer.status_code, answer.json()) == (200, {"return_code": 0, "created": 2})
        assert not CpMessage.objects.exists()


class TestGetNext:
    def test_answers_with_the_fields_of_the_contract(self, operator):
        guid = store("A")
        assert operator.post(BASE + "get-next/", PULL).json() == {
            "return_code": 0,
            "MessageGUID": guid,
            "ObjectID": 5,
            "ObjectType": 65_536,
            "QueueName": "RENDITION",
        }

    def test_answers_a_repeat_with_its_key_as_before(self, operator):
        store("A", osid=1)
        store("B", osid=2)
        first = operator.post(BASE + "get-next/", PULL, Idempotency_Key="k-1").json()
        again = operator.post(BASE + "get-next/", PULL, Idempotency_Key="k-1")
        assert again.json() == first
        assert again.headers["Idempotent-Replayed"] == "true"
        assert sum(service is not None for service in remaining_messages().values()) == 1

    def test_is_for_services_too(self):
        guid = store("A")
        service = caller("cp_service", username="indexer")
        assert service.post(BASE + "get-next/", PULL).json()["MessageGUID"] == guid
        assert problem(service.get(BASE + "messages/"))["status"] == 403


class TestBatches:
    def test_answer_with_the_fields_of_get_next(self, operator):
        newer, older = store("A", osid=5), store("B", "PAGECOUNT", osid=6, age="1 minute")
        body = PULL | {"QueueNames": "RENDITION,PAGECOUNT", "Count": 10}
        assert operator.post(BASE + "get-next-many/", body).json() == {
            "return_code": 0,
            "messages": [
                {"MessageGUID": newer, "ObjectID": 5, "ObjectType": 65_536, "QueueName": "RENDITION"},
                {"MessageGUID": older, "ObjectID": 6, "ObjectType": 65_536, "QueueName": "PAGECOUNT"},
            ],
        }
        assert operator.post(BASE + "get-next-many/", body).json() == {"return_code": 0, "messages": []}

    def test_answer_each_message_of_a_dispatch(self, operator):
        fenced = store("fenced")
        token = operator.post(BASE + "get-next-many/", PULL | {"Count": 1, "WantToken": True}).json()
        tokenless = store("tokenless", osid=6)
        operator.post(BASE + "get-next-many/", PULL | {"Count": 1, "WantToken": True})
        good, other, free = store("A", lock="W1"), store("B", lock="W2"), store("C")
        messages = [
            {"MessageGUID": good, "Reason": "OK"},
            {"MessageGUID": "F" * 32, "Reason": "OK"},
            {"MessageGUID": other, "Reason": "OK"},
            {"MessageGUID": free, "Reason": "OK"},
            {"MessageGUID": tokenless, "Reason": "OK"},
            {"MessageGUID": fenced, "Reason": "RETRY", "Token": token["messages"][0]["Token"]},
            {"MessageGUID": good},
            {"MessageGUID": good, "Reason": 5},
            {"MessageGUID": good, "Reason": "OK", "reason": "x"},
            {"MessageGUID": "-", "Reason": "OK"},
            {"MessageGUID": 5, "Reason": "OK"},
            "A",
            None,
        ]
        answer = operator.post(BASE + "dispatch-many/", {"ServiceName": "W1", "messages": messages})
        assert answer.status_code == 200, answer.content
        body = answer.json()
        assert body["return_code"] == 0
        assert [(one["MessageGUID"], one["status"], one.get("code")) for one in body["results"]] == [
            (good, 200, None),
            ("F" * 32, 404, "not_found"),
            (other, 409, "state_conflict"),
            (free, 409, "state_conflict"),
            (tokenless, 409, "lease_lost"),
            (fenced, 200, None),
            (good, 400, "required"),
            (good, 400, "invalid_value"),
            (good, 400, "unknown_field"),
            ("-", 400, "invalid_value"),
            ("", 400, "invalid_value"),
            ("", 400, "invalid_value"),
            ("", 400, "invalid_value"),
        ]
        assert [one["detail"] for one in body["results"][6:8]] == [
            "Reason is required.",
            "Reason: Not a valid string.",
        ]
        assert remaining_messages() == {fenced: None, tokenless: "W1", other: "W2", free: None}

    def test_are_answered_again_for_a_repeat_with_its_key(self, operator):
        guid = store("A", lock="W1")
        body = {"ServiceName": "W1", "messages": [{"MessageGUID": guid, "Reason": "OK"}]}
        for _ in range(2):
            answer = operator.post(BASE + "dispatch-many/", body, Idempotency_Key="k-1").json()
            assert answer["results"] == [{"MessageGUID": guid, "status": 200}]
        assert CpDispatch.objects.count() == 1

    def test_refuse_only_the_messages_of_other_queues(self):
        mine, other = store("A", lock="W1"), store("B", "PAGECOUNT", lock="W1")
        client = caller("cp_service", username="indexer", scopes=["queue:consume:RENDITION"])
        body = {
            "ServiceName": "W1",
            "messages": [{"MessageGUID": guid, "Reason": "OK"} for guid in (other, mine, "F" * 32)],
        }
        answer = client.post(BASE + "dispatch-many/", body)
        assert [one["status"] for one in answer.json()["results"]] == [403, 200, 403]
        assert remaining_messages() == {other: "W1"}
        entry = AuditEntry.objects.get(outcome="refused")
        assert (entry.actor, entry.details["messages"]) == ("indexer", [other, "F" * 32])


class TestDispatch:
    def test_answers_409_with_the_state(self, operator):
        free, held = store("A"), store("B", lock="W2")
        for guid, state, refusal in ((free, "free", "not_reserved"), (held, "reserved", "not_owner")):
            answer = problem(operator.post(BASE + "dispatch/", DISPATCH | {"MessageGUID": guid}))
            assert (answer["status"], answer["code"]) == (409, "state_conflict")
            assert (answer["current_state"], answer["refusal"]) == (state, refusal)
        assert remaining_messages() == {free: None, held: "W2"}

    def test_answers_404_for_an_unknown_message(self, operator):
        assert problem(operator.post(BASE + "dispatch/", DISPATCH))["status"] == 404

    def test_shows_when_a_retry_is_due(self, operator):
        guid = store("A", lock="W1")
        body = DISPATCH | {"MessageGUID": guid, "Reason": "RETRY"}
        answer = operator.post(BASE + "dispatch/", body).json()
        assert (answer["return_code"], answer["outcome"], answer["attempts"]) == (0, "deferred", 1)
        assert answer["not_before"]
        make_due(guid)
        assert operator.post(BASE + "get-next/", PULL).json()["MessageGUID"] == guid

    def test_answers_a_repeat_with_its_key_as_before(self, operator):
        body = DISPATCH | {"MessageGUID": store("A", lock="W1")}
        for _ in range(2):
            answer = operator.post(BASE + "dispatch/", body, Idempotency_Key="k-1")
            assert answer.json()["outcome"] == "done"
        assert CpDispatch.objects.count() == 1


class TestResets:
    def test_count_before_they_are_done(self, operator):
        store("A", lock="W1")
        for path, body in (
            ("reset-service/", {"ServiceName": "W1"}),
            ("reset-selective/", {"QueueName": "RENDITION"}),
        ):
            answer = operator.post(BASE + path, body | {"DryRun": True})
            assert answer.json() == {"return_code": 0, "released": 1}
        assert remaining_messages() == {guid_of("A"): "W1"}
        assert operator.post(BASE + path, body).json()["released"] == 1
        assert remaining_messages() == {guid_of("A"): None}

    def test_answer_for_one_message(self, operator):
        guid = store("A", lock="W1")
        for released, outcome in ((1, "released"), (0, "not_reserved")):
            answer = operator.post(BASE + "reset/", {"MessageGUID": guid, "reason": "stuck"})
            assert answer.json() == {"return_code": 0, "released": released, "result": outcome}
        assert problem(operator.post(BASE + "reset/", {"MessageGUID": "0" * 32}))["status"] == 404

    @pytest.mark.parametrize(
        ("call", "condition", "action"),
        [
            ("reset-service/", {"ServiceName": "W1"}, "reset_cp_service"),
            ("reset-selective/", {"QueueName": "RENDITION"}, "reset_cp_selection"),
            ("reset/", {}, "reset_cp_message"),
        ],
    )
    def test_say_in_the_audit_log_that_no_reason_was_given(self, operator, call, condition, action):
        guid = store("A")
        operator.post(BASE + "get-next/", PULL)
        body = condition or {"MessageGUID": guid}
        assert operator.post(BASE + call, body).status_code == 200
        assert AuditEntry.objects.get(action=action).reason == "No reason was given."


class TestSteering:
    def test_dispatches_for_a_dead_service(self, operator):
        guid = store("A", lock="W9")
        body = {"MessageGUID": guid, "ServiceName": "W9", "Reason": "OK", "reason": "its host is gone"}
        assert operator.post(BASE + "dispatch-for-service/", body).json()["outcome"] == "done"
        assert AuditEntry.objects.get(subject=guid).reason == "its host is gone"

    def test_dispatches_all_of_a_dead_service_and_counts_them_before(self, operator):
        store("A", lock="W9")
        store("B", osid=6, lock="W9")
        store("C", osid=7, lock="W8")
        body = {"ServiceName": "W9", "Reason": "OK", "reason": "its host is gone"}
        address = BASE + "dispatch-all-for-service/"
        counted = operator.post(address, body | {"DryRun": True}).json()
        assert counted == {"return_code": 0, "dispatched": 2, "outcomes": {}}
        assert len(remaining_messages()) == 3
        done = operator.post(address, body).json()
        assert done == {"return_code": 0, "dispatched": 2, "outcomes": {"done": 2}}
        assert remaining_messages() == {guid_of("C"): "W8"}
        assert AuditEntry.objects.get(action="dispatch_cp_service").reason == "its host is gone"
        assert problem(operator.post(address, body | {"Reason": " "}))["errors"][0]["field"] == "Reason"

    def test_deletes_only_a_free_message(self, operator):
        free, held = store("A"), store("B", lock="W2")
        assert operator.post(BASE + "delete/", {"MessageGUID": free.lower()}).json()["MessageGUID"] == free
        answer = problem(operator.post(BASE + "delete/", {"MessageGUID": held}))
        assert (answer["status"], answer["current_state"]) == (409, "reserved")
        assert remaining_messages() == {held: "W2"}

    @pytest.mark.parametrize(("lock", "status"), [(None, 200), ("W2", 409)])
    def test_counts_before_it_deletes(self, operator, lock, status):
        guid = store("A", lock=lock)
        answer = operator.post(BASE + "delete/", {"MessageGUID": guid, "DryRun": True})
        assert answer.status_code == status
        assert status != 200 or answer.json()["deleted"] == 1
        assert remaining_messages() == {guid: lock}

    def test_sends_on_a_waiting_message(self, operator):
        guid = store("A", lock="W1")
        operator.post(BASE + "dispatch/", DISPATCH | {"MessageGUID": guid, "Reason": "RETRY"})
        assert operator.post(BASE + "send-on/", {"MessageGUID": guid}).status_code == 200
        assert problem(operator.post(BASE + "send-on/", {"MessageGUID": guid}))["status"] == 409

    def test_pauses_a_queue_and_lets_it_continue(self, operator):
        store("A")
        body = {"QueueName": "RENDITION", "reason": "the converter is down"}
        for changed in (True, False):
            answer = operator.post(BASE + "pause-queue/", body)
            assert answer.json() == {"return_code": 0, "changed": changed}
        assert operator.post(BASE + "get-next/", PULL).json() == {"return_code": 0, "MessageGUID": ""}
        assert operator.post(BASE + "resume-queue/", body).json()["changed"] is True
        assert operator.post(BASE + "get-next/", PULL).json()["MessageGUID"] == guid_of("A")
