from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission, User

from messages_app.core.clock import database_clock
from messages_app.shared.job_states import JobKind, JobState
from tests.messages_app.jobs.stored_jobs import make_half_done_job, make_job, make_restart
from tests.support.ledgers import store_ledger
from tests.support.page_client import client_of, text_of
from tests.support.page_tables import read_table

pytestmark = pytest.mark.django_db


def shown(response) -> list[int]:
    return [line.job.pk for line in response.context["lines"]]


class TestJobList:
    def test_shows_the_newest_first_with_their_outcomes(self):
        job = make_half_done_job()
        later = make_job(
            dry_run=True, state=JobState.PLANNED, report={"planned": 7, "skipped": {"locked": 2}}
        )
        response = client_of("admin").get("/jobs/")
        assert shown(response) == [later.pk, job.pk]
        page = text_of(response)
        assert "preview" in page
        assert "5 possible" in page
        assert f"/jobs/{job.pk}/?outcome=failed#ledger" in page

    @pytest.mark.parametrize(("roles", "may_start"), [((), False), (("support",), True)])
    def test_offers_a_new_job_to_users_who_may_start_one(self, roles, may_start):
        client = client_of(*roles, username="grace")
        User.objects.get(username="grace").user_permissions.add(Permission.objects.get(codename="view_job"))
        page = text_of(client.get("/jobs/"))
        assert ('href="/jobs/new/"' in page) == may_start
        assert page.count("c-button-main") == may_start

    def test_has_each_number_below_its_head(self):
        began = database_clock() - timedelta(hours=5)
        job = make_job(
            state=JobState.RUNNING,
            created_at=began - timedelta(minutes=30),
            started_at=began,
            finished_at=began + timedelta(minutes=7),
            reason="house-keeping",
        )
        outcomes = ["done"] * 4 + ["skipped:locked"] * 3 + ["failed:uq_x"] * 2 + [None] * 5
        store_ledger(job, dict(enumerate(outcomes, start=1)))
        (line,) = read_table(client_of("admin").get("/jobs/"), "Jobs, newest first")
        assert line["Job"].links == {str(job.pk): f"/jobs/{job.pk}/"}
        assert line["Messages"].text == "14"
        assert line["Outcome"].text == "4 done · 3 skipped · 2 failed · 5 left"
        assert line["Outcome"].links == {"2 failed": f"/jobs/{job.pk}/?outcome=failed#ledger"}
        assert line["Created"].text.endswith("5 h ago")
        assert line["Duration"].text == "7 min"
        assert line["Created by, reason"].text == "ada house-keeping"

    def test_describes_the_filter_of_a_job(self):
        make_restart(filter={"state": "FAILED", "service_name": "billing"})
        line = client_of("support").get("/jobs/").context["lines"][0]
        assert line.words == [("State", "FAILED"), ("Service", "billing")]

    def test_reports_that_the_list_is_empty(self):
        assert "No jobs yet" in text_of(client_of("admin").get("/jobs/"))

    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ("mine=true", ["mine"]),
            ("kind=restart", ["mine", "running"]),
            ("state=running", ["running"]),
            ("kind=restart&state=running", ["running"]),
            ("mine=true&state=running", []),
            ("mine=&kind=&state=", ["mine", "running", "old"]),
        ],
    )
    def test_is_narrowed(self, query, expected):
        client = client_of("support", username="ada")
        made = {
            "old": make_job(kind=JobKind.ARCHIVE, state=JobState.DONE, created_by="ben"),
            "running": make_restart(state=JobState.RUNNING, created_by="ben"),
            "mine": make_restart(state=JobState.DONE, created_by="ada"),
        }
        response = client.get(f"/jobs/?{query}")
        assert shown(response) == [made[name].pk for name in expected]

    def test_keeps_its_filter_on_further_pages(self):
        client = client_of("support", username="ada")
        wanted = [make_restart(created_by="ada").pk for _ in range(51)]
        make_job(created_by="ben")
        first = client.get("/jobs/?mine=true")
        second = client.get("/jobs/", {"mine": "true", "cursor": first.context["page"].next_cursor})
        assert [*shown(first), *shown(second)] == wanted[::-1]

    @pytest.mark.parametrize("query", ["cursor=x", "kind=none", "state=FAILED", "mine=false", "kind=a%00"])
    def test_refuses_unknown_values(self, query):
        assert client_of("admin").get(f"/jobs/?{query}").status_code == 400

    def test_is_closed_to_users_who_have_no_role(self):
        assert client_of().get("/jobs/").status_code == 403

    @pytest.mark.usefixtures("lasting_menu_counts")
    def test_sends_as_many_queries_for_fifty_jobs_as_for_one(self, django_assert_num_queries):
        client = client_of("support")
        client.get("/jobs/")
        for _ in range(50):
            make_half_done_job(kind=JobKind.RESTART)
        with django_assert_num_queries(
            12
        ):  # three count pages for the limit, four limit the time of the menu
            client.get("/jobs/")
