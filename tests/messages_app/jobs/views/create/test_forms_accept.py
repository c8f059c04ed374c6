import pytest
from django.test import Client

from messages_app.jobs.models import Job
from tests.messages_app.jobs.views.create.test_views import FAILED, seal_of
from tests.support.factories import make_message
from tests.support.page_client import client_of
from tests.support.threads import in_threads


@pytest.mark.django_db(transaction=True)
class TestAccept:
    def test_makes_one_job_of_forms_that_are_sent_at_the_same_time(self):
        make_message(state="FAILED")
        client = client_of("operator")
        body = {"shown": seal_of(client.get(FAILED)), "reason": "twice"}

        def send() -> str:
            other = Client()
            other.cookies.update(client.cookies)
            return other.post("/jobs/new/", body).url

        assert len(set(in_threads(send, send, send))) == 1
        assert Job.objects.count() == 1
