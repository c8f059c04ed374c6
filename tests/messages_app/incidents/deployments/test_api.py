from datetime import timedelta

import pytest

from messages_app.audit.models import AuditEntry
from messages_app.core.clock import database_clock
from messages_app.incidents.deployments.models import Deployment
from tests.support.api_client import ApiClient, caller, problem

pytestmark = pytest.mark.django_db

BODY = {"service_name": "billing", "version": "4.2.0", "at": "2026-11-21T18:00:00+01:00", "note": "hotfix"}


@pytest.fixture
def pipeline() -> ApiClient:
    return caller("deployment_pipeline", username="pipeline")


class TestNoteDeployment:
    def test_records_a_deployment_with_its_author(self, pipeline):
        response = pipeline.post("deployments/", BODY)
        body = response.json()
        assert response.status_code == 201
        row = Deployment.objects.get()
        assert body | {"noted_at": ""} == {
            "deployment_id": row.pk,
            "service_name": "billing",
            "version": "4.2.0",
            "at": "2026-11-21T17:00:00Z",
            "note": "hotfix",
            "noted_by": "pipeline",
            "noted_at": "",
        }
        assert response.headers["Location"].endswith("/api/v1/deployments/?service_name=billing")

    def test_writes_the_audit_log_with_it(self, pipeline):
        body = pipeline.post("deployments/", BODY).json()
        entry = AuditEntry.objects.get(action="note_deployment")
        assert entry.outcome == "done"
        assert entry.details == {
            "service_name": "billing",
            "version": "4.2.0",
            "at": "2026-11-21T17:00:00+00:00",
            "note": "hotfix",
            "deployment_id": body["deployment_id"],
        }

    def test_takes_the_present_of_the_database_for_a_deployment_without_a_time(self, pipeline):
        before = database_clock()
        pipeline.post("deployments/", {"service_name": "billing", "version": "4.2.0"})
        assert before <= Deployment.objects.get().at <= database_clock()

    def test_records_the_same_version_at_the_same_time_once(self, pipeline):
        first = pipeline.post("deployments/", BODY)
        again = pipeline.post("deployments/", BODY | {"note": "another note"})
        assert (again.status_code, again.json()) == (200, first.json())
        assert Deployment.objects.count() == 1
        assert AuditEntry.objects.filter(action="note_deployment").count() == 1

    def test_records_the_same_version_again_at_another_time(self, pipeline):
        pipeline.post("deployments/", BODY)
        assert pipeline.post("deployments/", BODY | {"at": "2026-11-22T18:00:00Z"}).status_code == 201
        assert Deployment.objects.count() == 2

    @pytest.mark.parametrize(
        ("change", "field", "code"),
        [
            ({"service_name": ""}, "service_name", "required"),
            ({"service_name": None}, "service_name", "required"),
            ({"service_name": 7}, "service_name", "invalid_value"),
            ({"service_name": "s" * 101}, "service_name", "too_long"),
            ({"version": ""}, "version", "required"),
            ({"version": 4.2}, "version", "invalid_value"),
            ({"version": "v" * 101}, "version", "too_long"),
            ({"note": "n" * 1001}, "note", "too_long"),
            ({"note": ["n"]}, "note", "invalid_value"),
            ({"at": "yesterday"}, "at", "invalid_value"),
            ({"at": "2026-11-21T18:00:00"}, "at", "invalid_value"),
            ({"at": "2026-02-30T18:00:00Z"}, "at", "invalid_value"),
            ({"at": "99999-11-21T18:00:00Z"}, "at", "out_of_range"),
            ({"at": 1790000000}, "at", "invalid_value"),
            ({"at": None}, "at", "required"),
            ({"verion": "4.2.0"}, "verion", "unknown_field"),
        ],
    )
    def test_names_the_field_of_bad_input(self, pipeline, change, field, code):
        body = problem(pipeline.post("deployments/", BODY | change))
        assert (body["status"], body["errors"][0]["field"], body["errors"][0]["code"]) == (400, field, code)
        assert Deployment.objects.count() == 0

    @pytest.mark.parametrize("name", ["service_name", "version"])
    def test_requires_a_service_and_a_version(self, pipeline, name):
        body = {key: value for key, value in BODY.items() if key != name}
        assert problem(pipeline.post("deployments/", body))["errors"][0]["field"] == name

    def test_refuses_the_future_but_not_a_clock_that_is_a_little_ahead(self, pipeline):
        ahead = (database_clock() + timedelta(minutes=4)).isoformat()
        later = (database_clock() + timedelta(minutes=6)).isoformat()
        assert pipeline.post("deployments/", BODY | {"at": ahead}).status_code == 201
        body = problem(pipeline.post("deployments/", BODY | {"at": later}))
        assert (body["errors"][0]["field"], body["errors"][0]["code"]) == ("at", "out_of_range")

    @pytest.mark.parametrize(
        ("at", "is_taken"),
        [
            (timedelta(days=3651), True),
            (timedelta(days=3655), False),
            ("1970-01-01T00:00:00Z", False),
            ("0001-01-01T00:00:00Z", False),
            ("0001-01-01T00:00:00+14:00", False),
        ],
    )
    def test_refuses_a_time_of_more_than_ten_years_ago(self, pipeline, at, is_taken):
        text = at if isinstance(at, str) else (database_clock() - at).isoformat()
        response = pipeline.post("deployments/", BODY | {"at": text})
        if is_taken:
            assert response.status_code == 201
            return
        body = problem(response)
        assert (body["status"], Deployment.objects.count()) == (400, 0)
        assert (body["errors"][0]["field"], body["errors"][0]["code"]) == ("at", "out_of_range")

    def test_needs_the_scope_for_deployments(self):
        assert caller("operator", scopes=["deployments:write"]).post("deployments/", BODY).status_code == 201
        refused = problem(
            caller("operator", username="eve", scopes=["messages:read"]).post("deployments/", BODY)
        )
        assert (refused["status"], refused["scope"]) == (403, "deployments:write")

    def test_refuses_support(self):
        assert problem(caller("support").post("deployments/", BODY))["status"] == 403


class TestListDeployments:
    @pytest.fixture(autouse=True)
    def three(self, pipeline) -> None:
        for service, version, at in (
            ("billing", "1", "2026-11-20T10:00:00Z"),
            ("order", "2", "2026-11-21T10:00:00Z"),
            ("billing", "2", "2026-11-22T10:00:00Z"),
        ):
            pipeline.post("deployments/", {"service_name": service, "version": version, "at": at})

    @pytest.mark.parametrize(
        ("query", "versions"),
        [
            ("", ["billing 2", "order 2", "billing 1"]),
            ("?service_name=billing", ["billing 2", "billing 1"]),
            ("?version=2", ["billing 2", "order 2"]),
            ("?service_name=billing&version=2", ["billing 2"]),
            ("?at_from=2026-11-21T10:00:00Z", ["billing 2", "order 2"]),
            ("?at_to=2026-11-21T10:00:00Z", ["order 2", "billing 1"]),
            ("?service_name=crm", []),
        ],
    )
    def test_lists_what_the_filters_select_newest_first(self, query, versions):
        rows = caller("support").get(f"deployments/{query}").json()["results"]
        assert [f"{row['service_name']} {row['version']}" for row in rows] == versions

    def test_gives_every_deployment_once_over_its_pages(self):
        support, address, names = caller("support"), "deployments/?page_size=2", []
        while address:
            body = support.get(address).json()
            names += [row["version"] + row["service_name"] for row in body["results"]]
            address = body["next"] and body["next"].partition("/api/v1/")[2]
        assert names == ["2billing", "2order", "1billing"]

    @pytest.mark.parametrize(
        "query", ["?service_name=", "?at_from=yesterday", "?cursor=odd", "?service=billing"]
    )
    def test_refuses_filters_that_it_does_not_have(self, query):
        assert problem(caller("support").get(f"deployments/{query}"))["status"] == 400

    def test_is_not_shown_to_a_pipeline(self, pipeline):
        assert problem(pipeline.get("deployments/"))["status"] == 403
