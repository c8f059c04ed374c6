"""A second person approves corrections, of many messages and of one."""

import html
import re
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection
from django.test import Client

from messages_app.audit.models import AuditEntry
from messages_app.jobs.models import Job
from messages_app.messages.models import Message, ResentMessage
from messages_app.shared.job_states import JobState
from tests.support.api_client import ApiClient, caller, problem
from tests.support.factories import make_message
from tests.support.jobs import work
from tests.support.page_client import client_of

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("spark_remote", "_second_person"),
]

EDITOR = ("operator", "view_payload", "edit_payload")
WRONG = "<order><customer>7</customer><items>7</items></order>"
RIGHT = "<order><customer>8</customer><items>7</items></order>"
BODY = {
    "kind": "resend",
    "filter": {"state": "FAILED"},
    "options": {"find": "<customer>7<", "replace": "<customer>8<"},
    "reason": "wrong customer",
}


@pytest.fixture
def _second_person(settings):
    settings.RESEND_GUARD = "second_person"
    settings.REVEAL_MINUTES = None


@pytest.fixture
def failed() -> Message:
    return make_message(state="FAILED", payload=WRONG)


def propose(ada: ApiClient) -> Job:
    """Create a job as ada, and freeze its set."""
    job = Job.objects.get(pk=ada.post("jobs/", BODY).json()["job_id"])
    assert work(job).job.state == JobState.PLANNED
    return job


def approve(client: ApiClient, job: Job):
    return client.post(f"jobs/{job.pk}/approve/", {"reason": "checked"})


class TestManyMessages:
    def test_sends_nothing_before_another_user_with_both_rights_has_approved(self, failed):
        ada = caller(*EDITOR)
        job = propose(ada)
        assert problem(approve(ada, job))["status"] == 403
        for username, role in (("eve", "view_payload"), ("jan", "edit_payload")):
            assert problem(approve(caller("operator", role, username=username), job))["status"] == 403
        assert work(job).job.state == JobState.PLANNED
        assert Message.objects.count() == 1
        assert approve(caller(*EDITOR, username="bob"), job).status_code == 200
        assert work(job).done == 1
        failed.refresh_from_db()
        assert (failed.state, Message.objects.get(state="POSTPONED").payload) == ("CANCEL", RIGHT)
        users = AuditEntry.objects.filter(job_id=job.pk, outcome="done").values_list("action", "actor")
        assert {("resend", "ada"), ("approve_job", "bob")} <= set(users)

    def test_two_approvers_in_parallel_send_it_once(self, failed):
        job = propose(caller(*EDITOR))
        approvers = [caller(*EDITOR, username=name) for name in ("bob", "eve")]
        barrier = Barrier(2)

        def approve_in_parallel(client: ApiClient) -> int:
            barrier.wait(10)
            try:
                return approve(client, job).status_code
            finally:
                connection.close()

        with ThreadPoolExecutor(2) as pool:
            assert sorted(pool.map(approve_in_parallel, approvers)) == [200, 409]
        assert work(job).done == 1
        assert ResentMessage.objects.count() == 1

    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            ({"state": "PARTLY_FAILED"}, "moved_on"),
            ({"state": "OK"}, "moved_on"),
            ({"payload": RIGHT}, "unchanged"),
        ],
    )
    def test_skips_a_message_that_changed_before_the_approval(self, failed, change, reason):
        job = propose(caller(*EDITOR))
        Message.objects.filter(pk=failed.pk).update(**change)
        approve(caller(*EDITOR, username="bob"), job)
        assert dict(work(job).outcomes) == {f"skipped:{reason}": 1}
        assert Message.objects.count() == 1

    def test_the_page_shows_the_changes_to_users_who_see_payloads(self, failed):
        job = propose(caller(*EDITOR))
        page = client_of(*EDITOR, username="bob").get(f"/jobs/{job.pk}/").content.decode()
        assert "order/customer" in page
        assert "<ins>&lt;customer&gt;8&lt;</ins" in page
        assert "Approve" in page
        client = Client()
        client.force_login(caller("operator", username="eve").user)
        masked = client.get(f"/jobs/{job.pk}/").content.decode()
        assert "order/customer" in masked
        assert "customer&gt;8" not in masked

    def test_the_list_of_jobs_names_the_ones_that_wait(self, failed):
        propose(caller(*EDITOR))
        assert "needs approval" in client_of(*EDITOR, username="bob").get("/jobs/").content.decode()


class TestNewJob:
    def test_shows_each_kind_of_change_before_anything_is_queued(self, failed):
        make_message(state="FAILED", payload="<order/>")
        client = client_of(*EDITOR)
        page = "/jobs/new/?kind=resend&state=FAILED"
        empty = client.get(page).content.decode()
        assert "Changes to payloads" not in empty
        assert not re.search(r"would be resent\s*<|Resend\s+\d", empty)
        assert "Enter the text to find, or a path. Then select" in empty
        shown = client.get(page, {"kind": "resend", "state": "FAILED", **BODY["options"]}).content.decode()
        assert "1 of 2 read would be sent" in shown
        assert re.search(r"Resend\s+1\s+message ", shown)
        assert "order/customer" in shown
        assert "<ins>&lt;customer&gt;8&lt;</ins" in shown
        assert AuditEntry.objects.filter(action="view_payload", msg_id=failed.pk).count() == 1
        assert not Job.objects.exists()

    def test_names_the_skipped_messages_once(self, failed):
        make_message(state="FAILED", payload="<order/>")
        parameters = {"kind": "resend", "state": "FAILED", **BODY["options"]}
        shown = client_of(*EDITOR).get("/jobs/new/", parameters).content.decode()
        assert shown.count("The correction does not change its payload") == 1
        assert "Why skipped</h3>" in shown

    @pytest.mark.parametrize(
        ("options", "fault"),
        [
            ({"path": "count(//b)", "value": "1"}, "The function count() is not supported."),
            ({"path": "//b[", "value": "1"}, "This is not a valid XPath"),
            ({"path": "$.a[", "value": "1"}, "JSONPath"),
            ({"find": "a", "path": "//b"}, "Enter a text to find or a path, not both."),
            ({"find": "•••"}, "It has a masked value (•••). Enter the real one."),
            ({"find": "a\0"}, "Null characters are not allowed."),
            ({"find": "a" * 20_001}, "Ensure this value has at most 20000 characters"),
        ],
    )
    def test_shows_what_is_wrong_next_to_the_field(self, failed, options, fault):
        client = client_of(*EDITOR)
        answer = client.get("/jobs/new/", {"kind": "resend", "state": "FAILED", **options})
        page = answer.content.decode()
        assert answer.status_code == 400
        assert fault in html.unescape(page)
        assert not re.search(r"Resend\s+\d", page)

    def test_shows_a_long_text_again_without_an_address(self, failed):
        client = client_of(*EDITOR)
        page = client.get("/jobs/new/?kind=resend&state=FAILED")
        form = {"shown": page.context["seen"].seal(), "look": "true", "cancel_original": "on"}
        answer = client.post("/jobs/new/", form | {"find": "<customer>7<", "replace": "x" * 15_000})
        assert answer.status_code == 200
        assert re.search(r"Resend\s+1\s+message ", answer.content.decode())
        wrong = client.post("/jobs/new/", form | {"path": "count(//a)"})
        assert wrong.status_code == 400
        assert "The function count() is not supported." in wrong.content.decode()

    def test_finds_lines_that_a_browser_sends(self, failed):
        Message.objects.filter(pk=failed.pk).update(payload="<a>\n<b>7</b>\n</a>")
        text = {"find": "<a>\r\n<b>7", "replace": "<a>\r\n<b>8"}
        page = client_of(*EDITOR).get("/jobs/new/", {"kind": "resend", "state": "FAILED", **text})
        assert re.search(r"Resend\s+1\s+message ", page.content.decode())

    def test_an_empty_value_of_a_path_removes_the_values(self, failed):
        parameters = {"kind": "resend", "state": "FAILED", "path": "//customer", "value": ""}
        client = client_of(*EDITOR)
        page = client.get("/jobs/new/", parameters)
        assert re.search(r"Resend\s+1\s+message ", page.content.decode())
        form = {"shown": page.context["seen"].seal(), "reason": "r", "cancel_original": "on", **parameters}
        assert client.post("/jobs/new/", form).status_code == 302
        assert Job.objects.get().options["value"] == ""


class TestOneMessage:
    def test_is_proposed_on_its_page_and_sent_after_the_approval(self, failed):
        ada = client_of(*EDITOR, username="ada")
        path = f"/jobs/corrections/{failed.pk}/"
        assert f'action="{path}"' in ada.get(f"/messages/{failed.pk}/resend/").content.decode()
        form = {"payload": RIGHT, "step": "review"}
        review = ada.post(path, form)
        assert "Propose" in review.content.decode()
        form |= {"step": "send", "reason": "wrong customer", "reviewed": review.context["digest"]}
        answer = ada.post(path, form | {"cancel_original": "on"})
        job = Job.objects.get()
        assert (answer.status_code, answer.headers["Location"]) == (302, f"/jobs/{job.pk}/")
        assert work(job).job.state == JobState.PLANNED
        assert Message.objects.count() == 1
        approve(caller(*EDITOR, username="bob"), job)
        assert work(job).done == 1
        assert Message.objects.get(state="POSTPONED").payload == RIGHT
        failed.refresh_from_db()
        assert failed.state == "CANCEL"

    def test_is_not_sent_without_a_job(self, failed):
        ada = caller(*EDITOR)
        answer = problem(ada.post(f"messages/{failed.pk}/resend/", {"payload": RIGHT, "reason": "r"}))
        assert (answer["status"], answer["code"]) == (409, "approval_required")
        page = client_of(*EDITOR, username="jan")
        review = page.post(f"/messages/{failed.pk}/resend/", {"payload": RIGHT, "step": "review"})
        form = {"payload": RIGHT, "step": "send", "reason": "r", "reviewed": review.context["digest"]}
        assert page.post(f"/messages/{failed.pk}/resend/", form).status_code == 409
        assert Message.objects.count() == 1

    def test_is_refused_without_the_right(self, failed):
        client = client_of("operator", username="eve")
        form = {"payload": RIGHT, "step": "send", "reason": "r"}
        assert client.post(f"/jobs/corrections/{failed.pk}/", form).status_code == 403
        assert not Job.objects.exists()
