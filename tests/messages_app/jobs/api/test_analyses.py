"""The call that asks what failing messages have in common, and the answer in its job."""

from datetime import UTC, datetime

import pytest

from messages_app.audit.models import AuditEntry
from messages_app.incidents.models import Incident
from messages_app.jobs.models import Job
from messages_app.shared.text_safety import MASK
from spark_tasks.analyses.reports import Finding
from tests.messages_app.jobs.test_findings import CURRENCY, SHARES, make_analysis
from tests.support.api_client import ApiClient, caller, problem

pytestmark = pytest.mark.django_db

START = datetime(2026, 11, 20, 10, tzinfo=UTC)


def ask(client: ApiClient, **body: object):
    return client.post("analyses/", {"filter": {"failure_group": 7}} | body)


def make_incident(**columns: object) -> Incident:
    times = {"began_at": START, "last_failure_at": START}
    return Incident.objects.create(**{"title": "pay.bank.example", **times, **columns})


def faults_of(response: object) -> list[tuple[str, str]]:
    assert response.status_code == 400
    return [(error["field"], error["code"]) for error in problem(response)["errors"]]


class TestStartAnalysis:
    def test_starts_a_job_of_the_failed_messages(self):
        response = ask(caller("support"))

        body = response.json()
        assert (response.status_code, body["kind"], body["state"]) == (202, "analyse", "planning")
        assert response.headers["Location"].endswith(f"/api/v1/jobs/{body['job_id']}/")
        job = Job.objects.get()
        assert job.filter == {"state": "FAILED", "failure_group": "7"}
        assert (job.options, job.reason) == ({"compare_with": None}, "What do the failures have in common?")
        entry = AuditEntry.objects.get(action="analyse")
        assert (entry.job_id, entry.actor) == (job.pk, "ada")

    def test_keeps_the_filter_to_compare_with_and_the_reason(self):
        ask(caller("support"), compare_with={"service_name": "order"}, reason="the bank asks")

        job = Job.objects.get()
        assert (job.options, job.reason) == ({"compare_with": {"service_name": "order"}}, "the bank asks")

    @pytest.mark.parametrize(
        ("body", "faults"),
        [
            ({"filter": {}}, [("filter", "required")]),
            ({"filter": {"stat": "FAILED"}}, [("filter.stat", "unknown_parameter")]),
            ({"filter": {"state": ["FAILED", "OK"]}}, [("filter.state", "invalid_value")]),
            ({"filter": {"state": "FAILED", "archived": True}}, [("filter.archived", "invalid_value")]),
            ({"compare_with": {}}, [("compare_with", "invalid_value")]),
            ({"compare_with": {"stat": "OK"}}, [("compare_with", "unknown_parameter")]),
            ({"compare_with": {"state": {"a": 1}}}, [("compare_with", "invalid_value")]),
            ({"compare_with": {"state": [[]]}}, [("compare_with", "invalid_value")]),
            ({"compare_with": {"service_name": [["order"]]}}, [("compare_with", "invalid_value")]),
            (
                {"compare_with": {"service_name": "order", "archived": "any"}},
                [("compare_with", "invalid_value")],
            ),
            ({"reason": ""}, [("reason", "required")]),
            ({"incident": 7}, [("incident", "unknown_field")]),
            ({"incident_id": 7}, [("incident_id", "invalid_value")]),
        ],
    )
    def test_names_the_field_at_fault(self, body, faults):
        assert faults_of(ask(caller("support"), **body)) == faults
        assert not Job.objects.exists()

    def test_needs_a_filter_or_an_incident(self):
        assert faults_of(caller("support").post("analyses/", {})) == [("filter", "required")]

    @pytest.mark.parametrize("incident_id", ["7", 0, 7.5, True, None, 10**30])
    def test_refuses_an_incident_that_is_not_an_id(self, incident_id):
        response = caller("support").post("analyses/", {"incident_id": incident_id})
        assert [field for field, _ in faults_of(response)] == ["incident_id"]

    def test_starts_a_job_of_the_failed_messages_of_an_incident(self):
        incident = make_incident()

        response = caller("support").post("analyses/", {"incident_id": incident.pk})

        assert response.status_code == 202
        assert Job.objects.get().filter == {"state": "FAILED", "incident": str(incident.pk)}

    def test_refuses_an_incident_together_with_a_filter(self):
        incident = make_incident()

        assert faults_of(ask(caller("support"), incident_id=incident.pk)) == [
            ("incident_id", "invalid_value")
        ]
        assert not Job.objects.exists()

    def test_refuses_an_incident_that_does_not_exist_or_was_merged(self):
        incident = make_incident()
        merged = make_incident(state="closed", merged_into=incident.pk)

        client = caller("support")
        for incident_id in (incident.pk + 100, merged.pk):
            response = client.post("analyses/", {"incident_id": incident_id})
            assert faults_of(response) == [("incident_id", "invalid_value")]
        assert not Job.objects.exists()

    def test_does_not_search_payloads_to_compare_with(self):
        search = {
            "payload_contains": "Ada",
            "receive_timestamp_from": "2026-11-01T00:00:00Z",
            "receive_timestamp_to": "2026-11-02T00:00:00Z",
        }

        assert faults_of(ask(caller("admin", "view_payload"), compare_with=search)) == [
            ("compare_with", "invalid_value")
        ]

    def test_is_refused_without_the_scope_to_read_messages(self):
        assert problem(ask(caller("admin", scopes=["jobs:run"])))["scope"] == "messages:read"
        assert ask(caller("support", username="bob", scopes=["jobs:run", "messages:read"])).status_code == 202

    def test_is_refused_to_users_who_may_not_view_messages(self):
        assert ask(caller()).status_code == 403
        assert not Job.objects.exists()


class TestReportOfJob:
    @pytest.mark.parametrize(("roles", "value"), [(("support",), MASK), (("support", "view_payload"), "CHF")])
    def test_has_findings_as_the_caller_may_see_them(self, roles, value):
        job = make_analysis(Finding((CURRENCY,), SHARES))
        job.save(force_insert=True)

        answer = caller(*roles).get("jobs/1/")

        (finding,) = answer.json()["report"]["findings"]
        assert (finding["field"], finding["value"]) == ("Currency", value)
        assert ("CHF" in answer.content.decode()) == (value == "CHF")

    def test_has_no_findings_of_a_payload_search_for_users_without_the_right(self):
        job = make_analysis(Finding((CURRENCY,), SHARES), filter={"payload_contains": "Ada"})
        job.save(force_insert=True)

        assert caller("support").get("jobs/1/").json()["report"]["findings"] == []
        answer = caller("support", "view_payload", username="bob").get("jobs/1/")
        assert len(answer.json()["report"]["findings"]) == 1
