"""The calls about objects over REST. Source: docs/contributing/spec/cp_queue.md, "Operations"."""

import hashlib

import pytest

from messages_app.access.models import IdempotencyKey
from messages_app.audit.models import AuditEntry
from messages_app.cp_queue.models import CpDispatch, CpMessage
from tests.support.api_client import caller, problem
from tests.support.factories import make_message
from tests.support.page_client import client_of, show_values
from tests.support.queues import remaining_messages, store
from tests.support.stores import define, process
from tests.support.stores import store as store_message

pytestmark = pytest.mark.django_db

INFO, TEXT = "cp-queue/object-info/", "cp-queue/object-full-text/"
CHANGED, PAGES = "cp-queue/rendition-changed/", "cp-queue/process-page-count/"
PAYLOAD = '<order id="4">Grace</order>'
OBJECT = {"ObjectID": 7, "ObjectType": 65_536}
CHANGE = OBJECT | {"Reason": "TEXT", "ServiceName": "cache-1"}
KNOWN = {
    "return_code": 0,
    "ObjectID": 7,
    "PageCount": 1,
    "SystemID": "ERP",
    "MimeType": "application/xml",
    "MimeTypeGroup": "application",
    "HasVolltextFile": True,
}


@pytest.fixture
def message():
    return make_message(object_id="7", source_system="ERP", payload=PAYLOAD)


@pytest.fixture
def reader():
    return caller("cp_service", "view_payload")


class TestEveryCall:
    @pytest.mark.parametrize(
        ("path", "body", "field", "code"),
        [
            (INFO, {}, "ObjectID", "required"),
            (INFO, {"ObjectID": "7"}, "ObjectID", "invalid_value"),
            (INFO, {"ObjectID": 2**31}, "ObjectID", "out_of_range"),
            (INFO, OBJECT | {"Flags": 1}, "Flags", "invalid_value"),
            (INFO, OBJECT | {"Rights": "Z"}, "Rights", "invalid_value"),
            (INFO, OBJECT | {"Rights": "RWXDUR"}, "Rights", "too_long"),
            (INFO, OBJECT | {"zzz": 1}, "zzz", "unknown_field"),
            (TEXT, {"ObjectID": 7}, "ObjectType", "required"),
            (TEXT, OBJECT | {"Flags": 2}, "Flags", "invalid_value"),
            (TEXT, OBJECT | {"Index": "no"}, "Index", "invalid_value"),
            (CHANGED, OBJECT | {"Reason": "TEXT"}, "ServiceName", "required"),
            (CHANGED, CHANGE | {"Reason": "text"}, "Reason", "invalid_value"),
            (CHANGED, CHANGE | {"Reason": ["TEXT"]}, "Reason", "invalid_value"),
            (CHANGED, CHANGE | {"ObjectType": -1}, "ObjectType", "out_of_range"),
            (CHANGED, CHANGE | {"ServiceName": "x" * 129}, "ServiceName", "too_long"),
            (PAGES, {"Count": 0}, "Count", "out_of_range"),
            (PAGES, {"Count": 101}, "Count", "out_of_range"),
            (PAGES, {"Flags": 1}, "Flags", "invalid_value"),
        ],
    )
    def test_refuses_bad_input_by_its_field(self, reader, path, body, field, code):
        answer = problem(reader.post(path, body))
        assert answer["status"] == 400
        assert (answer["errors"][0]["field"], answer["errors"][0]["code"]) == (field, code)
        assert remaining_messages() == {}


class TestObjectInfo:
    def test_shows_what_is_known(self, reader, message):
        digest = hashlib.sha256(PAYLOAD.encode()).hexdigest()
        told = reader.post(INFO, {"ObjectID": 7, "Flags": 2, "OutputUnicode": 1}).json()
        assert told == KNOWN | {"ExternalReference": str(message.pk), "Hash": digest}

    def test_hides_the_hash_from_users_without_permission_to_read_contents(self, message):
        told = caller("cp_service").post(INFO, OBJECT | {"Rights": "RW"}).json()
        assert told == KNOWN | {"ExternalReference": str(message.pk), "Rights": ""}

    def test_shows_which_rights_the_caller_has(self, reader, message):
        assert reader.post(INFO, OBJECT | {"Rights": "RWXDU"}).json()["Rights"] == "R"
        assert reader.post(INFO, OBJECT | {"Rights": "W"}).json()["Rights"] == ""

    def test_of_an_unknown_object_is_404(self, reader):
        assert problem(reader.post(INFO, OBJECT))["status"] == 404


class TestRecord:
    """An object of the message store, whose values all differ."""

    @pytest.fixture
    def identifier(self) -> str:
        define("sap", "invoice", key_fields=["id"], json_schema={})
        data = {"id": 93, "object_id": 71, "object_type": 82, "lines": ["line"] * 123}
        identifier = store_message([data], entity="invoice", system="sap")
        assert process(identifier).status == 10
        return identifier

    def facts(self) -> dict[str, object]:
        lines = ", ".join(['"line"'] * 123)
        content = f'{{"id": 93, "lines": [{lines}], "object_id": 71, "object_type": 82}}'
        return {
            "return_code": 0,
            "ObjectID": 71,
            "ObjectType": 82,
            "PageCount": 3,
            "ExternalReference": "[93]",
            "SystemID": "invoice",
            "MimeType": "application/json",
            "MimeTypeGroup": "application",
            "HasVolltextFile": True,
            "Hash": hashlib.sha256(content.encode()).hexdigest(),
        }

    def test_has_all_its_facts(self, reader, identifier):
        assert reader.post(INFO, {"ObjectID": 71, "Rights": "RW"}).json() == self.facts() | {"Rights": "R"}

    def test_has_a_text_whose_reading_is_audited(self, reader, identifier):
        body = reader.post(TEXT, {"ObjectID": 71, "ObjectType": 4}).json()
        text = "\n".join(["93", *["line"] * 123, "71", "82"])
        assert body == {
            "return_code": 0,
            "ObjectID": 71,
            "Text": text,
            "TooLarge": False,
            "Metadata": self.facts(),
        }
        entry = AuditEntry.objects.get(action="view_object_text")
        assert (entry.actor, entry.subject_kind, entry.subject) == ("ada", "store_message", identifier)
        assert (entry.msg_id, entry.details, entry.outcome) == (None, {"osid": 71}, "done")

    def test_that_is_too_large_has_no_hash_and_no_text(self, reader):
        make_message(object_id="7", payload="x " * 600_000)
        assert "Hash" not in reader.post(INFO, OBJECT).json()
        body = reader.post(TEXT, OBJECT | {"Index": False}).json()
        assert body == {"return_code": 0, "ObjectID": 7, "Text": "", "TooLarge": True}


class TestFullText:
    def test_returns_the_words_and_the_facts_for_an_index(self, reader, message):
        told = reader.post(TEXT, OBJECT).json()
        assert (told["Text"], told["TooLarge"], told["return_code"]) == ("4\nGrace", False, 0)
        digest = hashlib.sha256(PAYLOAD.encode()).hexdigest()
        assert told["Metadata"] == KNOWN | {"ExternalReference": str(message.pk), "Hash": digest}

    def test_returns_only_the_words(self, reader, message):
        told = reader.post(TEXT, OBJECT | {"Index": False}).json()
        assert told == {"return_code": 0, "ObjectID": 7, "Text": "4\nGrace", "TooLarge": False}

    def test_of_an_object_without_text_is_empty(self, reader):
        make_message(object_id="7", payload="")
        assert reader.post(TEXT, OBJECT).json()["Text"] == ""

    def test_of_an_unknown_object_is_404(self, reader):
        assert problem(reader.post(TEXT, OBJECT))["status"] == 404
        assert not AuditEntry.objects.filter(action="view_object_text")

    def test_is_in_the_audit(self, reader, message):
        reader.post(TEXT, OBJECT)
        entry = AuditEntry.objects.get(action="view_object_text")
        assert (entry.actor, entry.msg_id, entry.details) == ("ada", message.pk, {"osid": 7})

    def test_is_refused_without_the_right_or_the_scope(self, message):
        without = problem(caller("cp_service", username="bob").post(TEXT, OBJECT))
        assert (without["status"], "scope" in without) == (403, False)
        scoped = caller("cp_service", "view_payload", username="sue", scopes=["queue:consume"])
        assert problem(scoped.post(TEXT, OBJECT))["scope"] == "payload:read"
        refused = AuditEntry.objects.filter(action="view_object_text", outcome="refused")
        assert set(refused.values_list("actor", flat=True)) == {"bob", "sue"}

    def test_needs_a_reason_in_a_session(self, message):
        client = client_of("operator", "view_payload", username="eve")
        address = f"/api/v1/{TEXT}"
        refused = client.post(address, OBJECT, content_type="application/json")
        assert problem(refused)["code"] == "reveal_required"
        show_values(client)
        assert client.post(address, OBJECT, content_type="application/json").json()["Text"] == "4\nGrace"

    def test_is_not_kept_for_a_repeat(self, reader, message):
        reader.post(TEXT, OBJECT, Idempotency_Key="k-1")
        assert not IdempotencyKey.objects.exists()


class TestRenditionChanged:
    def test_has_the_text_indexed_again(self, reader):
        answer = reader.post(CHANGED, CHANGE)
        assert (answer.status_code, answer.json()) == (201, {"return_code": 0, "created": 1})
        assert answer.headers["Location"].endswith("/api/v1/cp-queue/objects/7/")
        made = CpMessage.objects.get()
        assert (made.queuename, made.osid, made.ostype) == ("FULLTEXTDOC", 7, 65_536)

    @pytest.mark.parametrize("reason", ["PAGECOUNT", "PREVIEW"])
    def test_creates_nothing_for_other_changes(self, reader, reason):
        answer = reader.post(CHANGED, CHANGE | {"Reason": reason})
        assert (answer.status_code, answer.json()) == (200, {"return_code": 0, "created": 0})
        assert remaining_messages() == {}

    def test_sent_twice_with_a_key_makes_one(self, reader):
        for _ in range(2):
            assert reader.post(CHANGED, CHANGE, Idempotency_Key="k-1").status_code == 201
        assert len(remaining_messages()) == 1


class TestProcessPageCount:
    def test_processes_free_messages(self, reader, message):
        known, unknown = store("A", "PAGECOUNT", 7), store("B", "PAGECOUNT", 8, age="1 hour")
        held, other = store("C", "PAGECOUNT", 9, lock="W1"), store("D", "RENDITION", 7)
        assert reader.post(PAGES, {}).json() == {
            "return_code": 0,
            "counted": [
                {"MessageGUID": known, "ObjectID": 7, "PageCount": 1, "outcome": "done"},
                {"MessageGUID": unknown, "ObjectID": 8, "PageCount": None, "outcome": "failed"},
            ],
        }
        assert remaining_messages() == {held: "W1", other: None}
        said = dict(CpDispatch.objects.values_list("messageguid", "reason"))
        assert said == {known: "OK", unknown: "FAILED: no object has this id"}

    def test_processes_up_to_the_given_number(self, reader):
        for number in range(3):
            store(f"A {number}", "PAGECOUNT", number)
        assert len(reader.post(PAGES, {"Count": 2}).json()["counted"]) == 2
        assert len(remaining_messages()) == 1

    def test_succeeds_if_there_is_nothing_to_do(self, reader):
        assert reader.post(PAGES, {}).json() == {"return_code": 0, "counted": []}
