import uuid
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from messages_app.audit.models import AuditEntry
from messages_app.core.clock import database_clock
from messages_app.message_store.extensions import Written, processors
from messages_app.message_store.models import MessageStore
from messages_app.message_store.services import records as reading
from tests.support.api_client import ApiClient, caller, problem
from tests.support.stores import (
    define,
    define_orders,
    process,
    records,
    row_of,
    set_process,
    status_of,
    store,
)

pytestmark = pytest.mark.django_db

STATUS = {
    "message_identifier",
    "status",
    "status_name",
    "processed_timestamp",
    "next_attempt_timestamp",
    "error_message",
}


@pytest.fixture
def operator() -> ApiClient:
    return caller("operator")


class TestPost:
    def test_stores_a_message(self, operator):
        answer = operator.post("message-store/", {"system": "crm", "entity": "customer", "data": [{"id": 1}]})
        assert answer.status_code == 201
        assert set(answer.json()) >= STATUS
        assert (answer.json()["status"], answer.json()["status_name"]) == (0, "not processed")

    def test_processes_it_when_asked(self, operator):
        define()
        body = {"system": "crm", "entity": "customer", "data": [{"id": 1}], "process": True}
        assert operator.post("message-store/", body).json()["status"] == 10

    def test_leaves_a_large_one_to_the_monitor(self, operator, settings):
        settings.MESSAGE_STORE_AT_ONCE_BYTES = 10
        define()
        body = {"system": "crm", "entity": "customer", "data": [{"id": 1}], "process": True}
        assert operator.post("message-store/", body).json()["status"] == 0

    @pytest.mark.parametrize("headers", [{}, {"Idempotency_Key": "k-1"}])
    def test_leaves_one_that_takes_long_to_the_monitor(self, operator, settings, headers):
        settings.MESSAGE_STORE_AT_ONCE_SECONDS = 1

        def never(written: Written) -> None:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_sleep(0.1)")
            while True:
                sum(range(100))

        processors.register("tests.never")(never)
        try:
            define(processor="tests.never")
            body = {"system": "crm", "entity": "customer", "data": [{"id": 1}], "process": True}
            answer = operator.post("message-store/", body, **headers)
        finally:
            processors.unregister("tests.never")

        assert answer.status_code == 201
        told = answer.json()
        assert (told["status"], told["status_name"]) == (0, "not processed")
        assert told["error_message"] == "It took longer than 1 seconds, and waits for the monitor."
        assert records() == {}
        define(processor="")
        assert process(told["message_identifier"]).status == 10

    def test_ends_endless_work_of_a_schema(self, operator, monkeypatch):
        monkeypatch.setattr(reading, "CHECK_SECONDS", 1)
        define(json_schema={"properties": {"v": {"uniqueItems": True}}})
        record = {"id": 1, "v": [{"a": [number]} for number in range(30_000)]}
        body = {"system": "crm", "entity": "customer", "data": [record], "process": True}
        answer = operator.post("message-store/", body)

        assert answer.status_code == 201
        assert answer.json()["status"] == 25
        assert "record 1: checking it took longer than 1 seconds." in answer.json()["error_message"]

    def test_matches_hostile_patterns_quickly(self, operator):
        define(json_schema={"properties": {"id": {"pattern": "^(a+)+$"}}})
        body = {"system": "crm", "entity": "customer", "data": [{"id": f"{'a' * 40}!"}], "process": True}
        assert operator.post("message-store/", body).json()["status"] == 25

    def test_stores_once_by_an_idempotency_key(self, operator):
        define()
        body = {"system": "crm", "entity": "customer", "data": [{"id": 1}], "process": True}
        first = operator.post("message-store/", body, Idempotency_Key="k-1")
        again = operator.post("message-store/", body, Idempotency_Key="k-1")
        assert (first.status_code, again.status_code) == (201, 201)
        assert first.json() == again.json()
        assert MessageStore.objects.count() == 1

    def test_accepts_an_offset_that_postgresql_refuses(self, operator):
        body = {"system": "crm", "entity": "customer", "timestamp": "2026-11-21T22:08:00+22:08", "data": []}
        assert operator.post("message-store/", body).status_code == 201
        assert MessageStore.objects.get().effective_timestamp == datetime(2026, 11, 21, tzinfo=UTC)

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("identifier", "no"),
            ("system", 7),
            ("entity", "x" * 256),
            ("timestamp", "yesterday"),
            ("timestamp", "9999-12-31T23:59:59-10:00"),
            ("timestamp", 7),
            ("refresh", "yes"),
            ("process", 1),
            ("file_path", "/etc/passwd"),
            ("file_path", "../secret"),
            ("file_path", "a/../../b"),
            ("file_path", ""),
            ("sytem", "crm"),
        ],
    )
    def test_names_the_field_at_fault(self, operator, field, value):
        answer = operator.post("message-store/", {"entity": "customer", "data": []} | {field: value})
        assert answer.status_code == 400
        assert problem(answer)["errors"][0]["field"] == field
        assert not MessageStore.objects.exists()

    def test_is_refused_to_support_and_that_is_audited(self):
        answer = caller("support").post("message-store/", {"entity": "customer"})
        assert answer.status_code == 403
        assert AuditEntry.objects.get(action="store_message").outcome == "refused"


class TestLists:
    def test_are_paged_and_filtered(self, operator):
        identifiers = [store(entity="order" if number % 2 else "customer") for number in range(5)]
        page = operator.get("message-store/?page_size=2").json()
        assert [row["message_identifier"] for row in page["results"]] == identifiers[:-3:-1]
        found = operator.get("message-store/?source_entity=order&status=0").json()["results"]
        assert {row["message_identifier"] for row in found} == {identifiers[1], identifiers[3]}
        assert operator.get("message-store/count/?source_entity=order").json() == {"count": 2, "exact": True}
        assert operator.get("message-store/count/?refresh=false").json() == {"count": 5, "exact": True}
        assert problem(operator.get("message-store/?status=new"))["code"] == "invalid_value"
        assert problem(operator.get("message-store/?color=red"))["status"] == 400

    def test_have_the_messages_of_several_identifiers_repeated_or_with_commas(self, operator):
        first, second, _ = store(), store(), store()
        for query in (
            f"message_identifier={first},{second}",
            f"message_identifier={first}&message_identifier={second}",
        ):
            found = operator.get(f"message-store/?{query}").json()["results"]
            assert {row["message_identifier"] for row in found} == {first, second}

    def test_of_attempts_have_the_whole_log(self, operator):
        define()
        identifier = store([{"id": "a"}, {"id": "b"}])
        process(identifier)
        (attempt,) = operator.get(f"message-store/{identifier}/history/").json()["results"]
        assert (attempt["status"], attempt["status_name"]) == (25, "data invalid")
        assert "record 2" in attempt["log_text"]

    @pytest.mark.parametrize("what", ["", "history/", "explain/", "data/"])
    @pytest.mark.parametrize("identifier", ["no", str(uuid.uuid4()), "%00"])
    def test_answer_404_for_missing_objects(self, operator, what, identifier):
        assert operator.get(f"message-store/{identifier}/{what}").status_code == 404


class TestExplain:
    def test_explains_the_time_of_the_next_attempt(self, operator):
        define_orders()
        identifier = store([{"id": 1, "customer": 9}], entity="order")
        process(identifier)
        found = operator.get(f"message-store/{identifier}/explain/").json()
        assert found["missing"] == [{"entity": "customer", "record_key": "[9]"}]
        assert found["wait"]["seconds"] == found["wait"]["floor"] == 60
        assert found["wait"]["cap"] == 14_400
        assert "missing records" in found["summary"]
        assert found["gives_up_at"] > found["next_attempt"]


class TestData:
    def test_is_masked_for_users_without_permission(self, operator):
        identifier = store([{"id": 1, "name": "Ada"}])
        shown = operator.get(f"message-store/{identifier}/data/").json()
        assert shown["masked"] is True
        assert "Ada" not in str(shown["content"])
        whole = caller("support", "view_payload", username="grace").get(f"message-store/{identifier}/data/")
        assert "Ada" in whole.json()["content"]
        assert AuditEntry.objects.get(action="view_stored_data").subject == identifier

    def test_is_not_part_of_an_error(self, operator):
        define()
        identifier = store([{"id": 1, "name": "Ada " * 20}])
        process(identifier)
        assert "Ada" not in str(operator.get(f"message-store/{identifier}/history/").json())


class TestDryRun:
    def test_shows_the_outcome_of_each_record(self, operator):
        define()
        process(store([{"id": 1, "name": "Ada"}]))
        key = store([{"id": 1, "name": "Grace"}])
        told = operator.get(f"message-store/{key}/rehearsal/").json()
        assert (told["status"], told["status_name"]) == (10, "processed")
        assert told["records"] == [
            {
                "entity": "customer",
                "record_key": "[1]",
                "effect": "changed",
                "fields_that_differ": ["name"],
            }
        ]


class TestActions:
    def test_answer_409_with_the_status_and_412_for_another_than_expected(self, operator):
        identifier = store()
        answer = operator.post(f"message-store/{identifier}/reprocess/", {"reason": "again"})
        assert (answer.status_code, problem(answer)["current_state"]) == (409, "0")
        set_process(identifier, status=25)
        body = {"reason": "again", "expected_state": 26}
        answer = operator.post(f"message-store/{identifier}/reprocess/", body)
        assert (answer.status_code, problem(answer)["current_state"]) == (412, "25")
        body["expected_state"] = 25
        answer = operator.post(f"message-store/{identifier}/reprocess/", body)
        assert (answer.status_code, answer.json()["status"]) == (200, 0)
        entry = AuditEntry.objects.get(action="reprocess_stored")
        assert (entry.before_state, entry.after_state, entry.reason) == ("25", "0", "again")

    def test_retry_now_answers_412_for_another_status_than_expected_and_changes_nothing(self, operator):
        identifier = store()
        due = database_clock() + timedelta(hours=1)
        set_process(identifier, status=2, next_attempt_timestamp=due)
        path = f"message-store/{identifier}/retry-now/"
        answer = operator.post(path, {"reason": "it is there", "expected_state": 25})
        assert (answer.status_code, problem(answer)["current_state"]) == (412, "2")
        assert (status_of(identifier), row_of(identifier).next_attempt_timestamp) == (2, due)
        assert not AuditEntry.objects.filter(action="retry_now_stored").exists()
        answer = operator.post(path, {"reason": "it is there", "expected_state": 2})
        assert answer.status_code == 200
        assert row_of(identifier).next_attempt_timestamp < due
        assert AuditEntry.objects.get(action="retry_now_stored").reason == "it is there"

    @pytest.mark.parametrize("what", ["reprocess", "retry-now", "release"])
    def test_need_a_reason_a_message_and_the_right(self, operator, what):
        define()
        assert operator.post(f"message-store/{store()}/{what}/", {}).status_code == 400
        path = f"message-store/{uuid.uuid4()}/{what}/"
        assert operator.post(path, {"reason": "x"}).status_code == 404
        assert operator.post("message-store/no/" + what + "/", {"reason": "x"}).status_code == 404
        assert caller("support", username="eve").post(path, {"reason": "x"}).status_code == 403


class TestReports:
    def test_summarise_counts_ages_and_the_monitor(self, operator):
        define()
        store()
        process(store([{"id": "a"}]))
        process(store([{"id": "b"}]))
        found = operator.get("message-store/summary/").json()
        assert {(one["status"], one["messages"]) for one in found["counts"]} == {(0, 1), (25, 2)}
        assert found["ages"]["oldest_waiting"] is not None
        assert found["monitor"]["queue"] == 10
        (group,) = operator.get("message-store/error-groups/").json()["results"]
        assert (group["count"], group["status"], group["source_entity"]) == (2, 25, "customer")

    def test_name_the_entities_that_are_missing(self, operator):
        define_orders()
        process(store([{"id": 1, "customer": 9}, {"id": 2, "customer": 8}], entity="order"))
        (found,) = operator.get("message-store/missing-references/").json()["results"]
        assert found == {"entity": "customer", "references": 2, "given_up": 0, "sample": ["[8]", "[9]"]}
