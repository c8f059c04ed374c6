import pytest

from messages_app.audit.models import AuditEntry
from messages_app.incidents.models import Incident
from messages_app.messages.failures.models import FailureGroup
from messages_app.messages.models import Message
from tests.messages_app.incident_pages.outage import make_outage
from tests.messages_app.incidents.small_outages import fail_messages, gather, restart_messages
from tests.support.api_client import ApiClient, caller, problem

pytestmark = pytest.mark.django_db

MEMBERS = {
    "incident_id",
    "state",
    "title",
    "opened_at",
    "last_failure_at",
    "closed_at",
    "external_system",
    "services",
    "error_codes",
    "failing_now",
    "affected",
    "owner",
    "note",
}


@pytest.fixture
def operator() -> ApiClient:
    return caller("operator")


@pytest.fixture
def incident() -> Incident:
    return make_outage()


def make_second() -> Incident:
    """Return an incident of another service, which the rule keeps apart."""
    before = set(Incident.objects.values_list("pk", flat=True))
    fail_messages(12, "NullPointerException in Tariff", service="tariff", sender="ERP")
    gather()
    return Incident.objects.exclude(pk__in=before).get()


class TestIncidents:
    def test_have_exactly_the_published_members(self, operator, incident):
        (body,) = operator.get("incidents/").json()["results"]
        assert set(body) == MEMBERS
        assert body == operator.get(f"incidents/{incident.pk}/").json()
        assert (body["state"], body["external_system"]) == ("open", "pay.bank.example")
        assert (body["services"], body["error_codes"]) == (["billing", "order"], ["E103"])
        assert (body["failing_now"], body["affected"], body["owner"]) == (18, 18, None)

    def test_count_what_fails_at_this_moment(self, operator, incident):
        restart_messages()
        body = operator.get(f"incidents/{incident.pk}/").json()
        assert (body["failing_now"], body["affected"]) == (0, 18)

    @pytest.mark.parametrize(
        ("query", "number"),
        [
            ("state=open", 1),
            ("state=closed", 0),
            ("owner=ada", 0),
            ("unowned=true", 1),
            ("unowned=false", 0),
            ("external_system=pay.bank.example", 1),
            ("external_system=bank", 0),
            ("service_name=order", 1),
            ("service_name=ord", 0),
            ("state=open&service_name=billing&external_system=pay.bank.example", 1),
        ],
    )
    def test_are_narrowed_by_filters(self, operator, incident, query, number):
        assert len(operator.get(f"incidents/?{query}").json()["results"]) == number

    @pytest.mark.parametrize(
        ("query", "field"),
        [("state=fixed", "state"), ("service_name=", "service_name"), ("system=x", "system")],
    )
    def test_refuse_other_filters_by_name(self, operator, query, field):
        body = problem(operator.get(f"incidents/?{query}"))
        assert (body["status"], body["errors"][0]["field"]) == (400, field)

    @pytest.mark.parametrize("path", ["777/", "odd/", f"{'9' * 30}/", "777/messages/"])
    def test_are_not_found_by_unknown_ids(self, operator, path):
        assert problem(operator.get(f"incidents/{path}"))["status"] == 404


class TestMessagesOfAnIncident:
    def test_are_the_same_in_the_list_of_messages(self, operator, incident):
        other = fail_messages(1, "something else")
        gather()
        rows = operator.get(f"incidents/{incident.pk}/messages/").json()["results"]
        assert len(rows) == 18
        assert other[0] not in {row["msg_id"] for row in rows}
        assert rows == operator.get(f"messages/?incident={incident.pk}").json()["results"]

    def test_take_the_filters_and_pages_of_the_list(self, operator, incident):
        path = f"incidents/{incident.pk}/messages/"
        rows = operator.get(f"{path}?service_name=order&page_size=4").json()
        assert [row["service_name"] for row in rows["results"]] == ["order"] * 4
        rest = operator.get(rows["next"].partition("/api/v1/")[2]).json()
        assert len(rest["results"]) == 4

    def test_refuse_another_incident_in_the_query(self, operator, incident):
        body = problem(operator.get(f"incidents/{incident.pk}/messages/?incident=5"))
        assert body["errors"][0]["field"] == "incident"


class TestDecisions:
    def decide(self, client: ApiClient, incident: Incident, how: str, **body: object):
        return client.post(f"incidents/{incident.pk}/{how}/", body)

    def test_close_and_reopen_with_a_reason(self, operator, incident):
        closed = self.decide(operator, incident, "close", reason="the bank is back").json()
        assert (closed["state"], bool(closed["closed_at"])) == ("closed", True)
        again = problem(self.decide(operator, incident, "close", reason="again"))
        assert (again["status"], again["current_state"]) == (409, "closed")
        assert self.decide(operator, incident, "reopen", reason="not yet").json()["state"] == "open"
        entries = AuditEntry.objects.filter(subject_kind="incident", subject=str(incident.pk))
        assert [entry.action for entry in entries.order_by("entry_id")][-2:] == [
            "close_incident",
            "reopen_incident",
        ]

    @pytest.mark.parametrize("how", ["close", "reopen", "acknowledge"])
    def test_require_a_reason(self, operator, incident, how):
        assert problem(self.decide(operator, incident, how))["errors"][0]["field"] == "reason"

    def test_assign_to_a_user_and_to_no_one(self, operator, incident):
        body = self.decide(operator, incident, "assign", user="ada", reason="r").json()
        assert body["owner"] == "ada"
        assert operator.get("incidents/?owner=ada").json()["results"][0]["incident_id"] == incident.pk
        assert self.decide(operator, incident, "assign", user=None, reason="r").json()["owner"] is None
        missing = problem(self.decide(operator, incident, "assign", reason="r"))
        assert missing["errors"][0]["field"] == "user"
        unknown = problem(self.decide(operator, incident, "assign", user="nobody", reason="r"))
        assert (unknown["status"], unknown["errors"][0]["field"]) == (400, "user")

    def test_note_a_text_without_a_reason(self, operator, incident):
        for text in ("Bank called.", "It answers again."):
            assert self.decide(operator, incident, "note", text=text).json()["note"] == text
        (newer, older) = operator.get(f"incidents/{incident.pk}/notes/").json()["results"]
        assert (newer["text"], older["text"]) == ("It answers again.", "Bank called.")
        assert problem(self.decide(operator, incident, "note"))["errors"][0]["field"] == "text"
        refused = problem(self.decide(operator, incident, "note", text="t", reason="r"))
        assert refused["errors"][0]["field"] == "reason"

    def test_merge_other_incidents_into_one(self, operator, incident):
        second = make_second()
        body = self.decide(operator, incident, "merge", incident_ids=[second.pk], reason="one cause").json()
        assert (body["incident_id"], body["affected"], body["failing_now"]) == (incident.pk, 30, 30)
        assert [row["incident_id"] for row in operator.get("incidents/").json()["results"]] == [incident.pk]
        assert operator.get(f"incidents/{second.pk}/").json()["state"] == "closed"

    def test_split_a_group_into_an_incident_of_its_own(self, operator, incident):
        second = make_second()
        self.decide(operator, incident, "merge", incident_ids=[second.pk], reason="one cause")
        group = FailureGroup.objects.get(service_name="tariff")
        body = self.decide(operator, incident, "split", group_ids=[group.pk], reason="no").json()
        assert body["incident_id"] not in {incident.pk, second.pk}
        rows = operator.get(f"incidents/{body['incident_id']}/messages/").json()["results"]
        assert {row["service_name"] for row in rows} == {"tariff"}
        assert operator.get(f"incidents/{incident.pk}/").json()["affected"] == 18

    def test_split_messages_into_an_incident_of_their_own(self, operator, incident):
        msg_id = Message.objects.filter(service_name="order").first().pk
        body = self.decide(operator, incident, "split", msg_ids=[msg_id], reason="other").json()
        rows = operator.get(f"messages/?incident={body['incident_id']}").json()["results"]
        assert [row["msg_id"] for row in rows] == [msg_id]

    @pytest.mark.parametrize(
        ("how", "body", "field"),
        [
            ("merge", {}, "incident_ids"),
            ("merge", {"incident_ids": []}, "incident_ids"),
            ("merge", {"incident_ids": ["5"]}, "incident_ids"),
            ("split", {}, "msg_ids"),
            ("split", {"msg_ids": [1], "group_ids": [1]}, "msg_ids"),
            ("split", {"msg_ids": [2**63]}, "msg_ids"),
            ("split", {"msgs": [1], "msg_ids": [1]}, "msgs"),
        ],
    )
    def test_name_the_field_of_bad_input(self, operator, incident, how, body, field):
        refused = problem(self.decide(operator, incident, how, **body, reason="r"))
        assert refused["status"] == 400
        assert refused["errors"][0]["field"].partition(".")[0] == field

    @pytest.mark.parametrize("how", ["close", "reopen", "merge", "split"])
    def test_are_refused_to_support(self, incident, how):
        assert problem(self.decide(caller("support"), incident, how, reason="r"))["status"] == 403

    @pytest.mark.parametrize(
        ("how", "body", "field", "value"),
        [
            ("assign", {"user": "ada", "reason": "r"}, "owner", "ada"),
            ("acknowledge", {"reason": "r"}, "state", "open"),
        ],
    )
    def test_of_who_looks_after_it_are_made_by_support(self, incident, how, body, field, value):
        support = caller("support", username="ada")
        assert self.decide(support, incident, how, **body).json()[field] == value
        entry = AuditEntry.objects.filter(subject_kind="incident").latest("entry_id")
        assert (entry.action, entry.actor) == (f"{how}_incident", "ada")

    def test_act_once_with_an_idempotency_key(self, operator, incident):
        path, key = f"incidents/{incident.pk}/close/", {"Idempotency_Key": "close-4711"}
        first = operator.post(path, {"reason": "r"}, **key)
        again = operator.post(path, {"reason": "r"}, **key)
        assert (first.status_code, again.status_code, first.json()) == (200, 200, again.json())
        assert AuditEntry.objects.filter(action="close_incident").count() == 1
