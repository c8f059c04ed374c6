import pytest

from messages_app.jobs.labels import reason_words
from messages_app.jobs.views.item_jobs import MAX_JOBS, JobOfItem
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
        found = client_of("support").get("/jobs/of-message/3/").context["jobs"]
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

    def test_has_all_values_of_each_job(self):
        done, failed, open_one = make_restart(options={"total": True}), make_job(kind="cancel"), make_job()
        store_ledger(done, {3: "done", 4: "skipped:locked"}, new_state="PARTLY_FAILED")
        store_ledger(failed, {3: "failed:uq_x", 4: "done"}, new_state="CANCEL")
        store_ledger(open_one, {3: None, 4: "done"})
        context = client_of("support").get("/jobs/of-message/3/").context
        same = {"old_state": "OK"}
        assert context["jobs"] == [
            JobOfItem(job=open_one, title="Archive", new_state=None, kind="", why="", **same),
            JobOfItem(
                job=failed, title="Cancel", new_state=None, kind="failed", why=reason_words("uq_x"), **same
            ),
            JobOfItem(
                job=done,
                title="Restart from scratch",
                new_state="PARTLY_FAILED",
                kind="done",
                why=reason_words(""),
                **same,
            ),
        ]
        assert (context["item"].name, context["item"].address) == ("3", "/messages/3/")

    def test_omits_exports_that_would_reveal_what_a_payload_search_found(self):
        search = {
            "payload_contains": "x",
            "receive_timestamp_from": "2026-11-01T00:00:00Z",
            "receive_timestamp_to": "2026-11-02T00:00:00Z",
        }
        jobs = [
            make_job(kind=kind, filter=filter, options={})
            for kind in ("export", "restart")
            for filter in (search, {"state": "FAILED"})
        ]
        for job in jobs:
            store_ledger(job, {3: "done"})
        found = client_of("support").get("/jobs/of-message/3/").context["jobs"]
        assert [each.job.pk for each in found] == [job.pk for job in jobs[:0:-1]]

    @pytest.mark.parametrize(("count", "is_cut"), [(MAX_JOBS, False), (MAX_JOBS + 1, True)])
    def test_shows_the_newest_of_very_many(self, count, is_cut):
        jobs = [make_restart() for _ in range(count)]
        for job in jobs:
            store_ledger(job, {3: "done"})
        context = client_of("support").get("/jobs/of-message/3/").context
        assert [each.job.pk for each in context["jobs"]] == [job.pk for job in jobs[: -MAX_JOBS - 1 : -1]]
        assert context["is_cut"] == is_cut

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
        found = client.get(f"/jobs/of-store-message/{key}/").context["jobs"]
        assert [each.job.kind for each in found] == ["reprocess"]
        assert client.get("/jobs/of-store-message/777/").status_code == 404

    def test_is_closed_to_users_who_have_no_role(self):
        assert client_of().get("/jobs/of-message/3/").status_code == 403
