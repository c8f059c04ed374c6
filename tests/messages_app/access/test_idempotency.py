import hashlib
from contextlib import suppress
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models.functions import Now

from messages_app.access.idempotency import Answer, act_once, fingerprint_request, forget_old_keys
from messages_app.access.models import IdempotencyKey
from messages_app.audit.models import AuditEntry
from messages_app.core.problems import Problem
from messages_app.messages.models import Message
from tests.support.api_client import ApiClient, caller, problem
from tests.support.eventually import eventually
from tests.support.factories import make_message, make_user, next_id
from tests.support.threads import in_threads


@pytest.fixture
def operator() -> ApiClient:
    return caller("operator")


def cancel(client: ApiClient, msg_id: int, key: str = "k-1", reason: str = "r", **fields):
    return client.post(f"messages/{msg_id}/cancel/", {"reason": reason} | fields, Idempotency_Key=key)


@pytest.mark.django_db
class TestPost:
    """A POST with an Idempotency-Key, for the example of a cancel."""

    def test_acts_once_and_repeats_its_answer(self, operator):
        message = make_message()
        first = cancel(operator, message.msg_id)
        Message.objects.filter(pk=message.pk).update(state="NEW")
        second = cancel(operator, message.msg_id)
        assert second.json() == first.json()
        assert (first.status_code, second.status_code) == (200, 200)
        assert "Idempotent-Replayed" not in first.headers
        assert second.headers["Idempotent-Replayed"] == "true"
        assert Message.objects.get(pk=message.pk).state == "NEW"
        assert AuditEntry.objects.filter(action="cancel").count() == 1

    def test_repeats_a_refusal(self, operator):
        message = make_message(state="OK")
        first = cancel(operator, message.msg_id)
        Message.objects.filter(pk=message.pk).update(state="NEW")
        second = cancel(operator, message.msg_id)
        assert problem(first) == problem(second)
        assert first.status_code == 409
        assert AuditEntry.objects.filter(outcome="refused").count() == 1

    def test_repeats_the_answer_to_an_unmet_expectation(self, operator):
        message = make_message(state="NEW")
        first = cancel(operator, message.msg_id, expected_state="POSTPONED")
        Message.objects.filter(pk=message.pk).update(state="POSTPONED")
        second = cancel(operator, message.msg_id, expected_state="POSTPONED")
        assert (first.status_code, second.status_code) == (412, 412)
        assert problem(first) == problem(second)
        assert second.headers["Idempotent-Replayed"] == "true"
        assert Message.objects.get(pk=message.pk).state == "POSTPONED"

    def test_repeats_the_answer_for_a_missing_message(self, operator):
        msg_id = next_id()
        first = cancel(operator, msg_id)
        make_message(msg_id=msg_id, state="NEW")
        second = cancel(operator, msg_id)
        assert (first.status_code, second.status_code) == (404, 404)
        assert second.headers["Idempotent-Replayed"] == "true"
        assert Message.objects.get(pk=msg_id).state == "NEW"

    @pytest.mark.parametrize("change", [{"reason": "other"}, {"expected_state": "NEW"}])
    def test_refuses_the_key_for_another_body(self, operator, change):
        message = make_message()
        cancel(operator, message.msg_id)
        body = problem(cancel(operator, message.msg_id, **change))
        assert (body["status"], body["code"]) == (422, "idempotency_key_reused")

    def test_refuses_the_key_for_another_address(self, operator):
        cancel(operator, make_message().msg_id)
        assert problem(cancel(operator, make_message().msg_id))["status"] == 422

    def test_reads_the_same_body_in_another_layout(self, operator):
        path = f"messages/{make_message().msg_id}/cancel/"
        for raw in (b'{"reason": "r", "expected_state": "NEW"}', b'{"expected_state":"NEW","reason":"r"}'):
            response = operator.send("POST", path, raw, HTTP_IDEMPOTENCY_KEY="k")
            assert response.status_code == 200

    def test_separates_the_keys_of_users(self, operator):
        first, second = make_message(), make_message()
        cancel(operator, first.msg_id)
        assert cancel(caller("operator", username="grace"), second.msg_id).status_code == 200

    def test_leaves_the_key_free_after_bad_input(self, operator):
        message = make_message()
        assert cancel(operator, message.msg_id, reason="").status_code == 400
        assert cancel(operator, message.msg_id).status_code == 200

    def test_does_not_answer_a_user_who_lost_the_permission(self, operator):
        message = make_message()
        cancel(operator, message.msg_id)
        operator.user.groups.clear()
        assert problem(cancel(operator, message.msg_id))["status"] == 403

    @pytest.mark.parametrize("key", ["", "a" * 256, "a b", "a\tb", "\xe9", "a\x7f"])
    def test_refuses_an_invalid_key(self, operator, key):
        body = problem(cancel(operator, make_message().msg_id, key=key))
        assert (body["status"], body["errors"][0]["field"]) == (400, "Idempotency-Key")

    def test_accepts_a_key_of_255_characters(self, operator):
        assert cancel(operator, make_message().msg_id, key="a" * 255).status_code == 200


@pytest.mark.django_db(transaction=True)
class TestActOnce:
    def test_acts_once_for_many_at_the_same_time(self):
        user, done = make_user("operator"), []

        def once() -> Answer:
            def post() -> Answer | None:
                with suppress(Problem):  # in_progress is the only expected problem; the next test checks that
                    return act_once(user=user, key="k", request_sha256="x", act=act)
                return None

            return eventually(post)

        def act() -> Answer:
            done.append(1)
            return Answer(200, {"n": len(done)})

        answers = in_threads(*[once] * 8)
        assert len(done) == 1
        assert [answer.body for answer in answers] == [{"n": 1}] * 8
        assert sorted(answer.is_repeat for answer in answers) == [False] + [True] * 7

    def test_refuses_while_the_first_is_in_progress(self):
        user, seen = make_user("operator"), []

        def second() -> None:
            with pytest.raises(Problem, match="still in progress") as refused:
                act_once(user=user, key="k", request_sha256="x", act=lambda: Answer(200, {}))
            seen.append((refused.value.status, refused.value.code, refused.value.headers))

        def first() -> Answer:
            in_threads(second)
            return Answer(200, {})

        act_once(user=user, key="k", request_sha256="x", act=first)
        assert seen == [(409, "in_progress", {"Retry-After": "1"})]

    def test_rolls_back_everything_when_the_work_fails(self):
        user, message = make_user("operator"), make_message()

        def act() -> Answer:
            Message.objects.filter(pk=message.pk).update(state="CANCEL")
            raise Problem(503, "row_busy", "busy")

        with pytest.raises(Problem, match="busy"):
            act_once(user=user, key="k", request_sha256="x", act=act)
        assert Message.objects.get(pk=message.pk).state == "NEW"
        assert not IdempotencyKey.objects.exists()

    def test_cancels_once_for_parallel_posts(self):
        operator, message = caller("operator"), make_message()
        operators = [ApiClient(operator.user) for _ in range(4)]
        answers = in_threads(*(lambda client=client: cancel(client, message.msg_id) for client in operators))
        assert {answer.status_code for answer in answers} <= {200, 409}
        assert 200 in {answer.status_code for answer in answers}
        assert {answer.json().get("code") for answer in answers} <= {None, "in_progress"}
        assert AuditEntry.objects.filter(action="cancel").count() == 1


class TestFingerprint:
    def test_distinguishes_requests(self):
        prints = {
            fingerprint_request("POST", "/a/", {"a": 1}),
            fingerprint_request("POST", "/b/", {"a": 1}),
            fingerprint_request("POST", "/a/", {"a": True}),
            fingerprint_request("POST", "/a/", {"a": "1"}),
        }
        assert len(prints) == 4


@pytest.mark.django_db
class TestForgetOldKeys:
    def test_removes_only_keys_of_more_than_a_day_ago(self):
        user = make_user("operator")
        for key, hours in (("fresh", 23), ("old", 25)):
            act_once(user=user, key=key, request_sha256="x", act=lambda: Answer(200, {}))
            IdempotencyKey.objects.filter(key=key).update(created_at=Now() - timedelta(hours=hours))

        assert forget_old_keys() == 1

        assert [kept.key for kept in IdempotencyKey.objects.all()] == ["fresh"]

    def test_depends_on_each_part_of_the_request_but_not_on_its_layout(self):
        whole = fingerprint_request("POST", "/a", {"x": 1, "y": 2}, {"If-Match": "1"})
        assert whole == fingerprint_request("POST", "/a", {"y": 2, "x": 1}, {"If-Match": "1"})
        others = [
            fingerprint_request("DELETE", "/a", {"x": 1, "y": 2}, {"If-Match": "1"}),
            fingerprint_request("POST", "/b", {"x": 1, "y": 2}, {"If-Match": "1"}),
            fingerprint_request("POST", "/a", {"x": 1, "y": 3}, {"If-Match": "1"}),
            fingerprint_request("POST", "/a", {"x": 1, "y": 2}, {"If-Match": "2"}),
            fingerprint_request("POST", "/a", {"x": 1, "y": 2}),
        ]
        assert len({whole, *others}) == 6

    def test_stays_that_of_stored_keys(self):
        stored = hashlib.sha256(b'["POST", "/a", {"x": 1}]').hexdigest()
        assert (
            fingerprint_request("POST", "/a", {"x": 1})
            == fingerprint_request("POST", "/a", {"x": 1}, {})
            == stored
        )


@pytest.mark.django_db
def test_a_repeat_writes_the_row_so_that_it_waits_for_replicas_too():
    ada = make_user("operator")

    def repeat() -> list[tuple]:
        act_once(user=ada, key="k", request_sha256="x", act=lambda: Answer(201, {"a": 1}))
        with connection.cursor() as cursor:
            cursor.execute("SELECT ctid::text FROM idempotency_key")
            return cursor.fetchall()

    assert repeat() != repeat()
    assert IdempotencyKey.objects.values_list("status", "body").get() == (201, {"a": 1})
