"""Messages that a job does not resend: large ones, refused rows, those of other jobs, after a lost right."""

import pytest
from django.contrib.auth.models import Group

from messages_app.jobs.kinds.registry import spec_of
from messages_app.jobs.kinds.spec import JobRequest
from messages_app.jobs.models import Job
from messages_app.jobs.preview.quick import preview_job
from messages_app.jobs.selectors import job_progress
from messages_app.jobs.services.create import create_job
from messages_app.jobs.services.retry_undo import retry_failed
from messages_app.messages.models import ArchiveMessage, Message, ResentMessage
from messages_app.shared.job_states import JobState
from tests.messages_app.messages.corrections.test_services_refused_by_hub import hub_trigger
from tests.support.api_client import caller, problem
from tests.support.factories import make_archived_message, make_message
from tests.support.jobs import WHY, new_job, plan_only, run, work

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("spark_remote")]

SET = {"state": "FAILED"}
CHANGE = {"find": "7", "replace": "8"}
WRONG, RIGHT = "<a>7</a>", "<a>8</a>"
EDITOR = ("operator", "view_payload", "edit_payload")
BODY = {"kind": "resend", "filter": SET, "options": CHANGE, "reason": "wrong number"}


def make_wrong(count: int = 1, payload: str = WRONG) -> list[int]:
    return [make_message(state="FAILED", payload=payload).pk for _ in range(count)]


def sent_messages() -> list[int]:
    return sorted(ResentMessage.objects.values_list("original_id", flat=True))


class TestTooLarge:
    # The correction of the first exceeds a megabyte; the second does so already.
    LARGE = ("<a>" + "7" * 60 + "</a>", "<a>" + "7" * 1_000_000 + "</a>")
    GROWS = {"find": "7", "replace": "8" * 20_000}

    def test_is_skipped_with_its_reason_in_ledger_dry_run_and_preview(self):
        (fits,) = make_wrong()
        large = [make_wrong(payload=payload)[0] for payload in self.LARGE]
        request = JobRequest(spec=spec_of("resend"), filter={"state": "FAILED"}, options=self.GROWS)
        preview = preview_job(request)
        assert (preview["to_do"], preview["to_do_between"], preview["skipped"]) == (
            1,
            (1, 1),
            {"too_large": 2},
        )

        report = work(new_job("resend", SET, dry_run=True, **self.GROWS)).job.report
        assert (report["planned"], report["skipped"]) == (3, {"too_large": 2})
        assert report["changes"]["refused"] == {"too_large": 2}

        progress = run("resend", SET, **self.GROWS)
        assert dict(progress.outcomes) == {"done": 1, "skipped:too_large": 2}
        assert sent_messages() == [fits]
        assert set(Message.objects.filter(pk__in=large).values_list("state", flat=True)) == {"FAILED"}

    def test_that_became_so_after_the_plan_is_skipped(self):
        (grown,) = make_wrong()
        job = new_job("resend", SET, **CHANGE)
        plan_only(job)
        Message.objects.filter(pk=grown).update(payload=self.LARGE[1])
        assert dict(work(job).outcomes) == {"skipped:too_large": 1}

    def test_many_large_payloads_are_sent_in_parts(self):
        large = make_wrong(20, payload="<a>7" + "x" * 990_000 + "</a>")
        assert run("resend", SET, **CHANGE).done == 20
        assert sent_messages() == large


class TestHub:
    @pytest.mark.parametrize(
        ("when", "body"),
        [
            ("BEFORE INSERT", "IF new.payload LIKE '%%bad%%' THEN RETURN NULL; END IF; RETURN new;"),
            ("AFTER INSERT", "IF new.payload LIKE '%%bad%%' THEN RAISE 'no'; END IF; RETURN NULL;"),
            ("BEFORE UPDATE", "IF old.payload LIKE '%%bad%%' THEN RETURN NULL; END IF; RETURN new;"),
        ],
    )
    def test_that_refuses_one_row_by_a_trigger_fails_this_one_only(self, when, body):
        wrong = make_wrong(4)
        (refused,) = make_wrong(payload="<a>7 bad</a>")
        with hub_trigger(when, body.replace("%%", "%")):
            progress = run("resend", SET, **CHANGE)
        assert progress.job.state == JobState.DONE
        assert dict(progress.outcomes) == {"done": 4, "failed:trigger": 1}
        assert sent_messages() == wrong
        assert Message.objects.get(pk=refused).state == "FAILED"
        assert Message.objects.filter(state="POSTPONED").count() == 4
        assert dict(work(retry_failed(job_id=progress.job.pk, user=None, **WHY)).outcomes) == {"done": 1}
        assert sent_messages() == [*wrong, refused]

    def test_that_deletes_or_archives_a_message_after_the_plan(self):
        kept, deleted, archived = make_wrong(3)
        job = new_job("resend", SET, **CHANGE)
        plan_only(job)
        Message.objects.filter(pk__in=[deleted, archived]).delete()
        make_archived_message(msg_id=archived, state="FAILED", payload=WRONG)
        assert dict(work(job).outcomes) == {"done": 1, "skipped:archived": 1, "skipped:vanished": 1}
        assert sent_messages() == [kept]
        assert ArchiveMessage.objects.get().state == "FAILED"

    def test_that_restarts_and_fails_a_message_again_gets_it_corrected_once(self):
        (msg_id,) = make_wrong()
        job = new_job("resend", SET, **CHANGE)
        plan_only(job)
        for state in ("PARTLY_FAILED", "PROCESSING", "FAILED"):
            Message.objects.filter(pk=msg_id).update(state=state)
        assert work(job).done == 1
        assert sent_messages() == [msg_id]


class TestTwice:
    def test_the_same_request_makes_one_job(self):
        make_wrong(2)
        editor = caller(*EDITOR)
        first, again = (editor.post("jobs/", BODY, Idempotency_Key="k-1") for _ in range(2))
        assert (first.status_code, again.status_code) == (202, 202)
        assert first.json()["job_id"] == again.json()["job_id"]
        assert Job.objects.count() == 1

    def test_a_second_job_leaves_the_messages_to_the_first(self):
        wrong = make_wrong(2)
        first, second = (new_job("resend", SET, **CHANGE) for _ in range(2))
        plan_only(first)
        assert dict(work(second).outcomes) == {"skipped:in_job": 2}
        assert work(first).done == 2
        assert sent_messages() == wrong
        assert dict(run("resend", {"state": "CANCEL"}, **CHANGE).outcomes) == {"skipped:state_conflict": 2}

    def test_an_originals_correction_is_not_sent_again_by_another_kind_of_change(self):
        make_wrong()
        assert run("resend", SET, cancel_original=False, **CHANGE).done == 1
        progress = run("resend", SET, path="//a", value="9")
        assert dict(progress.outcomes) == {"skipped:already_resent": 1}
        assert Message.objects.count() == 2


class TestRightsLost:
    @pytest.mark.parametrize("group", ["edit_payload", "view_payload"])
    def test_before_the_job_runs_send_nothing(self, group):
        make_wrong(2)
        ada = caller(*EDITOR)
        job = Job.objects.get(pk=ada.post("jobs/", BODY).json()["job_id"])
        plan_only(job)
        ada.user.groups.remove(Group.objects.get(name=group))
        progress = work(job)
        assert progress.job.state == JobState.FAILED
        assert "permission" in progress.job.error
        assert dict(progress.outcomes) == {"failed:right_lost": 2}
        assert sent_messages() == []
        assert set(Message.objects.values_list("state", flat=True)) == {"FAILED"}

    def test_of_the_creator_before_the_approval_sends_nothing(self, settings):
        settings.RESEND_GUARD = "second_person"
        make_wrong()
        ada = caller(*EDITOR)
        job = Job.objects.get(pk=ada.post("jobs/", BODY).json()["job_id"])
        assert work(job).job.state == JobState.PLANNED
        ada.user.groups.remove(Group.objects.get(name="edit_payload"))
        bob = caller(*EDITOR, username="bob")
        bob.post(f"jobs/{job.pk}/approve/", {"reason": "checked"})
        assert dict(work(job).outcomes) == {"failed:right_lost": 1}
        assert sent_messages() == []

    def test_of_the_approver_refuses_the_approval(self, settings):
        settings.RESEND_GUARD = "second_person"
        make_wrong()
        job = Job.objects.get(pk=caller(*EDITOR).post("jobs/", BODY).json()["job_id"])
        work(job)
        bob = caller(*EDITOR, username="bob")
        bob.user.groups.remove(Group.objects.get(name="view_payload"))
        answer = bob.post(f"jobs/{job.pk}/approve/", {"reason": "checked"})
        assert problem(answer)["status"] == 403
        assert job_progress(job.pk).job.state == JobState.PLANNED


class TestInput:
    @pytest.mark.parametrize(
        ("options", "field"),
        [
            ({"path": "//o:a", "value": "1"}, "options.path"),
            ({"path": "//a | //b", "value": "1"}, "options.path"),
            ({"path": "//a[", "value": "1"}, "options.path"),
            ({"path": "sum(//a)", "value": "1"}, "options.path"),
            ({"path": "$.a[", "value": "1"}, "options.path"),
            ({"path": "", "value": "1"}, "options.path"),
            ({"path": "//a", "value": "•••"}, "options.value"),
            ({"path": "//" + "a" * 400, "value": "1"}, "options.path"),
            ({"replace": "a"}, "options.find"),
        ],
    )
    def test_that_is_wrong_is_named(self, options, field):
        make_wrong()
        answer = problem(caller(*EDITOR).post("jobs/", BODY | {"options": options}))
        assert answer["status"] == 400
        assert [error["field"] for error in answer["errors"]] == [field]
        assert not Job.objects.exists()

    @pytest.mark.parametrize(
        "change",
        [
            {"find": "not there", "replace": ""},
            {"path": "//none", "value": "1"},
            {"path": "$.a", "value": "1"},
        ],
    )
    def test_that_finds_nothing_ends_with_the_reason(self, change):
        make_wrong(2)
        progress = run("resend", SET, **change)
        assert progress.job.state == JobState.DONE
        assert dict(progress.outcomes) == {"skipped:unchanged": 2}

    @pytest.mark.parametrize("text", ["a\0", "\ud800"])
    @pytest.mark.parametrize("name", ["find", "replace"])
    def test_that_postgresql_cannot_store_is_refused(self, name, text):
        answer = problem(caller(*EDITOR).post("jobs/", BODY | {"options": CHANGE | {name: text}}))
        assert answer["status"] == 400
        assert answer["detail"].startswith(f"options.{name} must not contain ")
        assert not Job.objects.exists()

    def test_a_value_that_xml_cannot_have_is_skipped(self):
        make_wrong()
        assert dict(run("resend", SET, path="//a", value="\x01").outcomes) == {"skipped:not_well_formed": 1}

    def test_create_job_refuses_an_empty_set_of_options(self):
        with pytest.raises(Exception, match="Enter the text to find, or a path"):
            create_job(kind="resend", filter=SET, options={}, dry_run=False, user=None, **WHY)
