"""
The calls over REST in addition to the hard cases: bad input, rights, idempotency.

Source: docs/contributing/spec/bad_input.md, "Document history".
"""

import pytest

from messages_app.access.models import IdempotencyKey
from messages_app.audit.models import AuditEntry
from messages_app.document_history.models import DocumentHistory, DocumentTrigger
from messages_app.document_history.services import resolvers
from messages_app.document_history.services.sweep import sweep_entries
from tests.support.api_client import ApiClient, caller, problem
from tests.support.histories import entries_of, make_trigger, store_both, store_entry

pytestmark = pytest.mark.django_db

CHECK, COMPLETE = "document-history/check/", "document-history/complete/"


@pytest.fixture
def operator() -> ApiClient:
    make_trigger()
    return caller("operator")


class TestCheck:
    def test_answers_with_the_fields_of_the_contract(self, operator):
        answer = operator.post(CHECK, {"trigger_id": "t-1", "uuid": "u-1", "redelivery_count": 0}).json()
        token = answer.pop("token")
        assert answer == {
            "status": "NEW",
            "uuid": "u-1",
            "decided_by": "history",
            "rule": "no_entry",
            "message": "The history has no entry for it.",
            "recorded": True,
            "hash_checked": False,
        }
        done = operator.post(COMPLETE, {"trigger_id": "t-1", "uuid": "u-1", "token": token})
        assert done.json()["status"] == "completed"

    @pytest.mark.parametrize(
        ("body", "field", "code"),
        [
            ({"uuid": "u"}, "trigger_id", "required"),
            ({"trigger_id": "t-1", "uuid": 7}, "uuid", "invalid_value"),
            ({"trigger_id": "t-1", "uuid": None}, "uuid", "required"),
            ({"trigger_id": "t-1", "uuid": ["u"]}, "uuid", "invalid_value"),
            ({"trigger_id": "t-1", "uuid": "x" * 4001}, "uuid", "too_long"),
            ({"trigger_id": "t-1", "uuid": "u", "redelivery_count": -2}, "redelivery_count", "out_of_range"),
            (
                {"trigger_id": "t-1", "uuid": "u", "redelivery_count": 2**31},
                "redelivery_count",
                "out_of_range",
            ),
            (
                {"trigger_id": "t-1", "uuid": "u", "redelivery_count": 1.5},
                "redelivery_count",
                "invalid_value",
            ),
            (
                {"trigger_id": "t-1", "uuid": "u", "redelivery_count": "1"},
                "redelivery_count",
                "invalid_value",
            ),
            (
                {"trigger_id": "t-1", "uuid": "u", "redelivery_count": True},
                "redelivery_count",
                "invalid_value",
            ),
            ({"trigger_id": "t-1", "uuid": "u", "guaranteed": "yes"}, "guaranteed", "invalid_value"),
            (
                {"trigger_id": "t-1", "uuid": "u", "seen_at": "2030-01-01T00:00:00Z"},
                "seen_at",
                "unknown_field",
            ),
        ],
    )
    def test_refuses_bad_input_by_its_field(self, operator, body, field, code):
        answer = problem(operator.post(CHECK, body))
        assert answer["status"] == 400
        assert (answer["errors"][0]["field"], answer["errors"][0]["code"]) == (field, code)
        assert not DocumentHistory.objects.exists()

    @pytest.mark.parametrize(
        "raw", [b'{"trigger_id": "t-1", "uuid": "a\\u0000b"}', b'{"trigger_id": "t-1", "uuid": "\\ud800"}']
    )
    def test_refuses_an_invalid_text(self, operator, raw):
        assert problem(operator.send("POST", CHECK, raw))["status"] == 400

    @pytest.mark.parametrize("trigger_id", ["t-9", "../t-1", "t-1 "])
    def test_rejects_any_other_trigger(self, operator, trigger_id):
        assert problem(operator.post(CHECK, {"trigger_id": trigger_id, "uuid": "u"}))["code"] == "not_found"

    def test_treats_a_missing_count_as_not_counted(self, operator):
        DocumentTrigger.objects.update(use_history=False)
        answer = operator.post(CHECK, {"trigger_id": "t-1", "uuid": "u", "redelivery_count": None}).json()
        assert answer["rule"] == "no_delivery_count"

    def test_answers_a_repeat_with_its_key_as_before(self, operator):
        body = {"trigger_id": "t-1", "uuid": "u-1"}
        first = operator.post(CHECK, body, Idempotency_Key="k-1").json()
        again = operator.post(CHECK, body, Idempotency_Key="k-1")
        assert again.json() == first
        assert again.headers["Idempotent-Replayed"] == "true"
        assert operator.post(CHECK, body).json()["status"] == "IN_DOUBT"

    def test_is_for_operators(self, operator):
        support = caller("support", username="sue")
        assert problem(support.post(CHECK, {"trigger_id": "t-1", "uuid": "u"}))["status"] == 403
        assert not DocumentHistory.objects.exists()
        assert AuditEntry.objects.get(outcome="refused").action == "check_document"

    @pytest.mark.parametrize("headers", [{}, {"Idempotency_Key": "k-1"}])
    def test_suspends_a_trigger_and_keeps_no_answer(self, operator, headers):
        def fail(asked: object) -> dict:
            raise resolvers.TransientFailure("the ledger is down")

        resolvers.register_resolver("tests.down")(fail)
        try:
            DocumentTrigger.objects.update(resolver="tests.down")
            store_entry("processing")
            answer = operator.post(CHECK, {"trigger_id": "t-1", "uuid": "u-1"}, **headers)
        finally:
            resolvers.unregister_resolver("tests.down")
        assert problem(answer)["code"] == "trigger_suspended"
        assert answer.headers["Retry-After"]
        assert not IdempotencyKey.objects.exists()
        assert DocumentTrigger.objects.get().suspended_because == "the ledger is down"


class TestComplete:
    @pytest.mark.parametrize("missing", ["trigger_id", "uuid", "token"])
    def test_needs_every_field(self, operator, missing):
        body = {"trigger_id": "t-1", "uuid": "u-1", "token": "t"}
        del body[missing]
        assert problem(operator.post(COMPLETE, body))["errors"][0] == {
            "field": missing,
            "code": "required",
            "message": f"{missing} is required.",
        }

    def test_before_any_check_finds_nothing(self, operator):
        answer = operator.post(COMPLETE, {"trigger_id": "t-1", "uuid": "u-1", "token": "made-up"})
        assert problem(answer)["status"] == 404


class TestAbandon:
    def test_allows_the_document_to_come_again(self, operator):
        token = operator.post(CHECK, {"trigger_id": "t-1", "uuid": "u-1"}).json()["token"]
        body = {"trigger_id": "t-1", "uuid": "u-1", "token": token}
        answer = {"trigger_id": "t-1", "uuid": "u-1"}
        assert operator.post("document-history/abandon/", body).json() == answer | {"abandoned": True}
        assert entries_of() == {}
        assert operator.post("document-history/abandon/", body).json() == answer | {"abandoned": False}


class TestDryRun:
    def test_shows_the_rule_and_writes_nothing(self, operator):
        store_entry("processing")
        support = caller("support", username="sue")
        answer = support.post("document-history/dry-run/", {"trigger_id": "t-1", "uuid": "u-1"}).json()
        assert (answer["status"], answer["rule"], answer["entries"]) == (
            "IN_DOUBT",
            "processing_only",
            "processing",
        )
        assert answer["steps"][-1].startswith("Processing started")
        new = support.post("document-history/dry-run/", {"trigger_id": "t-1", "uuid": "u-2"}).json()
        assert new["status"] == "NEW"
        assert entries_of("u-2") == {}


class TestSweep:
    def test_removes_what_has_expired_and_is_for_administrators(self, operator):
        store_both(age="3 days")
        assert problem(operator.post("document-history/sweep/", {}))["status"] == 403
        answer = caller("admin", username="grace").post(
            "document-history/sweep/", {"reason": "disk"}, Idempotency_Key="k-1"
        )
        assert (answer.status_code, answer.json()["removed"]) == (200, 2)
        assert AuditEntry.objects.get(action="sweep_documents", outcome="done").reason == "disk"

    @pytest.mark.parametrize("body", [{}, {"reason": ""}, {"reason": " "}])
    def test_says_in_the_audit_log_that_no_reason_was_given(self, body):
        assert caller("admin", username="grace").post("document-history/sweep/", body).status_code == 200
        entry = AuditEntry.objects.get(action="sweep_documents", outcome="done")
        assert (entry.actor, entry.reason) == ("grace", "No reason was given.")

    def test_shows_when_it_ran_and_runs_next(self):
        make_trigger()
        store_both(age="3 days")
        sweep_entries()
        found = caller("support").get("document-history/sweep/").json()
        assert found["last"]["removed"] == 2
        assert found["last"]["removed_by_trigger"] == {"t-1": 2}
        assert (found["next_at"], found["orphaned"]) == (None, [])


class TestDocuments:
    @pytest.mark.parametrize(
        "document", ['"a\\u0000b"', '{"a\\u0000": 1}', '"\\ud800"', "[[[[1]]]]", '"' + "x" * 100_000 + '"']
    )
    def test_are_stored_or_refused_but_never_cause_an_internal_error(self, document):
        make_trigger()
        store_entry("processing")
        client = caller("operator")
        answer = client.client.post(
            "/api/v1/document-history/check/",
            f'{{"trigger_id": "t-1", "uuid": "u-1", "document": {document}}}',
            content_type="application/json",
            headers=client.headers,
        )
        assert answer.status_code == (400 if "\\u" in document else 200), answer.content
