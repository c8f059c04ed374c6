"""If-Match and If-None-Match: no one acts on an object that has changed after they read it."""

import json
import threading

import pytest
from django.db import connection, transaction
from django.http import HttpResponse

from messages_app.audit.models import AuditEntry
from messages_app.jobs.models import Job, JobChunk
from messages_app.message_store.models import SourceDefinition
from messages_app.messages.failures.grouping import group_new_failures
from messages_app.messages.failures.models import FailureGroup
from messages_app.messages.models import Message
from tests.messages_app.messages.alerts.rules import make_rule
from tests.support.api_client import ApiClient, caller, problem
from tests.support.eventually import eventually
from tests.support.factories import make_archived_message, make_message
from tests.support.histories import make_trigger
from tests.support.stores import define, set_process, status_of, store
from tests.support.threads import in_threads

WHY = {"reason": "r"}


def tag_of(client: ApiClient, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, answer.content
    return answer.headers["ETag"]


def patch(client: ApiClient, address: str, body: dict, **headers: str) -> HttpResponse:
    extra = {f"HTTP_{name.upper()}": value for name, value in headers.items()}
    return client.send("PATCH", address, json.dumps(body).encode(), **extra)


@pytest.mark.django_db
class TestMessages:
    def test_are_not_changed_if_someone_else_has_changed_them(self):
        client, message = caller("operator"), make_message(state="FAILED")
        seen = tag_of(client, f"messages/{message.pk}/")
        Message.objects.filter(pk=message.pk).update(custom_data="the hub's")

        answer = client.post(f"messages/{message.pk}/restart/", WHY, If_Match=seen)

        assert (answer.status_code, problem(answer)["code"]) == (412, "precondition_failed")
        assert answer.headers["ETag"] == tag_of(client, f"messages/{message.pk}/") != seen
        assert Message.objects.get(pk=message.pk).state == "FAILED"
        entry = AuditEntry.objects.get(action="restart")
        assert (entry.outcome, entry.details["refusal"]) == ("refused", "precondition_failed")

    @pytest.mark.parametrize("of", ["{seen}", "*", '"x", {seen}'])
    def test_are_changed_as_they_were_seen(self, of):
        client, message = caller("operator"), make_message(state="FAILED")
        seen = tag_of(client, f"messages/{message.pk}/")
        answer = client.post(f"messages/{message.pk}/restart/", WHY, If_Match=of.format(seen=seen))
        assert (answer.status_code, answer.json()["state"]) == (200, "PARTLY_FAILED")
        assert answer.headers["ETag"] == tag_of(client, f"messages/{message.pk}/") != seen

    @pytest.mark.parametrize("tag", ['"nonsense"', 'W/"x"', '""'])
    def test_are_left_unchanged_for_another_tag(self, tag):
        client, message = caller("operator"), make_message(state="FAILED")
        answer = client.post(f"messages/{message.pk}/cancel/", WHY, If_Match=tag)
        assert answer.status_code == 412
        assert Message.objects.get(pk=message.pk).state == "FAILED"

    def test_keep_the_records_of_a_refusal_by_a_service(self):
        client, message = caller("operator"), make_message(state="OK")
        seen = tag_of(client, f"messages/{message.pk}/")
        answer = client.post(f"messages/{message.pk}/restart/", WHY, If_Match=seen)
        assert problem(answer)["code"] == "state_conflict"
        assert AuditEntry.objects.get(action="restart").before_state == "OK"

    def test_are_answered_once_for_a_key_even_if_they_have_changed(self):
        client, message = caller("operator"), make_message(state="FAILED")
        headers = {"If_Match": tag_of(client, f"messages/{message.pk}/"), "Idempotency_Key": "k"}
        answers = [client.post(f"messages/{message.pk}/restart/", WHY, **headers) for _ in range(2)]
        assert [answer.status_code for answer in answers] == [200, 200]
        assert answers[1].headers["Idempotent-Replayed"] == "true"
        other = headers | {"If_Match": '"other"'}
        refused = client.post(f"messages/{message.pk}/restart/", WHY, **other)
        assert problem(refused)["code"] == "idempotency_key_reused"

    @pytest.mark.parametrize("make", [make_message, make_archived_message])
    def test_are_not_sent_again_to_users_who_have_them(self, make):
        client, message = caller("support"), make()
        seen = tag_of(client, f"messages/{message.pk}/")
        same = client.get(f"messages/{message.pk}/", **{"If-None-Match": seen})
        assert (same.status_code, same.content, same.headers["ETag"]) == (304, b"", seen)
        other = client.get(f"messages/{message.pk}/", **{"If-None-Match": '"other"'})
        assert (other.status_code, other.json()["msg_id"]) == (200, message.pk)
        for headers in ({"If-Match": '"other"'}, {"If-Match": '"other"', "If-None-Match": seen}):
            assert client.get(f"messages/{message.pk}/", **headers).status_code == 412

    def test_are_not_found_whatever_the_tag(self):
        client = caller("operator")
        assert client.post("messages/777/cancel/", WHY, If_Match="*").status_code == 404
        assert client.get("messages/777/", **{"If-None-Match": "*"}).status_code == 404


@pytest.mark.django_db(transaction=True)
class TestRaces:
    def test_the_hub_that_changes_a_message_meanwhile_is_noticed(self):
        client, message = caller("operator"), make_message(state="FAILED")
        seen = tag_of(client, f"messages/{message.pk}/")
        is_changed, is_waited_for = threading.Event(), threading.Event()

        def hub() -> bool:
            with transaction.atomic():
                Message.objects.filter(pk=message.pk).update(custom_data="the hub's")
                is_changed.set()
                return is_waited_for.wait(30)

        def operator() -> HttpResponse:
            is_changed.wait(30)
            return client.post(f"messages/{message.pk}/restart/", WHY, If_Match=seen)

        def watcher() -> None:
            eventually(somebody_waits)
            is_waited_for.set()

        has_waited, answer, _ = in_threads(hub, operator, watcher)
        assert has_waited is True
        assert answer.status_code == 412, answer.content
        assert Message.objects.get(pk=message.pk).state == "FAILED"

    def test_allow_only_one_of_many_users_who_saw_the_same(self):
        client, message = caller("operator"), make_message(state="FAILED")
        seen = tag_of(client, f"messages/{message.pk}/")

        def restart() -> int:
            return client.post(f"messages/{message.pk}/restart/", WHY, If_Match=seen).status_code

        assert sorted(in_threads(*[restart] * 4)) == [200, 412, 412, 412]

    def test_allow_only_one_of_many_users_to_change_the_same_trigger(self):
        client = caller("admin")
        make_trigger("shop")
        seen = tag_of(client, "document-history/triggers/shop/")

        def rename(number: int) -> int:
            address, body = "document-history/triggers/shop/", {"name": f"name {number}"}
            return patch(client, address, body, if_match=seen).status_code

        works = [lambda number=number: rename(number) for number in range(4)]
        assert sorted(in_threads(*works)) == [200, 412, 412, 412]


def somebody_waits() -> bool:
    """Whether a session of this database waits for a lock of another session."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return cursor.fetchone()[0] > 0


@pytest.mark.django_db
class TestJobs:
    def job(self, **columns: object) -> Job:
        columns = {"kind": "restart", "state": "running", "reason": "r", "attempt": 1} | columns
        return Job.objects.create(chunk_count=1, **columns)

    def test_are_paused_as_they_were_seen_whatever_their_progress(self):
        client, job = caller("operator"), self.job()
        seen = tag_of(client, f"jobs/{job.pk}/")
        JobChunk.objects.create(
            job_id=job.pk, chunk_no=1, content="messages", planned=5, outcomes={"done": 3}
        )
        further = tag_of(client, f"jobs/{job.pk}/")
        assert further != seen
        assert client.get(f"jobs/{job.pk}/", **{"If-None-Match": seen}).json()["done"] == 3
        assert client.get(f"jobs/{job.pk}/", **{"If-None-Match": further}).status_code == 304
        answer = client.post(f"jobs/{job.pk}/pause/", WHY, If_Match=seen)
        assert (answer.status_code, answer.json()["state"]) == (200, "paused")

    @pytest.mark.parametrize("step", ["pause", "resume", "stop", "approve", "refuse", "undo", "retry-failed"])
    def test_are_not_changed_if_someone_has_steered_them(self, step):
        client, job = caller("operator"), self.job()
        seen = tag_of(client, f"jobs/{job.pk}/")
        Job.objects.filter(pk=job.pk).update(rate=5)
        answer = client.post(f"jobs/{job.pk}/{step}/", WHY, If_Match=seen)
        assert (answer.status_code, problem(answer)["code"]) == (412, "precondition_failed")
        assert Job.objects.get().state == "running"

    def test_keep_their_rate_if_someone_has_changed_it(self):
        client, job = caller("operator"), self.job()
        seen = tag_of(client, f"jobs/{job.pk}/")
        assert patch(client, f"jobs/{job.pk}/", {"rate": 5, **WHY}, if_match=seen).status_code == 200
        assert patch(client, f"jobs/{job.pk}/", {"rate": 9, **WHY}, if_match=seen).status_code == 412
        assert Job.objects.get().rate == 5


@pytest.mark.django_db
class TestDefinitions:
    BODY = {"system": "crm", "entity": "customer", "json_schema": {}, "key_fields": ["id"], "references": {}}

    def test_are_replaced_and_removed_as_they_were_seen(self):
        client, definition = caller("admin"), define()
        address = f"message-store/source-definitions/{definition.pk}/"
        seen = tag_of(client, address)
        changed = client.post("message-store/source-definitions/", self.BODY, If_Match=seen)
        assert changed.status_code == 200, changed.content
        assert changed.headers["ETag"] == tag_of(client, address) != seen
        assert client.post("message-store/source-definitions/", self.BODY, If_Match=seen).status_code == 412
        assert client.post(f"{address}remove/", WHY, If_Match=seen).status_code == 412
        assert SourceDefinition.objects.count() == 1
        assert client.post(f"{address}remove/", WHY, If_Match=tag_of(client, address)).status_code == 200
        assert not SourceDefinition.objects.exists()

    def test_are_made_only_if_they_are_missing(self):
        client = caller("admin")
        address = "message-store/source-definitions/"
        assert client.post(address, self.BODY, If_Match="*").status_code == 412
        assert client.post(address, self.BODY, If_None_Match="*").status_code == 201
        assert client.post(address, self.BODY, If_None_Match="*").status_code == 412


@pytest.mark.django_db
class TestTriggersAndRules:
    @pytest.mark.parametrize("call", ["PATCH", "resume", "delete"])
    def test_triggers_are_not_changed_if_someone_has_changed_them(self, call):
        client, trigger = caller("admin"), make_trigger("shop")
        address = "document-history/triggers/shop/"
        seen = tag_of(client, address)
        type(trigger).objects.update(name="another")
        if call == "PATCH":
            answer = patch(client, address, {"name": "mine"}, if_match=seen)
        else:
            answer = client.post(f"{address}{call}/", WHY, If_Match=seen)
        assert answer.status_code == 412
        trigger.refresh_from_db()
        assert (trigger.name, trigger.deleted_at) == ("another", None)

    def test_watch_rules_are_changed_as_they_were_seen(self):
        client, rule = caller("admin"), make_rule()
        seen = tag_of(client, f"watch-rules/{rule.pk}/")
        type(rule).objects.update(value=5)
        assert patch(client, f"watch-rules/{rule.pk}/", {"name": "a"}, if_match=seen).status_code == 200
        assert patch(client, f"watch-rules/{rule.pk}/", {"name": "b"}, if_match=seen).status_code == 412

    @pytest.mark.parametrize(
        ("columns", "change"),
        [
            (
                {
                    "webhook_url": "https://events.pagerduty.com/v2/enqueue",
                    "webhook_format": "pagerduty",
                    "webhook_key": "f" * 32,
                },
                {"webhook_key": "0" * 32},
            ),
            (
                {"webhook_url": "https://hooks.example.org/in/a"},
                {"webhook_url": "https://hooks.example.org/in/b"},
            ),
        ],
    )
    def test_a_secret_of_a_watch_rule_is_part_of_what_was_seen(self, settings, columns, change):
        settings.WEBHOOK_HOSTS = ["hooks.example.org", "events.pagerduty.com"]
        client, rule = caller("admin"), make_rule(**columns)
        address = f"watch-rules/{rule.pk}/"
        seen = tag_of(client, address)
        type(rule).objects.update(**change)
        assert patch(client, address, {"name": "a"}, if_match=seen).status_code == 412
        now = tag_of(client, address)
        changed = patch(client, address, {"name": "a"}, if_match=now)
        assert changed.status_code == 200
        again = patch(client, address, {"name": "b"}, if_match=changed.headers["ETag"])
        assert again.status_code == 200


@pytest.mark.django_db
class TestOtherCalls:
    @pytest.mark.parametrize("name", ["If-Match", "If-None-Match"])
    @pytest.mark.parametrize(
        ("method", "address"),
        [
            ("GET", "messages/"),
            ("GET", "me/"),
            ("POST", "jobs/"),
            ("POST", "cp-queue/get-next/"),
            ("POST", "document-history/check/"),
        ],
    )
    def test_report_that_they_accept_no_condition(self, method, address, name):
        header = {f"HTTP_{name.upper().replace('-', '_')}": '"x-y"'}
        body = problem(caller("admin").send(method, address, b"{}", **header))
        assert (body["status"], body["code"], body["errors"][0]["field"]) == (400, "not_supported", name)
        assert "expected_state" in body["detail"]

    def test_refuse_an_invalid_list_of_tags(self):
        message = make_message()
        body = problem(caller("operator").post(f"messages/{message.pk}/cancel/", WHY, If_Match="nonsense"))
        assert (body["status"], body["errors"][0]["field"]) == (400, "If-Match")
        assert Message.objects.get().state == "NEW"


@pytest.mark.django_db
class TestStoredMessagesAndGroups:
    @pytest.mark.parametrize("act", ["reprocess", "retry-now", "release", "mute", "unmute"])
    def test_stored_messages_are_not_changed_if_they_have_moved_on(self, act):
        client, identifier = caller("operator"), store()
        address = f"message-store/{identifier}/"
        set_process(identifier, status=20)
        seen = tag_of(client, address)
        set_process(identifier, status=26)
        answer = client.post(f"{address}{act}/", WHY, If_Match=seen)
        assert (answer.status_code, problem(answer)["code"]) == (412, "precondition_failed")
        assert status_of(identifier) == 26

    def test_stored_messages_are_acted_on_as_they_were_seen(self):
        client, identifier = caller("operator"), store()
        set_process(identifier, status=20)
        address = f"message-store/{identifier}/"
        seen = tag_of(client, address)
        assert client.post(f"{address}mute/", WHY, If_Match=seen).status_code == 200
        assert client.post(f"{address}unmute/", WHY, If_Match=seen).status_code == 412
        assert client.get(address, **{"If-None-Match": tag_of(client, address)}).status_code == 304

    def test_groups_are_marked_as_they_were_seen_despite_new_failures(self):
        client = caller("operator")
        make_message(state="FAILED", failed_error_code="E103", failed_desc="E103: refused")
        group_new_failures()
        group = FailureGroup.objects.get()
        seen = tag_of(client, f"failure-groups/{group.pk}/")
        FailureGroup.objects.update(failures=500)
        body = {"state": "known", "reason": "r"}
        first = client.post(f"failure-groups/{group.pk}/mark/", body, If_Match=seen)
        assert (first.status_code, first.headers["ETag"].partition("-")[0]) == (
            200,
            tag_of(client, f"failure-groups/{group.pk}/").partition("-")[0],
        )
        again = client.post(f"failure-groups/{group.pk}/mark/", body | {"state": "fixed"}, If_Match=seen)
        assert again.status_code == 412
        described = client.post(f"failure-groups/{group.pk}/describe/", {"owner": "ada"}, If_Match=seen)
        assert described.status_code == 412
        assert FailureGroup.objects.get().state == "known"
