import pytest

from messages_app.audit.models import AuditEntry
from messages_app.jobs.webhooks.models import Webhook, WebhookDelivery, WebhookMessage
from tests.support.api_client import ApiClient, caller, problem

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("receiver")]

HOOK = {"name": "Ends", "url": "http://127.0.0.1:9/secret", "event": "job_ended", "reason": "r"}
FINAL = HOOK | {"event": "messages_final"}


@pytest.fixture
def admin() -> ApiClient:
    return caller("admin")


def create(admin: ApiClient, **columns: object) -> int:
    answer = admin.post("webhooks/", HOOK | columns)
    assert answer.status_code == 201, answer.content
    return answer.json()["webhook_id"]


class TestCreating:
    def test_stores_a_webhook(self, admin):
        answer = admin.post("webhooks/", HOOK | {"kinds": ["archive", "restart"]})
        body = answer.json()
        assert (answer.status_code, body["enabled"], body["kinds"]) == (201, True, ["archive", "restart"])
        assert answer.headers["Location"].endswith(f"/api/v1/webhooks/{body['webhook_id']}/")
        assert admin.get(f"webhooks/{body['webhook_id']}/").json() == body
        assert admin.get("webhooks/").json()["results"] == [body]

    def test_stores_the_filter_as_the_list_reads_it(self, admin):
        filter = {"service_name": "billing", "parent_msg_id": 7}
        number = create(admin, **FINAL, states=["FAILED"], filter=filter)
        stored = Webhook.objects.get(pk=number)
        assert (stored.states, stored.filter) == (
            ["FAILED"],
            {"service_name": "billing", "parent_msg_id": "7"},
        )

    def test_is_done_once_under_a_key(self, admin):
        first, second = (admin.post("webhooks/", HOOK, Idempotency_Key="k-1") for _ in range(2))
        assert (first.json(), second.headers["Idempotent-Replayed"]) == (second.json(), "true")
        assert Webhook.objects.count() == 1

    def test_records_it_without_the_secret_part_of_the_address(self, admin):
        number = create(admin)
        entry = AuditEntry.objects.get(action="create_webhook")
        assert (entry.subject_kind, entry.subject, entry.reason) == ("webhook", str(number), "r")
        assert "secret" not in str(entry.details)

    @pytest.mark.parametrize(
        ("body", "field", "code"),
        [
            ({"name": None}, "name", "required"),
            ({"name": "  "}, "name", "required"),
            ({"name": "a\nb"}, "name", "invalid_value"),
            ({"name": "x" * 101}, "name", "too_long"),
            ({"reason": ""}, "reason", "required"),
            ({"url": "http://evil.example/"}, "url", "invalid_value"),
            ({"url": "ftp://127.0.0.1/"}, "url", "invalid_value"),
            ({"url": "http://10.0.0.1/"}, "url", "invalid_value"),
            ({"url": "http://a:b@127.0.0.1/"}, "url", "invalid_value"),
            ({"format": "fax"}, "format", "invalid_value"),
            ({"format": "pagerduty"}, "format", "invalid_value"),
            ({"event": "other"}, "event", "invalid_value"),
            ({"kinds": ["nope"]}, "kinds", "invalid_value"),
            ({"kinds": "archive"}, "kinds", "invalid_value"),
            ({"states": ["OK"]}, "states", "invalid_value"),
            ({"filter": {"service_name": "x"}}, "filter", "invalid_value"),
            ({"event": "messages_final", "kinds": ["archive"]}, "kinds", "invalid_value"),
            ({"event": "messages_final", "states": ["NEW"]}, "states", "invalid_value"),
            ({"event": "messages_final", "filter": {"state": "OK"}}, "filter.state", "unknown_field"),
            (
                {"event": "messages_final", "filter": {"payload_contains": "x"}},
                "filter.payload_contains",
                None,
            ),
            ({"event": "messages_final", "filter": {"parent_msg_id": "x"}}, "filter.parent_msg_id", None),
            ({"event": "messages_final", "filter": {"parent_msg_id": []}}, "filter.parent_msg_id", None),
            ({"event": "messages_final", "filter": {"service_name": []}}, "filter.service_name", None),
            ({"event": "messages_final", "filter": {"service_name": None}}, "filter.service_name", None),
            ({"event": "messages_final", "filter": {"service_name": {}}}, "filter.service_name", None),
            ({"event": "messages_final", "filter": "x"}, "filter", "invalid_value"),
            ({"secret": "x"}, "secret", "unknown_field"),
        ],
    )
    def test_refuses_bad_input_by_its_field(self, admin, body, field, code):
        told = problem(admin.post("webhooks/", HOOK | body))
        [error] = told["errors"]
        assert (told["status"], error["field"]) == (400, field)
        assert error["code"] == (code or error["code"])
        assert not Webhook.objects.exists()

    def test_refuses_a_second_one_of_the_name(self, admin):
        create(admin)
        assert problem(admin.post("webhooks/", HOOK))["errors"][0]["code"] == "duplicate"


class TestChanging:
    def test_changes_the_given_columns(self, admin):
        number = create(admin)
        address = f"webhooks/{number}/"
        tag = admin.get(address).headers["ETag"]
        answer = admin.client.patch(
            f"/api/v1/{address}",
            {"enabled": False, "reason": "pause"},
            content_type="application/json",
            headers=admin.headers | {"If-Match": tag},
        )
        assert (answer.status_code, answer.json()["enabled"], answer.json()["name"]) == (200, False, "Ends")
        again = admin.client.patch(
            f"/api/v1/{address}",
            {"enabled": True, "reason": "go"},
            content_type="application/json",
            headers=admin.headers | {"If-Match": tag},
        )
        assert again.status_code == 412
        assert AuditEntry.objects.filter(action="change_webhook", outcome="done").count() == 1

    def test_checks_the_whole_webhook(self, admin):
        number = create(admin, kinds=["archive"])
        told = problem(
            admin.send("PATCH", f"webhooks/{number}/", b'{"event": "messages_final", "reason": "r"}')
        )
        assert told["errors"][0]["field"] == "kinds"

    def test_removes_it_with_its_deliveries(self, admin):
        number = create(admin, **FINAL)
        stored = WebhookDelivery.objects.create(webhook_id=number, messages=1)
        WebhookMessage.objects.create(
            delivery_id=stored.pk, event_id=1, msg_id=5, state="OK", at="2026-01-01T00:00:00Z"
        )
        answer = admin.send("DELETE", f"webhooks/{number}/", b'{"reason": "gone"}')
        assert answer.json() == {"webhook_id": number, "removed": True}
        assert not Webhook.objects.exists()
        assert not WebhookDelivery.objects.exists()
        assert not WebhookMessage.objects.exists()
        assert AuditEntry.objects.get(action="delete_webhook").reason == "gone"

    @pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
    @pytest.mark.parametrize("text", ["777", "abc", "-1", "9" * 30])
    def test_of_another_id_is_not_found(self, admin, method, text):
        assert problem(admin.send(method, f"webhooks/{text}/", b'{"reason": "r"}'))["status"] == 404


class TestSendATest:
    def test_is_sent_again_under_the_same_key(self, admin, receiver):
        number = create(admin, url=receiver.url)
        for _ in range(2):
            sent = admin.post(f"webhooks/{number}/test/", {"reason": "r"}, Idempotency_Key="k-1")
            assert (sent.status_code, sent.json()) == (200, {"sent": True, "error": ""})
        assert len(receiver.got) == 2
        entries = AuditEntry.objects.filter(action="test_webhook", subject=str(number))
        assert list(entries.values_list("outcome", "reason")) == [("done", "r"), ("done", "r")]

    def test_says_why_it_was_not_sent(self, admin, settings):
        number = create(admin)
        settings.WEBHOOK_HOSTS = []
        assert admin.post(f"webhooks/{number}/test/", {}).json() == {
            "sent": False,
            "error": "127.0.0.1 is not listed in HUBCONSOLE_WEBHOOK_HOSTS.",
        }

    @pytest.mark.parametrize("text", ["777", "abc"])
    def test_of_another_id_is_not_found(self, admin, text):
        assert problem(admin.post(f"webhooks/{text}/test/", {}))["status"] == 404

    def test_takes_only_a_reason(self, admin):
        told = problem(admin.post(f"webhooks/{create(admin)}/test/", {"url": "http://evil.example/"}))
        assert [error["field"] for error in told["errors"]] == ["url"]


class TestDeliveries:
    def test_are_listed_newest_first_and_only_of_the_webhook(self, admin):
        number, other = create(admin), create(admin, name="Other")
        stored = [
            WebhookDelivery.objects.create(webhook_id=number, job={"job_id": place}).pk for place in range(3)
        ]
        WebhookDelivery.objects.create(webhook_id=other, job={"job_id": 9})
        first = admin.get(f"webhooks/{number}/deliveries/?page_size=2").json()
        assert [row["delivery_id"] for row in first["results"]] == stored[:0:-1]
        assert [row["job_id"] for row in first["results"]] == [2, 1]
        rest = admin.client.get(first["next"], headers=admin.headers).json()
        assert [row["delivery_id"] for row in rest["results"]] == stored[:1]

    def test_of_messages_have_their_number(self, admin):
        number = create(admin, **FINAL)
        WebhookDelivery.objects.create(webhook_id=number, messages=12)
        [row] = admin.get(f"webhooks/{number}/deliveries/").json()["results"]
        assert (row["job_id"], row["messages"], row["attempts"]) == (None, 12, 0)


class TestRights:
    @pytest.mark.parametrize("role", ["support", "operator"])
    def test_are_those_of_administrators(self, role):
        client = caller(role, username="sue")
        assert problem(client.get("webhooks/"))["status"] == 403
        assert problem(client.post("webhooks/", HOOK))["status"] == 403
        assert AuditEntry.objects.filter(action="create_webhook", outcome="refused").exists()

    def test_have_a_scope_of_their_own(self):
        other = caller("admin", username="sue", scopes=["alerts:manage"])
        assert problem(other.post("webhooks/", HOOK))["scope"] == "webhooks:manage"
        mine = caller("admin", username="tom", scopes=["webhooks:manage"])
        assert mine.post("webhooks/", HOOK).status_code == 201
