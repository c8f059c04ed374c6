import pytest
from django.test import Client

from messages_app.audit.models import AuditEntry
from messages_app.jobs.models import Job, JobSchedule
from messages_app.jobs.services.create import create_job
from tests.support.api_client import BASE, ApiClient, caller, problem
from tests.support.factories import make_message, make_user
from tests.support.jobs import ANA
from tests.support.ledgers import store_ledger
from tests.support.page_client import client_of, reader_of, text_of

pytestmark = pytest.mark.django_db

WORD = "Canary4711"
SEARCH = {
    "payload_contains": WORD,
    "receive_timestamp_from": "2026-11-01T00:00:00Z",
    "receive_timestamp_to": "2026-11-02T00:00:00Z",
}


@pytest.fixture
def found() -> tuple[Job, int]:
    """A finished export whose payload search found a message, and the id of the message."""
    asked = {"kind": "export", "filter": SEARCH, "options": {"format": "csv"}, "dry_run": False}
    job = create_job(**asked, user=None, actor=ANA, reason="r")
    Job.objects.filter(pk=job.pk).update(state="done", attempt=1, chunk_count=1)
    message = make_message(payload=f"<a>{WORD}</a>")
    job.refresh_from_db()
    store_ledger(job, {message.pk: "done"})
    return job, message.pk


def undo_of(job: Job) -> Job:
    """Create the undo of a job, without a filter."""
    undo = Job.objects.create(kind="restart", undo_of=job.pk, state="done", attempt=1, chunk_count=1)
    store_ledger(undo, {make_message().pk: "done"})
    return undo


class TestApi:
    def filter_of(self, client: ApiClient, job: Job) -> str:
        one = client.get(f"jobs/{job.pk}/").json()["filter"]
        (row,) = [each for each in client.get("jobs/").json()["results"] if each["job_id"] == job.pk]
        assert one == row["filter"]
        return one["payload_contains"]

    def test_masks_the_word_and_refuses_the_messages(self, found):
        job, _ = found
        for role in ("support", "admin"):
            client = caller(role, username=role)
            assert self.filter_of(client, job) == "•••"
            for asked in (job, undo_of(job)):
                assert problem(client.get(f"jobs/{asked.pk}/items/"))["code"] == "permission_denied"
            assert problem(client.get(f"jobs/{job.pk}/download/"))["code"] == "permission_denied"

    def test_names_what_is_missing_for_a_token_and_for_a_session(self, found):
        job, _ = found
        scoped = ApiClient(make_user("support", "view_payload"), scopes=["jobs:run", "messages:read"])
        assert self.filter_of(scoped, job) == "•••"
        assert problem(scoped.get(f"jobs/{job.pk}/items/"))["scope"] == "payload:read"
        masked = client_of("support", "view_payload", username="bob")
        refused = problem(masked.get(f"{BASE}jobs/{job.pk}/items/"))
        assert refused["code"] == "reveal_required"

    def test_shows_both_to_readers_of_payloads(self, found):
        job, msg_id = found
        client = caller("support", "view_payload")
        assert self.filter_of(client, job) == WORD
        assert [row["msg_id"] for row in client.get(f"jobs/{job.pk}/items/").json()["results"]] == [msg_id]

    def test_does_not_change_other_jobs(self):
        job = Job.objects.create(kind="restart", state="done", filter={"state": "FAILED"}, attempt=1)
        assert caller("support").get(f"jobs/{job.pk}/items/").status_code == 200


class TestPages:
    def paths(self, job: Job, msg_id: int) -> list[str]:
        return ["/jobs/", f"/jobs/{job.pk}/", f"/jobs/{job.pk}/progress/", f"/jobs/of-message/{msg_id}/"]

    def told(self, client: Client, job: Job, msg_id: int) -> set[str]:
        """Return the pages that show the search text, or that the message was found."""
        found = set()
        for path in self.paths(job, msg_id):
            page = text_of(client.get(path))
            link = f"/jobs/{job.pk}/" if "of-message" in path else f"/messages/{msg_id}/"
            if WORD in page or link in page:
                found.add(path)
        return found

    def test_reveal_neither_the_word_nor_the_messages_to_masked_readers(self, found):
        assert self.told(client_of("admin", "view_payload"), *found) == set()
        assert self.told(client_of("admin", username="bob"), *found) == set()

    def test_report_both_while_values_are_shown(self, found):
        assert self.told(reader_of("admin"), *found) == set(self.paths(*found))

    def test_give_no_ledger_and_no_file_to_masked_readers(self, found):
        job, msg_id = found
        for path in (f"/jobs/{job.pk}/ledger/", f"/jobs/{job.pk}/download/"):
            assert client_of("admin", username=path[-20:-1]).get(path).status_code == 403
        lines = b"".join(reader_of("admin").get(f"/jobs/{job.pk}/ledger/").streaming_content)
        assert str(msg_id).encode() in lines

    def test_explain_why_the_messages_are_hidden(self, found):
        job, _ = found
        page = text_of(client_of("support").get(f"/jobs/{job.pk}/"))
        assert "The messages of this job are hidden" in page


class TestSchedules:
    @pytest.fixture
    def schedule(self) -> JobSchedule:
        return JobSchedule.objects.create(
            kind="restart", filter=SEARCH, options={}, cron="30 2 * * *", zone="UTC", reason="r"
        )

    def test_mask_the_word_and_are_not_changed_by_users_who_may_not_search(self, schedule):
        client = client_of("admin")
        assert WORD not in text_of(client.get("/schedules/"))
        assert client.get(f"/schedules/{schedule.pk}/").status_code == 403
        reader = reader_of("admin", username="bob")
        assert WORD in text_of(reader.get("/schedules/"))
        assert reader.get(f"/schedules/{schedule.pk}/").status_code == 200


class TestAudit:
    def test_does_not_contain_the_search_text(self, found):
        job, _ = found
        assert AuditEntry.objects.get(job_id=job.pk).details["filter"]["payload_contains"] == "•••"
