import re

import pytest
from django.test import Client

from messages_app.audit.models import AuditEntry
from messages_app.jobs.models import Job
from tests.messages_app.jobs.views.create.test_views import FAILED, answer, make_failed, seal_of
from tests.support.factories import PASSWORD
from tests.support.page_client import client_of, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator() -> Client:
    return client_of("operator")


class TestPassword:
    @pytest.fixture(autouse=True)
    def guard(self, settings):
        settings.BULK_GUARD, settings.BULK_GUARD_FROM = "password", 3

    def test_is_required_from_a_set_number_of_messages(self, operator):
        make_failed(2)
        assert 'name="password"' not in text_of(operator.get(FAILED))
        assert answer(operator, FAILED).status_code == 302
        Job.objects.all().delete()
        make_failed(1)
        assert 'name="password"' in text_of(operator.get(FAILED))
        response = answer(operator, FAILED)
        assert response.status_code == 400
        assert response.context["password"].errors == {"password": ["Enter your password."]}
        assert not Job.objects.exists()

    def test_starts_the_job_when_it_is_right_and_is_kept_nowhere(self, operator):
        make_failed(3)
        assert answer(operator, FAILED, password=PASSWORD).status_code == 302
        job = Job.objects.get()
        entries = AuditEntry.objects.order_by("entry_id")
        assert [entry.action for entry in entries] == ["confirm_password", "restart"]
        kept = [job.options, job.filter, job.report, *(entry.details for entry in entries)]
        assert PASSWORD not in repr(kept)

    def test_is_an_error_at_its_field_when_it_is_wrong(self, operator):
        make_failed(3)
        response = answer(operator, FAILED, password="wrong")
        assert response.status_code == 400
        assert "Incorrect password." in text_of(response)
        assert "wrong" not in re.findall(r'name="password"[^>]*', text_of(response))[0]
        assert not Job.objects.exists()

    def test_counts_the_messages_that_exist_when_the_form_is_sent(self, operator):
        make_failed(2)
        body = {"shown": seal_of(operator.get(FAILED)), "reason": "again"}
        make_failed(1)
        assert operator.post("/jobs/new/", body).status_code == 400

    def test_is_not_asked_for_counting_or_an_export(self, operator):
        make_failed(3)
        assert answer(operator, FAILED, count="true").status_code == 302
        export = "/jobs/new/?kind=export&service_name=billing"
        assert answer(operator, export, format="csv").status_code == 302
