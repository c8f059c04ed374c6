"""Jobs that correct payloads by find and replace and resend the messages, on real Spark."""

import pytest
from django.test import Client

from messages_app.audit.models import AuditEntry
from messages_app.jobs.models import Job
from messages_app.jobs.selectors import job_progress
from messages_app.jobs.services.control import pause_job, resume_job, stop_job
from messages_app.jobs.services.create import create_job
from messages_app.jobs.services.retry_undo import retry_failed
from messages_app.messages.models import Message, ResentMessage
from messages_app.shared.job_states import JobState
from tests.messages_app.jobs.engine.test_runner import sweep_until_ended
from tests.messages_app.messages.corrections.expected import COPIED, EMPTY
from tests.support.api_client import caller, problem
from tests.support.eventually import eventually
from tests.support.factories import make_message
from tests.support.jobs import WHY, new_job, plan_only, refusing_rows, run, work
from tests.support.page_client import client_of
from tests.support.workers import kill

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("spark_remote")]

SET = {"state": "FAILED"}
CHANGE = {"find": "<customer>7</customer>", "replace": "<customer>8</customer>"}
WRONG = "<order><customer>7</customer></order>"
RIGHT = "<order><customer>8</customer></order>"


def make_wrong(count: int = 1, **columns: object) -> list[int]:
    return [make_message(state="FAILED", payload=WRONG, **columns).pk for _ in range(count)]


class TestResending:
    def test_sends_what_it_can_correct_and_gives_the_reason_for_the_rest(self):
        wrong = make_wrong(3, funnel_value="f", failed_count=4, failed_desc="E102", object_id="o")
        same = make_message(state="FAILED", payload="<order/>").pk
        broken = make_message(state="FAILED", payload=f"<a>{WRONG}").pk
        masked = make_message(state="FAILED", payload=f"<a>•••{WRONG}</a>").pk
        others = [make_message(state="OK", payload=WRONG).pk, make_message(state="NEW", payload=WRONG).pk]

        progress = run("resend", {"state": "FAILED,OK,NEW"}, **CHANGE)

        assert progress.job.state == JobState.DONE
        assert dict(progress.outcomes) == {
            "done": 3,
            "skipped:unchanged": 1,
            "skipped:state_conflict": 2,
            "skipped:not_well_formed": 1,
            "skipped:masked": 1,
        }
        links = dict(ResentMessage.objects.values_list("original_id", "msg_id"))
        assert sorted(links) == wrong
        assert set(ResentMessage.objects.values_list("job_id", flat=True)) == {progress.job.pk}
        for original_id, msg_id in links.items():
            original = Message.objects.filter(pk=original_id).values().get()
            sent = Message.objects.filter(pk=msg_id).values().get()
            assert (original["state"], sent["state"]) == ("CANCEL", "POSTPONED")
            assert (sent["payload"], sent["failed_count"]) == (RIGHT, 0)
            assert sent["correlation_id"] == f"{original['correlation_id']}_r{msg_id}"
            assert {name: sent[name] for name in COPIED} == {name: original[name] for name in COPIED}
            assert not any(sent[name] for name in EMPTY)
        assert set(Message.objects.filter(pk__in=[same, broken, masked]).values_list("state", flat=True)) == {
            "FAILED"
        }
        assert Message.objects.filter(pk__in=others, state__in=["OK", "NEW"]).count() == 2

    def test_its_ledger_links_each_original_to_its_new_message(self):
        (wrong,), same = make_wrong(), make_message(state="FAILED", payload="<order/>").pk
        job = run("resend", SET, **CHANGE).job
        sent = ResentMessage.objects.get().msg_id
        items = caller("support").get(f"jobs/{job.pk}/items/").json()["results"]
        assert [(item["msg_id"], item["resent_as"]) for item in items] == [(wrong, sent), (same, None)]
        client = client_of("support", username="eve")
        table = client.get(f"/jobs/{job.pk}/").content.decode().partition('id="ledger-table"')[2]
        assert "New message" in table
        assert f'href="/messages/{sent}/"' in table
        assert "POSTPONED" in table
        one = client.get(f"/jobs/{job.pk}/?msg_id={wrong}").content.decode()
        assert f'href="/messages/{sent}/"' in one.partition('id="ledger-table"')[2]
        lines = client.get(f"/jobs/{job.pk}/ledger/").getvalue().decode().splitlines()
        assert f"{wrong},{wrong},FAILED,CANCEL,done,,{sent}" in lines
        Message.objects.filter(pk=sent).delete()
        assert "deleted" in client.get(f"/jobs/{job.pk}/").content.decode()

    def test_leaves_the_originals_if_asked(self):
        (msg_id,) = make_wrong()
        assert run("resend", SET, cancel_original=False, **CHANGE).done == 1
        assert Message.objects.get(pk=msg_id).state == "FAILED"
        again = run("resend", SET, cancel_original=False, **CHANGE)
        assert dict(again.outcomes) == {"skipped:already_resent": 1}
        assert Message.objects.count() == 2

    def test_needs_no_other_confirmation_for_messages_that_it_skips(self):
        make_wrong()
        for _ in range(30):
            make_message(state="FAILED", payload="<order/>")
        job = create_job(
            kind="resend", filter=SET, options=CHANGE, dry_run=False, user=None, confirmed=1, **WHY
        )
        assert dict(work(job).outcomes) == {"done": 1, "skipped:unchanged": 30}

    def test_sends_only_the_frozen_set(self):
        first, moved = make_wrong(2)
        job = new_job("resend", SET, **CHANGE)
        plan_only(job)
        later = make_wrong()
        Message.objects.filter(pk=moved).update(state="PARTLY_FAILED")
        progress = work(job)
        assert dict(progress.outcomes) == {"done": 1, "skipped:moved_on": 1}
        assert list(ResentMessage.objects.values_list("original_id", flat=True)) == [first]
        assert Message.objects.get(pk=later[0]).state == "FAILED"

    def test_a_dry_run_shows_the_kinds_of_changes_and_writes_nothing(self):
        wrong = make_wrong(2)
        make_message(state="FAILED", payload='{"customer": "<customer>7</customer>"}')
        make_message(state="FAILED", payload="<order/>")
        job = new_job("resend", SET, dry_run=True, **CHANGE)
        progress = work(job)
        assert progress.job.state == JobState.PLANNED
        changes = progress.job.report["changes"]
        assert changes == {
            "looked_at": 4,
            "changed": 3,
            "refused": {"unchanged": 1},
            "kinds": [
                {"place": "customer", "messages": 1, "example": wrong[1] + 1},
                {"place": "order/customer", "messages": 2, "example": wrong[0]},
            ][::-1],
            "hidden": 0,
        }
        assert progress.job.report["skipped"] == {"unchanged": 1}
        assert not ResentMessage.objects.exists()
        assert Message.objects.count() == 4

    def test_sets_the_values_of_a_path(self):
        make_wrong()
        assert run("resend", SET, path="//customer", value="8").done == 1
        assert Message.objects.get(state="POSTPONED").payload == RIGHT

    def test_retries_what_the_database_refused_and_sends_nothing_else(self):
        first, second = make_wrong(2)
        with refusing_rows("resent_message", "original_id = %s", [second]):
            progress = run("resend", SET, **CHANGE)
        assert dict(progress.outcomes) == {"done": 1, "failed:no_change": 1}
        Message.objects.filter(pk=first).update(state="FAILED")
        retry = retry_failed(job_id=progress.job.pk, user=None, **WHY)
        assert dict(work(retry).outcomes) == {"done": 1}
        assert sorted(ResentMessage.objects.values_list("original_id", flat=True)) == [first, second]
        assert Message.objects.filter(payload=RIGHT).count() == 2

    def test_sends_nothing_after_a_stop_and_nothing_twice_after_a_pause(self):
        make_wrong(3)
        job = new_job("resend", SET, **CHANGE)
        plan_only(job)
        pause_job(job_id=job.pk, **WHY)
        assert work(job).done == 0
        resume_job(job_id=job.pk, **WHY)
        assert work(job).done == 3
        assert work(job).done == 3
        stopped = new_job("resend", {"state": "FAILED,CANCEL"}, **CHANGE)
        plan_only(stopped)
        stop_job(job_id=stopped.pk, **WHY)
        work(stopped)
        assert Message.objects.filter(payload=RIGHT).count() == 3

    def test_records_no_content(self):
        make_wrong()
        job = run("resend", SET, **CHANGE).job
        entries = AuditEntry.objects.filter(job_id=job.pk)
        assert entries.exists()
        assert "<customer>" not in str([(entry.details, entry.reason) for entry in entries])

    def test_sends_nothing_twice_when_its_worker_is_killed(self, start_worker):
        wrong = make_wrong(40)
        worker = start_worker()
        job = new_job("resend", SET, rate=20, **CHANGE)
        eventually(lambda: ResentMessage.objects.count() >= 5, seconds=90)
        kill(worker)
        assert Job.objects.get(pk=job.pk).state == JobState.RUNNING
        start_worker()
        eventually(lambda: sweep_until_ended(job), seconds=120)
        assert job_progress(job.pk).done == 40
        assert sorted(ResentMessage.objects.values_list("original_id", flat=True)) == wrong
        assert Message.objects.filter(payload=RIGHT).count() == 40
        assert Message.objects.count() == 80


class TestRights:
    @pytest.mark.parametrize("roles", [("admin", "view_payload"), ("operator", "edit_payload")])
    def test_both_rights_are_needed(self, roles):
        body = {"kind": "resend", "filter": SET, "options": CHANGE, "reason": "r"}
        answer = caller(*roles).post("jobs/", body)
        assert problem(answer)["status"] == 403
        assert not Job.objects.exists()

    @pytest.mark.parametrize(
        ("options", "field"),
        [
            ({}, "options.find"),
            ({"find": ""}, "options.find"),
            ({"find": "a"}, "options.replace"),
            ({"find": "a", "replace": None}, "options.replace"),
            ({"find": 7}, "options.find"),
            ({"find": "•••"}, "options.find"),
            ({"find": "a", "replace": "•••"}, "options.replace"),
            ({"find": "a", "replace": "x" * 20_001}, "options.replace"),
            ({"find": "a", "path": "//b"}, "options.path"),
            ({"find": "a", "value": "b"}, "options.value"),
            ({"path": "//b"}, "options.value"),
            ({"path": "count(//b)", "value": "1"}, "options.path"),
            ({"path": "string(//b)", "value": "1"}, "options.path"),
            ({"path": "$", "value": "1"}, "options.path"),
            ({"find": "a", "replace": "", "cancel_original": "no"}, "options.cancel_original"),
        ],
    )
    def test_bad_options_are_named(self, options, field):
        body = {"kind": "resend", "filter": SET, "options": options, "reason": "r"}
        answer = problem(caller("operator", "view_payload", "edit_payload").post("jobs/", body))
        assert answer["status"] == 400
        assert [error["field"] for error in answer["errors"]] == [field]

    def test_texts_are_masked_for_others(self, settings):
        settings.REVEAL_MINUTES = None
        editor = caller("operator", "view_payload", "edit_payload")
        body = {"kind": "resend", "filter": SET, "options": CHANGE, "reason": "r", "dry_run": True}
        job_id = editor.post("jobs/", body).json()["job_id"]
        assert editor.get(f"jobs/{job_id}/").json()["options"]["find"] == CHANGE["find"]
        reader = caller("support", username="eve")
        assert reader.get(f"jobs/{job_id}/").json()["options"]["find"] == "•••"
        client = Client()
        client.force_login(reader.user)
        page = client.get(f"/jobs/{job_id}/").content.decode()
        assert "customer&gt;7" not in page
        assert "•••" in page
