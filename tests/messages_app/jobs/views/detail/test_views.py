import re

import pytest
from django.db.models.functions import Now
from django.http import QueryDict

from messages_app.audit import services as audit
from messages_app.jobs.models import JobChunk
from messages_app.jobs.stores.messages import ITEMS as MESSAGES
from messages_app.messages.models import Message
from messages_app.shared.job_states import FINAL_STATES, JobKind, JobState
from tests.messages_app.jobs.stored_jobs import make_half_done_job, make_job, make_restart
from tests.support.factories import make_archived_message, make_message
from tests.support.ledgers import store_ledger
from tests.support.page_client import client_of, text_of

pytestmark = pytest.mark.django_db


class TestJobPage:
    def test_shows_progress_and_report(self):
        job = make_half_done_job()
        response = client_of("admin").get(f"/jobs/{job.pk}/")
        page = text_of(response)
        assert 'aria-valuenow="50"' in page
        assert [(share.name, share.count) for share in response.context["shares"]] == [
            ("done", 2),
            ("skipped", 1),
            ("failed", 1),
        ]
        assert "Changed after it was selected" in page
        assert "uq_x" in page
        assert response.context["rows"] == [("message", 2), ("request", 3)]

    @pytest.mark.parametrize(
        ("state", "dry_run", "is_steady"),
        [
            *((state, False, state in FINAL_STATES) for state in JobState),
            (JobState.PLANNING, True, False),
            (JobState.PLANNED, True, True),
        ],
    )
    def test_is_refreshed_only_while_it_changes(self, state, dry_run, is_steady):
        job = make_job(state=state, dry_run=dry_run)
        client = client_of("admin")
        page = text_of(client.get(f"/jobs/{job.pk}/"))
        part = client.get(f"/jobs/{job.pk}/progress/")
        assert ('hx-trigger="every 2s' in page) != is_steady
        assert (part.headers["HX-Retarget"] == "#content") == is_steady
        assert ('hx-trigger="every 2s' in text_of(part)) != is_steady

    @pytest.mark.parametrize("job_id", ["0", str(2**63), "abc", "9" * 400])
    def test_does_not_exist_for_an_unknown_id(self, job_id):
        assert client_of("admin").get(f"/jobs/{job_id}/").status_code == 404

    @pytest.mark.parametrize(
        ("kind", "role", "may"),
        [
            (JobKind.RESTART, "operator", True),
            (JobKind.RESTART, "support", False),
            (JobKind.ARCHIVE, "operator", False),
            (JobKind.ARCHIVE, "admin", True),
        ],
    )
    def test_offers_buttons_to_users_who_may_press_them(self, kind, role, may):
        job = make_half_done_job(kind=kind)
        page = text_of(client_of(role).get(f"/jobs/{job.pk}/"))
        for name in ("pause", "stop", "rate"):
            assert (f'action="/jobs/{job.pk}/{name}/"' in page) == may

    def test_shows_the_actions_of_users_but_not_of_its_chunks(self):
        job = make_half_done_job(kind=JobKind.RESTART)
        ada = audit.Actor(username="ada")
        for action in ("pause_job", "restart", "resume_job"):
            audit.record_entry(actor=ada, action=action, job_id=job.pk)
        activity = client_of("support").get(f"/jobs/{job.pk}/").context["activity"]
        assert [entry.action for entry in activity] == ["pause_job", "resume_job"]

    def test_names_the_user_who_has_stopped_it_with_the_reason(self):
        job = make_half_done_job(kind=JobKind.RESTART, state=JobState.STOPPED)
        for actor, outcome, reason in [("ada", "done", "wrong month"), ("mallory", "refused", "no")]:
            audit.record_entry(
                actor=audit.Actor(username=actor),
                action="stop_job",
                outcome=outcome,
                job_id=job.pk,
                reason=reason,
            )
        answer = text_of(client_of("support").get(f"/jobs/{job.pk}/")).partition("data-tabbed")[0]
        assert re.search(r"Stopped by\s+ada, .*: <span class=\"u-break\">“wrong month”", answer)
        assert "mallory" not in answer

    @pytest.mark.parametrize(("confirmed", "is_told"), [(8, False), (9, False), (4000, True), (None, False)])
    def test_reports_a_set_that_is_not_what_was_confirmed(self, confirmed, is_told):
        job = make_half_done_job(report={"confirmed": confirmed, "to_do": 8}, chunk_count=2)
        assert (client_of("support").get(f"/jobs/{job.pk}/").context["drift"] is not None) == is_told

    def test_draws_the_test_batch(self):
        canary = {"size": 20, "ok": 12, "failed": 3, "open": 5, "decided_at": None}
        job = make_restart(state=JobState.PAUSED, paused_for="canary", report={"canary": canary})
        page = text_of(client_of("support").get(f"/jobs/{job.pk}/"))
        assert "12 succeeded, 3 failed, 5 in progress" in page

    def test_is_testing_while_it_waits_for_its_test_batch_and_does_not_suggest_to_skip_it(self):
        job = make_restart(state=JobState.PAUSED, paused_for="canary")
        client = client_of("operator")
        page = text_of(client.get(f"/jobs/{job.pk}/"))
        [steer] = re.findall(r'<div class="c-steering">(.*?)<details', page, re.DOTALL)
        assert re.findall(r'<span class="c-state[^>]*>.*?</svg>(.*?)</span>', page)[0] == "testing"
        assert '<button class="c-button-plain">Continue without waiting</button>' in page
        assert ">Resume<" not in page.replace("</svg>", ">")
        assert "c-button-main" not in steer
        assert "testing" in text_of(client.get("/jobs/"))

    def test_offers_to_continue_with_a_preview(self):
        job = make_restart(state=JobState.PLANNED, dry_run=True, report={"planned": 3})
        assert f"/jobs/new/?from={job.pk}" in text_of(client_of("operator").get(f"/jobs/{job.pk}/"))
        assert f"/jobs/new/?from={job.pk}" not in text_of(
            client_of("support", username="b").get(f"/jobs/{job.pk}/")
        )


class TestProgressPart:
    def test_is_the_inner_part_while_the_buttons_stay(self):
        job = make_half_done_job()
        part = client_of("admin").get(f"/jobs/{job.pk}/progress/", {"phase": "running:"})
        assert "HX-Retarget" not in part.headers
        assert "<form" not in text_of(part)

    def test_updates_the_counts_the_moved_rows_and_the_ledger(self):
        job = make_half_done_job()
        part = client_of("admin").get(f"/jobs/{job.pk}/progress/", {"phase": "running:"})
        found = set(re.findall(r'id="([\w-]+)"[^>]* hx-swap-oob="true"', text_of(part)))
        assert found == {
            "job-status",
            "job-outcomes",
            "job-rows",
            "ledger-tabs",
            "ledger-rows",
            "ledger-pages",
        }
        assert "Changed after it was selected" in text_of(part)
        assert part.context["rows"] == [("message", 2), ("request", 3)]

    def test_has_the_part_of_the_ledger_that_the_page_shows(self):
        job = make_half_done_job()
        client = client_of("admin")
        page = text_of(client.get(f"/jobs/{job.pk}/?outcome=failed"))
        address = re.search(r'hx-get="([^"]+progress/[^"]+)"', page).group(1)
        part = client.get(address, {**QueryDict(address.partition("?")[2]).dict(), "samples": "x"})
        assert [row.item.item_id for row in part.context["ledger"].rows] == [4]
        assert part.context["asked"] == "?outcome=failed"

    def test_updates_their_outcome_when_the_first_are_done(self):
        job = make_half_done_job(kind=JobKind.RESTART)
        for shown, is_brought in [("", True), ("shown", False)]:
            asked = {"phase": "running:", "current_status": shown}
            part = client_of("admin", username=f"a{shown}").get(f"/jobs/{job.pk}/progress/", asked)
            assert (f'hx-get="/jobs/{job.pk}/since/"' in text_of(part)) == is_brought

    def test_is_the_whole_page_once_the_job_pauses(self):
        job = make_half_done_job(state=JobState.DONE, finished_at=Now())
        part = client_of("admin").get(f"/jobs/{job.pk}/progress/", {"outcome": "done", "samples": "x"})
        assert part.headers["HX-Reselect"] == "#content"
        assert 'id="afterwards"' in text_of(part)
        assert "samples=x" not in text_of(part)

    def test_updates_the_buttons_when_they_change(self):
        job = make_half_done_job(state=JobState.PAUSED, paused_for="operator")
        part = client_of("admin").get(f"/jobs/{job.pk}/progress/", {"phase": "running:"})
        assert part.headers["HX-Retarget"] == "#job-top"
        assert 'id="job-activity"' in text_of(part)
        assert f'action="/jobs/{job.pk}/resume/"' in text_of(part)


class TestLedgerOfPage:
    @pytest.mark.parametrize(
        ("query", "ids"),
        [
            ("", [1, 2, 3, 4, 5, 6, 7, 8]),
            ("outcome=done", [1, 2]),
            ("outcome=skipped", [3]),
            ("outcome=failed:uq_x", [4]),
            ("msg_id=4", [4]),
            ("msg_id=+7+", [7]),
            ("msg_id=99", []),
        ],
    )
    def test_is_narrowed_by_outcome_or_to_one_message(self, query, ids):
        job = make_half_done_job()
        rows = client_of("support").get(f"/jobs/{job.pk}/?{query}").context["ledger"].rows
        assert [row.item.item_id for row in rows] == ids

    @pytest.mark.parametrize(
        "query",
        ["outcome=nope", "outcome=failed:", "outcome=done:x", "msg_id=x", "msg_id=" + "9" * 30, "cursor=x"],
    )
    def test_refuses_what_does_not_exist(self, query):
        assert client_of("support").get(f"/jobs/{make_job().pk}/?{query}").status_code == 400

    def test_shows_the_state_before_and_after(self):
        job = make_half_done_job(kind=JobKind.RESTART)
        JobChunk.objects.filter(job_id=job.pk).update(new_state="PARTLY_FAILED")
        rows = client_of("support").get(f"/jobs/{job.pk}/").context["ledger"].rows
        assert [row.new_state for row in rows[:5]] == ["PARTLY_FAILED", "PARTLY_FAILED", None, None, None]

    def test_shows_the_current_state_of_each_message(self):
        live, failed = make_message(state="OK"), make_message(state="FAILED", failed_error_code="E103")
        archived = make_archived_message(state="CANCEL", service_name="billing", operation_name="send")
        job = make_restart(state=JobState.DONE)
        gone = archived.pk + 1
        store_ledger(job, dict.fromkeys([live.pk, failed.pk, archived.pk, gone], "done"))
        rows = client_of("support").get(f"/jobs/{job.pk}/").context["ledger"].rows
        assert [row.now and (row.now.state, row.now.error, row.now.is_archived) for row in rows] == [
            ("OK", "", False),
            ("FAILED", "E103", False),
            ("CANCEL", "", True),
            None,
        ]
        assert rows[2].now.about == "billing · send"

    def test_looks_up_all_messages_of_a_page_in_one_query(self, django_assert_num_queries):
        ids = [make_message().pk for _ in range(20)]
        with django_assert_num_queries(1):
            assert set(MESSAGES.read_present(ids)) == set(ids)

    def test_has_only_columns_with_values(self):
        job = make_restart(state=JobState.DONE)
        store_ledger(job, {make_message().pk: "done"})
        page = text_of(client_of("support").get(f"/jobs/{job.pk}/"))
        assert "Reason</th>" not in page
        assert "Root message</th>" not in page
        skipped = text_of(client_of("support", username="b").get(f"/jobs/{make_half_done_job().pk}/"))
        assert "Reason</th>" in skipped


class TestOutcome:
    def test_is_above_the_tabs_with_its_reasons(self):
        job = make_half_done_job(kind=JobKind.RESTART, state=JobState.DONE)
        page = text_of(client_of("support").get(f"/jobs/{job.pk}/"))
        answer = page.partition('data-answer="object"')[2].partition("data-tabbed")[0]
        assert answer.count("Now in the hub</h2>") == 1
        assert "Changed after it was selected" in answer
        assert page.count("<h2") == page.count("</h2>")

    def test_is_followed_until_the_hub_has_ended_all_messages(self):
        waiting = make_message(state="WAITING")
        job = make_restart(state=JobState.DONE)
        store_ledger(job, {waiting.pk: "done", make_message(state="FAILED").pk: "done"})
        JobChunk.objects.filter(job_id=job.pk).update(attempt=1)
        client, since = client_of("support"), f"/jobs/{job.pk}/since/"
        for address in (f"/jobs/{job.pk}/", since):
            page = text_of(client.get(address, headers={"HX-Request": "true"}))
            assert f'hx-get="{since}"' in page
            assert 'hx-trigger="every 5s, visibilitychange from:document"' in page
        Message.objects.filter(pk=waiting.pk).update(state="OK")
        for address in (f"/jobs/{job.pk}/", since):
            page = text_of(client.get(address, headers={"HX-Request": "true"}))
            assert "Now in the hub" in page
            assert f'hx-get="{since}"' not in page

    def test_refreshes_the_ledger_when_the_states_of_its_messages_change(self):
        waiting = make_message(state="WAITING")
        job = make_restart(state=JobState.DONE)
        store_ledger(job, {waiting.pk: "done"})
        JobChunk.objects.filter(job_id=job.pk).update(attempt=1)
        client, since = client_of("support"), f"/jobs/{job.pk}/since/"
        page = client.get(f"/jobs/{job.pk}/?outcome=done")
        assert f'hx-get="/jobs/{job.pk}/?outcome=done" hx-trigger="states-changed from:body"' in text_of(page)
        first = client.get(since, headers={"HX-Request": "true"})
        refresh = {"HX-Request": "true", "HX-Trigger": first.context["chart"].mark}
        assert f'id="{refresh["HX-Trigger"]}"' in text_of(first)
        assert "HX-Trigger" not in client.get(since, headers=refresh).headers
        Message.objects.filter(pk=waiting.pk).update(state="OK")
        assert client.get(since, headers=refresh).headers["HX-Trigger"] == "states-changed"
        # A page that loads has a fresh ledger already.
        assert "HX-Trigger" not in client.get(since, headers={"HX-Request": "true"}).headers


class TestLedgerFile:
    def test_has_every_message_with_its_outcome(self):
        job = make_half_done_job()
        response = client_of("support").get(f"/jobs/{job.pk}/ledger/")
        lines = b"".join(response.streaming_content).decode().splitlines()
        assert lines[0] == "\ufeffmsg_id,root_msg_id,old_state,new_state,outcome,reason,resent_as"
        assert lines[1] == "1,1,OK,,done,,"
        assert lines[4] == "4,4,OK,,failed,uq_x,"
        assert lines[8] == "8,8,OK,,,,"
        assert f"job-{job.pk}-ledger.csv" in response.headers["Content-Disposition"]

    def test_has_the_messages_of_one_outcome(self):
        response = client_of("support").get(f"/jobs/{make_half_done_job().pk}/ledger/?outcome=failed")
        assert b"".join(response.streaming_content).count(b"\r\n") == 2

    def test_refuses_an_outcome_that_does_not_exist(self):
        assert client_of("support").get(f"/jobs/{make_job().pk}/ledger/?outcome=x").status_code == 400


class TestSincePart:
    def test_is_a_part_for_scripts_and_a_page_for_others(self):
        job = make_half_done_job(kind=JobKind.RESTART, state=JobState.DONE)
        client = client_of("support")
        assert "<html" in text_of(client.get(f"/jobs/{job.pk}/since/"))
        part = client.get(f"/jobs/{job.pk}/since/", headers={"HX-Request": "true"})
        assert "<html" not in text_of(part)
        assert part.context["chart"].status.gone == 2
