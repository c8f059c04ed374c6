import re

import pytest
from django.core import signing
from django.http import HttpResponse
from django.test import Client

from messages_app.audit.models import AuditEntry
from messages_app.jobs.kinds.registry import kind_specs
from messages_app.jobs.models import Job, JobSchedule
from messages_app.jobs.preview.estimates import Estimate
from messages_app.jobs.views.create import forms
from messages_app.messages.models import ResentMessage
from messages_app.shared.job_states import JobKind, JobState, StoreName
from tests.messages_app.jobs.stored_jobs import make_job, make_restart
from tests.support.factories import make_external_call, make_message, make_messages
from tests.support.page_client import client_of, reader_of, text_of
from tests.support.parameters import quick_first

pytestmark = pytest.mark.django_db

FAILED = "/jobs/new/?kind=restart&state=FAILED"
_FILTERS = {StoreName.MESSAGES: "service_name=billing", StoreName.MESSAGE_STORE: "source_system=crm"}


@pytest.fixture
def operator() -> Client:
    return client_of("operator")


def make_failed(count: int) -> list[int]:
    return [make_message(state="FAILED").pk for _ in range(count)]


def seal_of(response: HttpResponse) -> str:
    return re.search(r'name="shown" value="([^"]+)"', text_of(response))[1]


def answer(client: Client, address: str, **fields: object) -> HttpResponse:
    """Open the page, and send its form."""
    return client.post("/jobs/new/", {"shown": seal_of(client.get(address)), "reason": "again", **fields})


class TestLooking:
    def test_shows_the_set_the_skipped_messages_and_the_repeated_calls(self, operator):
        msg_ids = make_failed(3)
        message = make_message(state="FAILED", service_name="shop")
        make_external_call(message, state="FAILED", operation_name="http://a.example/x")
        make_message(state="OK", service_name="shop")
        response = operator.get("/jobs/new/?kind=restart&state=FAILED,OK")
        figures = response.context["figures"]
        assert (figures.planned, figures.to_do) == (Estimate.from_count(5), Estimate.from_count(4))
        assert figures.is_exact
        assert [(bar.label, bar.count) for bar in figures.skipped] == [("Its state does not allow it", 1)]
        assert {group.title: [bar.label for bar in group.bars] for group in figures.groups} == {
            "State": ["FAILED", "OK"],
            "Service": ["billing", "shop"],
        }
        assert [(system.name, system.again) for system in figures.systems] == [("a.example", 1)]
        assert {item.item_id for item in figures.samples} == {*msg_ids, message.pk}

    def test_offers_to_restart_messages_that_were_corrected_and_resent(self, operator):
        make_failed(2)
        address = "/jobs/new/?kind=restart&state=FAILED"
        assert "corrected and resent" not in text_of(operator.get(address))
        original = make_failed(1)[0]
        ResentMessage.objects.create(original_id=original, msg_id=original + 1_000_000)

        page = operator.get(address)

        assert "Messages that were corrected and resent are skipped." in text_of(page)
        link = "?kind=restart&amp;state=FAILED&amp;also_resent=true"
        assert f'href="{link}"' in page.content.decode()
        both = operator.get(f"/jobs/new/{link}".replace("&amp;", "&"))
        assert "the hub processes both the original and the new message" in text_of(both)
        assert re.search(r"Restart\s+3\s+messages", both.content.decode())
        assert 'href="?kind=restart&amp;state=FAILED"' in both.content.decode()
        answer(operator, f"/jobs/new/{link}".replace("&amp;", "&"), also_resent="True")
        assert Job.objects.get().options["also_resent"] is True

    def test_asks_for_no_reason_if_nothing_matches(self, operator):
        page = text_of(operator.get("/jobs/new/?kind=restart&state=FAILED"))
        assert "No messages match" in page
        assert 'name="reason"' not in page
        make_message(state="FAILED")
        assert 'name="reason"' in text_of(operator.get("/jobs/new/?kind=restart&state=FAILED"))

    def test_writes_nothing(self, operator):
        operator.get(FAILED)
        assert not Job.objects.exists()
        assert not AuditEntry.objects.exists()

    def test_counts_relative_times_from_now(self, operator):
        response = operator.get("/jobs/new/?kind=restart&receive_timestamp_from=-2h")
        ((label, value),) = response.context["words"]
        assert label.startswith("Received from")
        assert re.match(r"\d{4}-\d\d-\d\dT", value)

    def test_ignores_the_paging_of_the_list(self, operator):
        assert operator.get(f"{FAILED}&ordering=msg_id&page_size=10").status_code == 200

    @pytest.mark.parametrize("kind", kind_specs)
    def test_has_a_page_for_every_kind(self, kind):
        client = reader_of("admin", "view_payload", "edit_payload")
        # the kind takes no filter
        filter = "" if kind == JobKind.GROUP_FAILURES else _FILTERS[kind_specs[kind].store]
        assert client.get(f"/jobs/new/?kind={kind}&{filter}").status_code == 200

    @pytest.mark.parametrize(
        "query",
        [
            "kind=",
            "kind=reprocess&state=OK",
            "kind=restart",
            "kind=restart&state=FAILD",
            "kind=restart&nonsense=1",
            "kind=restart&archived=true&state=FAILED",
            "kind=archive&state=NEW",
            "kind=restart&payload_contains=x",
            "kind=restart&state=FAILED&at=whenever",
        ],
    )
    def test_refuses_impossible_jobs(self, query):
        assert client_of("admin").get(f"/jobs/new/?{query}").status_code == 400

    @pytest.mark.parametrize(
        ("role", "kind", "status"),
        [
            ("support", "restart", 403),
            ("support", "export", 200),
            ("operator", "archive", 403),
            ("operator", "restore", 403),
            ("operator", "cancel", 200),
            ("support", "reprocess", 403),
            ("operator", "archive_history", 403),
        ],
    )
    def test_is_for_users_who_may_make_such_a_job(self, role, kind, status):
        assert client_of(role).get(f"/jobs/new/?kind={kind}&service_name=billing").status_code == status

    def test_is_closed_to_users_who_have_no_role(self):
        assert client_of().get(FAILED).status_code == 403

    def test_shows_an_impossible_option_next_to_its_field(self, operator):
        response = operator.get(f"{FAILED}&rate=fast&canary=7")
        assert list(response.context["form"].errors) == ["rate"]
        assert response.status_code == 200

    def test_starts_from_another_job(self, operator):
        options = {"rate": 5, "stop_at_failure_rate": 0.2, "total": True}
        job = make_restart(state=JobState.DONE, options=options)
        context = operator.get(f"/jobs/new/?from={job.pk}").context
        assert context["words"] == [("State", "FAILED")]
        assert context["form"].options() == options | {"also_resent": False}
        assert context["form"]["reason"].value() == ""

    @pytest.mark.parametrize("link", [{"undo_of": 1}, {"retry_of": 1}])
    def test_does_not_start_from_a_job_without_a_filter(self, operator, link):
        assert operator.get(f"/jobs/new/?from={make_restart(**link).pk}").status_code == 404

    @pytest.mark.parametrize("text", ["", "x", "0", "9" * 30, "%C2%B2"])
    def test_does_not_start_from_no_job(self, operator, text):
        assert operator.get(f"/jobs/new/?from={text}").status_code == 404

    def test_offers_payloads_only_to_users_who_may_read_them(self):
        address = "/jobs/new/?kind=export&service_name=billing"
        assert 'name="payload"' not in text_of(client_of("support").get(address))
        reader = reader_of("support", username="ben")
        assert 'name="payload"' in text_of(reader.get(address))


class TestStarting:
    def test_makes_the_job_that_was_shown(self, operator):
        make_failed(3)
        response = answer(operator, FAILED, rate="2.5", canary="2", stop_at_failure_rate="20")
        job = Job.objects.get()
        assert response.url == f"/jobs/{job.pk}/"
        assert (job.kind, job.filter, job.reason, job.dry_run) == (
            "restart",
            {"state": "FAILED"},
            "again",
            False,
        )
        assert (job.rate, job.options["canary"], job.options["stop_at_failure_rate"]) == (2.5, 2, 0.2)
        assert job.report["confirmed"] == 3
        assert job.created_by == "ada"

    def test_makes_one_job_however_often_it_is_sent(self, operator):
        make_failed(1)
        body = {"shown": seal_of(operator.get(FAILED)), "reason": "again"}
        first = operator.post("/jobs/new/", body)
        second = operator.post("/jobs/new/", body | {"reason": "really"})
        assert first.url == second.url
        assert Job.objects.count() == 1

    def test_makes_another_job_for_another_preview(self, operator):
        make_failed(1)
        answer(operator, FAILED)
        answer(operator, FAILED)
        assert Job.objects.count() == 2

    @pytest.mark.parametrize(
        ("fields", "wrong"),
        [
            ({"reason": " "}, "reason"),
            ({"reason": "x" * 1001}, "reason"),
            ({"reason": "a\0"}, "reason"),
            ({"rate": "0"}, "rate"),
            ({"rate": "fast"}, "rate"),
            ({"rate": "nan"}, "rate"),
            ({"canary": "0"}, "canary"),
            ({"canary": "1.5"}, "canary"),
            ({"stop_at_failure_rate": "101"}, "stop_at_failure_rate"),
        ],
    )
    def test_shows_errors_at_their_field(self, operator, fields, wrong):
        make_failed(1)
        response = answer(operator, FAILED, **fields)
        assert response.status_code == 400
        assert list(response.context["form"].errors) == [wrong]
        assert not Job.objects.exists()

    def test_requires_the_number_typed_for_a_large_set(self, operator):
        make_messages(1_200)
        address = "/jobs/new/?kind=export&service_name=billing"
        for typed, status in (("", 400), ("1201", 400), ("1 200", 302)):
            assert answer(operator, address, format="csv", typed=typed).status_code == status
        assert Job.objects.get().report["confirmed"] == 1_200

    def test_requires_another_preview_after_a_while(self, operator, monkeypatch):
        make_failed(1)
        monkeypatch.setattr(forms, "_MAX_AGE_SECONDS", -1)
        response = answer(operator, FAILED)
        assert response.status_code == 409
        assert "more than 15 minutes old" in text_of(response)
        assert not Job.objects.exists()

    def test_requires_another_preview_if_the_options_change_the_set(self):
        admin = client_of("admin")
        response = answer(
            admin, "/jobs/new/?kind=archive&older_than_months=3", older_than_months="1", to="tables"
        )
        assert response.status_code == 409
        assert "changed the selection" in text_of(response)

    @pytest.mark.parametrize("seal", ["", "x", signing.dumps({"kind": "cancel"}, salt="other")])
    def test_refuses_a_form_without_a_user(self, operator, seal):
        assert operator.post("/jobs/new/", {"shown": seal, "reason": "x"}).status_code == 400

    def test_previews_again_with_other_options(self, operator):
        response = answer(operator, FAILED, rate="5", look="true")
        assert response.url == "/jobs/new/?kind=restart&state=FAILED&reason=again&rate=5"

    def test_leads_to_the_archive_job_in_progress(self):
        make_message(state="OK")
        running = make_job(state=JobState.RUNNING)
        address = "/jobs/new/?kind=archive&service_name=billing"
        response = answer(client_of("admin"), address, older_than_months="2", to="tables")
        assert response.status_code == 409
        assert f'href="/jobs/{running.pk}/"' in text_of(response)

    def test_is_refused_to_users_who_lost_the_permission(self, operator):
        body = {"shown": seal_of(operator.get(FAILED)), "reason": "x"}
        support = client_of("support", username="ben")
        assert support.post("/jobs/new/", body).status_code == 403
        assert AuditEntry.objects.get().outcome == "refused"
        assert not Job.objects.exists()


class TestMonths:
    @pytest.mark.parametrize("kind", ["archive", "archive_history"])
    @pytest.mark.parametrize("months", quick_first(["", "0", "1201", "-1", "1.5", "two"], quick=3))
    def test_shows_no_number_for_an_age_limit_of_no_months(self, kind, months):
        response = client_of("admin").get(f"/jobs/new/?kind={kind}&older_than_months={months}")
        assert response.status_code == 400
        assert list(response.context["form"].errors) == ["older_than_months"]
        assert response.context["figures"] is None
        assert "would be" in text_of(response)
        assert 'name="typed"' not in text_of(response)

    @pytest.mark.parametrize("months", ["", "0"])
    def test_starts_no_job_without_an_age_limit(self, months):
        address = "/jobs/new/?kind=archive&older_than_months=3"
        response = answer(client_of("admin"), address, older_than_months=months, to="tables")
        assert response.status_code == 400
        assert list(response.context["form"].errors) == ["older_than_months"]
        assert not Job.objects.exists()

    def test_updates_the_preview_after_a_correction(self):
        admin = client_of("admin")
        wrong = admin.get("/jobs/new/?kind=archive&older_than_months=")
        body = {"shown": seal_of(wrong), "older_than_months": "4", "to": "tables", "look": "true"}
        response = admin.post("/jobs/new/", body)
        assert response.url == "/jobs/new/?kind=archive&older_than_months=4&to=tables"
        assert admin.get(response.url).context["figures"].to_do == Estimate.from_count(0)

    def test_has_an_age_limit_of_its_own_with_a_filter(self):
        response = client_of("admin").get("/jobs/new/?kind=archive&service_name=billing")
        assert response.context["form"].options()["older_than_months"] == 2
        assert "final, older than 2 months" in text_of(response)


class TestRestore:
    def test_shows_which_schedule_archives_the_messages_again_and_where(self):
        admin = client_of("admin")
        page = "/jobs/new/?kind=restore&service_name=billing"
        assert "No archive schedule is enabled" in text_of(admin.get(page))
        schedule = make_schedule(
            filter={"service_name": "billing"}, options={"older_than_months": 3, "to": "parquet"}
        )
        make_schedule(enabled=False)
        text = " ".join(text_of(admin.get(page)).split())
        assert f"Schedule {schedule.pk}</a>, next" in text
        assert "billing, older than 3 months, to Parquet files." in text
        assert text.count("older than") == 1


def make_schedule(**columns: object) -> JobSchedule:
    shape = {"kind": "archive", "cron": "30 2 * * *", "zone": "UTC", "reason": "r", "created_by": "ada"}
    return JobSchedule.objects.create(**shape | columns)


class TestCounting:
    def test_counts_by_a_dry_run_and_returns(self, operator):
        make_failed(2)
        response = answer(operator, FAILED, count="true", reason="", rate="5")
        job = Job.objects.get()
        assert (job.dry_run, job.rate) == (True, 5)
        assert response.url == f"/jobs/new/?from={job.pk}"
        page = operator.get(response.url)
        assert f'hx-get="/jobs/{job.pk}/counted/"' in text_of(page)
        assert page.context["form"].options()["rate"] == 5

    def test_shows_the_counted_number_and_uses_it_as_the_confirmation(self, operator):
        report = {"planned": 5_000, "by_state": {"FAILED": 5_000}, "skipped": {"in_job": 7}, "samples": [3]}
        job = make_restart(dry_run=True, state=JobState.PLANNED, report=report)
        page = operator.get(f"/jobs/new/?from={job.pk}")
        assert page.context["figures"].is_exact
        assert page.context["seen"].to_type == 4_993
        body = {"shown": seal_of(page), "reason": "x", "typed": "4993"}
        assert operator.post("/jobs/new/", body).status_code == 302
        assert Job.objects.get(dry_run=False).report["confirmed"] == 4_993

    def test_answers_while_it_continues_and_when_it_is_done(self, operator):
        job = make_restart(dry_run=True, state=JobState.PLANNING)
        assert "Exact count in progress" in text_of(operator.get(f"/jobs/{job.pk}/counted/"))
        Job.objects.filter(pk=job.pk).update(state=JobState.PLANNED, report={"planned": 5, "skipped": {}})
        counted = operator.get(f"/jobs/{job.pk}/counted/")
        assert counted.headers["HX-Retarget"] == "#figures"
        part = text_of(counted)
        assert 'hx-swap-oob="true"' in part
        assert "5</span>" in part

    def test_reports_that_it_has_ended_early(self, operator):
        job = make_restart(dry_run=True, state=JobState.FAILED)
        assert "ended early" in text_of(operator.get(f"/jobs/{job.pk}/counted/"))

    def test_does_not_exist_for_a_job_that_changes_messages(self, operator):
        assert operator.get(f"/jobs/{make_restart().pk}/counted/").status_code == 404
