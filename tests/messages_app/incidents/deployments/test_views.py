import pytest

from messages_app.audit.models import AuditEntry
from messages_app.incidents.deployments.models import Deployment
from tests.support.page_client import client_of, notices_of, text_of

pytestmark = pytest.mark.django_db
PAGE, NEW = "/deployments/", "/deployments/new/"


def store_deployment(service: str, version: str, at: str = "2026-11-21T10:00:00Z") -> None:
    Deployment.objects.create(service_name=service, version=version, at=at, noted_by="pipeline")


class TestDeploymentList:
    def test_shows_each_deployment_with_a_link_to_the_messages_of_its_service(self):
        store_deployment("billing", "4.2.0-<b>")
        page = text_of(client_of("support").get(PAGE))
        assert 'href="/messages/?service_name=billing"' in page
        assert "4.2.0-&lt;b&gt;" in page
        assert "Note a deployment" not in page

    def test_narrows_by_its_filters(self):
        store_deployment("billing", "1")
        store_deployment("order", "2")
        client = client_of("support")
        assert "service_name=order" not in text_of(client.get(PAGE, {"service_name": "billing"}))
        assert "No deployments found" in text_of(client.get(PAGE, {"version": "3"}))

    def test_explains_an_empty_list_with_the_call_of_pipelines(self):
        assert "POST /api/v1/deployments/" in text_of(client_of("support").get(PAGE))


class TestNewDeployment:
    def test_records_what_an_operator_notes(self):
        client = client_of("operator")
        assert NEW in text_of(client.get(PAGE))
        response = client.post(NEW, {"service_name": "billing", "version": "4.2", "note": "manual"})
        assert (response.status_code, response.headers["Location"]) == (302, PAGE)
        assert notices_of(response) == ["Deployment of billing 4.2 noted."]
        row = Deployment.objects.get()
        assert (row.service_name, row.version, row.note, row.noted_by) == ("billing", "4.2", "manual", "ada")

    def test_keeps_what_was_typed_if_something_is_missing(self):
        response = client_of("operator").post(NEW, {"service_name": "billing"})
        assert response.status_code == 400
        assert 'value="billing"' in text_of(response)
        assert Deployment.objects.count() == 0

    def test_refuses_support_and_records_it(self):
        response = client_of("support").post(NEW, {"service_name": "billing", "version": "4.2"})
        assert (response.status_code, Deployment.objects.count()) == (403, 0)
        assert AuditEntry.objects.get(action="note_deployment").outcome == "refused"
