"""The page of a new job whose estimate takes longer than the page may."""

import time
from collections.abc import Iterator

import psycopg
import pytest

from messages_app.jobs.connections import database_dsn
from messages_app.jobs.models import Job
from messages_app.jobs.views.create import views
from tests.messages_app.jobs.views.create.test_views import FAILED, seal_of
from tests.support.factories import make_message
from tests.support.page_client import client_of, text_of

pytestmark = pytest.mark.django_db(transaction=True)

AS_A_PART = {"HX-Request": "true"}
TOO_SLOW = "could not be estimated within two seconds"


@pytest.fixture
def locked_messages() -> Iterator[psycopg.Connection]:
    """Messages cannot be read until the connection is rolled back."""
    make_message(state="FAILED")
    with psycopg.connect(database_dsn()) as other:
        other.execute("LOCK TABLE message")
        yield other


@pytest.fixture(autouse=True)
def _short_first_time(monkeypatch):
    monkeypatch.setattr(views, "_FIRST_SECONDS", 0.2)


class TestFirstPage:
    def test_does_not_wait_for_the_estimate(self, locked_messages):
        client = client_of("operator")
        started = time.monotonic()
        response = client.get(FAILED)
        assert time.monotonic() - started < 1.5
        assert response.status_code == 200
        assert "Estimating…" in text_of(response)
        assert f'hx-get="{FAILED.replace("&", "&amp;")}" hx-trigger="load"' in response.content.decode()
        assert TOO_SLOW not in text_of(response)

    def test_offers_a_count_to_browsers_without_scripts(self, locked_messages):
        page = client_of("operator").get(FAILED).content.decode()
        form = page.partition("<noscript>")[2].partition("</noscript>")[0]
        assert 'name="count"' in form
        assert "data-start" not in page

    def test_has_the_estimate_if_there_is_time(self):
        make_message(state="FAILED")
        response = client_of("operator").get(FAILED)
        assert "Estimating…" not in text_of(response)
        assert response.context["figures"].to_do.about == 1
        assert "<noscript>" not in response.content.decode()


class TestPart:
    def test_has_the_estimate(self, locked_messages):
        locked_messages.rollback()
        response = client_of("operator").get(FAILED, headers=AS_A_PART)
        assert response.context["figures"].to_do.about == 1
        assert 'id="job-request"' in response.content.decode()
        assert "data-start" in response.content.decode()

    def test_offers_only_a_count_if_there_is_no_estimate_in_time(self, locked_messages):
        response = client_of("operator").get(FAILED, headers=AS_A_PART)
        assert response.status_code == 200
        assert TOO_SLOW in " ".join(text_of(response).split())
        assert 'name="count"' in response.content.decode()
        assert "data-start" not in response.content.decode()
        assert 'hx-trigger="load" hx-target="#job-request"' not in response.content.decode()


class TestWrongOption:
    ADDRESS = f"{FAILED}&rate=-1&canary=0"

    def test_is_named_next_to_its_field_and_left_out_of_the_estimate(self):
        make_message(state="FAILED")
        response = client_of("operator").get(self.ADDRESS)
        assert list(response.context["form"].errors) == ["rate", "canary"]
        assert response.context["figures"].to_do.about == 1
        assert "-1/s" not in text_of(response)

    def test_is_named_in_the_part_too(self, locked_messages):
        client = client_of("operator")
        assert list(client.get(self.ADDRESS).context["form"].errors) == ["rate", "canary"]
        locked_messages.rollback()
        response = client.get(self.ADDRESS, headers=AS_A_PART)
        assert list(response.context["form"].errors) == ["rate", "canary"]
        assert response.context["figures"].to_do.about == 1


class TestCountInstead:
    def test_starts_a_dry_run_that_is_followed_without_an_estimate(self, locked_messages):
        client = client_of("operator")
        seal = seal_of(client.get(FAILED, headers=AS_A_PART))
        locked_messages.rollback()
        counted = client.post("/jobs/new/", {"shown": seal, "count": "true"})
        job = Job.objects.get()
        assert job.dry_run
        assert counted.headers["Location"] == f"/jobs/new/?from={job.pk}"
        page = client.get(counted.headers["Location"])
        assert "Exact count in progress" in text_of(page)
        assert f"/jobs/{job.pk}/counted/" in page.content.decode()
