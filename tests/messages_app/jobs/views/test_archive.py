import pytest

from messages_app.shared.job_states import JobKind
from tests.messages_app.jobs.stored_jobs import make_job, make_restart
from tests.support.page_client import client_of, text_of

pytestmark = pytest.mark.django_db


class TestArchive:
    def test_leads_to_what_would_be_archived(self):
        page = text_of(client_of("admin").get("/archive/"))
        assert 'action="/jobs/new/"' in page
        assert '<input type="hidden" name="kind" value="archive">' in page

    def test_shows_the_totals_of_the_five_archive_tables(self):
        totals = client_of("support").get("/archive/").context["totals"]
        assert len(totals) == 5
        assert all(total.stored_bytes > 0 for total in totals)

    def test_shows_the_latest_jobs_that_archive_and_restore(self):
        shown = [make_job(), make_job(kind=JobKind.RESTORE)]
        make_restart()
        lines = client_of("support").get("/archive/").context["lines"]
        assert [line.job.pk for line in lines] == [job.pk for job in shown[::-1]]

    def test_is_read_only_for_others(self):
        assert "/jobs/new/" not in text_of(client_of("support").get("/archive/"))
        assert client_of("support", username="ben").post("/archive/", {}).status_code == 405
