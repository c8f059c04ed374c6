"""Many documents in one call over REST: each has its own answer, also bad input."""

import pytest

from messages_app.access.models import IdempotencyKey
from messages_app.document_history.models import DocumentHistory
from tests.support.api_client import ApiClient, caller, problem
from tests.support.histories import entries_of, make_trigger, store_both

pytestmark = pytest.mark.django_db

CHECK, COMPLETE = "document-history/check-many/", "document-history/complete-many/"


@pytest.fixture
def operator() -> ApiClient:
    make_trigger()
    return caller("operator")


def results_of(client: ApiClient, path: str, *documents: object, **headers: str) -> list[dict]:
    answer = client.post(path, {"documents": list(documents)}, **headers)
    assert answer.status_code == 200, answer.content
    return answer.json()["results"]


def document(uuid: str = "u-1", **more: object) -> dict[str, object]:
    return {"trigger_id": "t-1", "uuid": uuid} | more


class TestCheckMany:
    def test_answers_each_as_the_single_call(self, operator):
        store_both(uuid="done")
        new, done = results_of(operator, CHECK, document(), document("done"))
        token = new.pop("token")
        assert new == {
            "status": "NEW",
            "uuid": "u-1",
            "decided_by": "history",
            "rule": "no_entry",
            "message": "The history has no entry for it.",
            "recorded": True,
            "hash_checked": False,
        }
        assert (done["status"], done["rule"], "token" in done) == ("DUPLICATE", "both_entries", False)
        (completed,) = results_of(operator, COMPLETE, document(token=token))
        assert (completed["status"], completed["uuid"]) == ("completed", "u-1")

    @pytest.mark.parametrize(
        ("wrong", "field", "code"),
        [
            ({"uuid": "u"}, "trigger_id", "required"),
            (document(7), "uuid", "invalid_value"),
            (document(redelivery_count=-2), "redelivery_count", "out_of_range"),
            (document(seen_at="now"), "seen_at", "unknown_field"),
            (document(content_sha256="short"), "content_sha256", "invalid_value"),
            ("u-1", "documents", "invalid_value"),
            (None, "documents", "invalid_value"),
            ([document()], "documents", "invalid_value"),
        ],
    )
    def test_refuses_bad_input_of_one_and_answers_the_others(self, operator, wrong, field, code):
        refused, new = results_of(operator, CHECK, wrong, document("u-2"))
        assert (refused["status"], refused["code"]) == (400, code)
        assert (refused["errors"][0]["field"], refused["errors"][0]["code"]) == (field, code)
        assert new["status"] == "NEW"
        assert DocumentHistory.objects.count() == 1

    def test_answers_an_unknown_trigger_with_the_problem_of_the_single_call(self, operator):
        (missing,) = results_of(operator, CHECK, document(trigger_id="t-9"))
        assert (missing["status"], missing["code"]) == (404, "not_found")
        assert missing["detail"] == "No trigger has the id 't-9'."

    @pytest.mark.parametrize(
        ("body", "code"),
        [
            ({}, "required"),
            ({"documents": []}, "required"),
            ({"documents": [document()] * 501}, "too_long"),
            ({"documents": "u-1"}, "invalid_value"),
            ({"documents": None}, "required"),
        ],
    )
    def test_refuses_a_body_without_a_list_of_1_to_500(self, operator, body, code):
        refused = problem(operator.post(CHECK, body))
        assert (refused["status"], refused["errors"][0]["field"]) == (400, "documents")
        assert refused["errors"][0]["code"] == code
        assert not DocumentHistory.objects.exists()

    def test_is_for_operators(self, operator):
        support = caller("support", username="sue")
        assert problem(support.post(CHECK, {"documents": [document()]}))["status"] == 403
        assert not DocumentHistory.objects.exists()

    def test_answers_a_repeat_with_its_key_as_before_and_stores_no_token(self, operator):
        asked = (document(), document(trigger_id="t-9"), document())
        first = results_of(operator, CHECK, *asked, Idempotency_Key="k-1")
        assert [one["status"] for one in first] == ["NEW", 404, "IN_DOUBT"]
        assert results_of(operator, CHECK, *asked, Idempotency_Key="k-1") == first
        assert first[0]["token"] not in str(IdempotencyKey.objects.get().body)
        (completed,) = results_of(operator, COMPLETE, document(token=first[0]["token"]))
        assert completed["status"] == "completed"


class TestCompleteMany:
    def test_answers_each_as_the_single_call(self, operator):
        (new,) = results_of(operator, CHECK, document())
        completed, unknown, foreign, bad = results_of(
            operator,
            COMPLETE,
            document(token=new["token"]),
            document("u-2", token=new["token"]),
            document(token="made-up"),
            {"trigger_id": "t-1", "uuid": "u-1"},
        )
        assert completed == {
            "trigger_id": "t-1",
            "uuid": "u-1",
            "status": "completed",
            "time": completed["time"],
        }
        assert [one["code"] for one in (unknown, foreign, bad)] == ["not_found", "lease_lost", "required"]
        assert set(entries_of()) == {"processing", "completed"}
