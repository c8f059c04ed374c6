import pytest

from messages_app.jobs.views.lists import MOST_JOBS
from messages_app.message_store.models import MessageLine
from tests.messages_app.jobs.stored_jobs import make_half_done_job, make_job, make_restart
from tests.support.factories import make_message
from tests.support.ledgers import store_ledger
from tests.support.page_client import client_of, text_of
from tests.support.stores import store

pytestmark = pytest.mark.django_db


class TestJobsOfMessage:
    def test_shows_each_job_with_its_outcome_newest_first(self):
        older, newer = make_half_done_job(), make_restart()
        store_ledger(newer, {3: "done"}, new_state="PARTLY_FAILED")
        found = client_of("support").get("/jobs/of-message/3/").context["had"]
        assert [(each.job.pk, each.kind, each.new_state) for each in found] == [
            (newer.pk, "done", "PARTLY_FAILED"),
            (older.pk, "skipped", None),
        ]

    def test_reports_that_a_job_has_not_reached_the_message_yet(self):
        make_half_done_job()
        assert "pending" in text_of(client_of("support").get("/jobs/of-message/5/"))

    def test_is_a_part_for_scripts_and_a_page_for_others(self):
        client = client_of("support")
        assert "<html" in text_of(client.get("/jobs/of-message/5/"))
        part = text_of(client.get("/jobs/of-message/5/", headers={"HX-Request": "true"}))
        assert "<html" not in part
        assert "Not part of any job" in part

    def test_shows_the_newest_of_very_many(self):
        for _ in range(MOST_JOBS + 1):
            store_ledger(make_restart(), {3: "done"})
        context = client_of("support").get("/jobs/of-message/3/").context
        assert (len(context["had"]), context["is_cut"]) == (MOST_JOBS, True)

    def test_is_linked_from_the_messages_page(self):
        message = make_message()
        assert f'href="/jobs/of-message/{message.pk}/"' in text_of(
            client_of("support").get(f"/messages/{message.pk}/")
        )

    def test_omits_jobs_over_rows_of_another_store(self):
        other = make_job(kind="reprocess")
        store_ledger(other, {3: "done"})
        assert "Not part of any job" in text_of(client_of("support").get("/jobs/of-message/3/"))

    def test_finds_those_of_a_message_of_the_store_by_its_identifier(self):
        key = store()
        number = MessageLine.objects.get().pk
        store_ledger(make_restart(), {number: "done"})
        store_ledger(make_job(kind="reprocess"), {number: "done"}, new_state="0")
        client = client_of("support")
        found = client.get(f"/jobs/of-store-message/{key}/").context["had"]
        assert [each.job.kind for each in found] == ["reprocess"]
        assert client.get("/jobs/of-store-message/777/").status_code == 404

    def test_is_closed_to_users_who_have_no_role(self):
        assert client_of().get("/jobs/of-message/3/").status_code == 403
