"""The address and the form of the page of a new job, and the jobs that they make."""

import pytest
from django.http import HttpResponse
from django.test import Client

from messages_app.audit.models import AuditEntry
from messages_app.jobs.models import Job
from messages_app.jobs.views.create import forms
from messages_app.jobs.views.create.forms import default_values
from messages_app.shared.job_states import JobKind, JobState
from tests.messages_app.jobs.stored_jobs import make_job, make_restart
from tests.messages_app.jobs.views.create.test_views import FAILED, answer, make_failed, seal_of
from tests.support.factories import make_message
from tests.support.page_client import client_of, reader_of, text_of

pytestmark = pytest.mark.django_db

OPTIONS = {"rate": 5, "canary": 3, "stop_at_failure_rate": 0.2, "total": True, "also_resent": True}


@pytest.fixture
def operator() -> Client:
    return client_of("operator")


def form_data(response: HttpResponse) -> dict[str, object]:
    return dict(response.context["form"].data)


class TestAddress:
    def test_fills_in_the_form_with_each_value(self, operator):
        query = "rate=2.5&canary=3&stop_at_failure_rate=20&total=true&also_resent=true&reason=again"
        response = operator.get(f"{FAILED}&{query}")
        form = response.context["form"]
        assert form_data(response) | {"reason": "again"} == form_data(response)
        assert form.options() == OPTIONS | {"rate": 2.5}
        assert response.context["words"] == [("State", "FAILED")]

    def test_ignores_empty_options_that_are_not_required(self, operator):
        response = operator.get(f"{FAILED}&rate=%20&canary=&reason=%20")
        assert not {"rate", "canary", "reason"} & set(form_data(response))
        assert response.status_code == 200

    @pytest.mark.parametrize(
        ("kind", "values"),
        [
            ("archive", {"older_than_months": 2, "to": "tables"}),
            ("export", {"format": "csv"}),
        ],
    )
    def test_has_defaults_only_for_options_that_have_one(self, kind, values):
        assert {name: value for name, value in default_values(kind).items() if value} == values
        assert None not in default_values(kind).values()
        assert None not in default_values("restart").values()

    def test_suggests_a_test_batch_for_more_than_50_messages(self, operator):
        make_failed(50)
        assert {"canary", "stop_at_failure_rate"}.isdisjoint(form_data(operator.get(FAILED)))
        make_failed(1)
        response = operator.get(FAILED)
        suggested = {"canary": 20, "stop_at_failure_rate": 0.2, "total": False, "also_resent": False}
        assert response.context["form"].options() == suggested

    @pytest.mark.parametrize(
        ("query", "options"),
        [
            ("canary=", {}),
            ("canary=3", {"canary": 3}),
            ("stop_at_failure_rate=5", {"stop_at_failure_rate": 0.05}),
        ],
    )
    def test_decides_about_the_test_batch(self, operator, query, options):
        make_failed(51)
        form = operator.get(f"{FAILED}&{query}").context["form"]
        assert form.options() == options | {"total": False, "also_resent": False}

    def test_toggles_a_restart_from_scratch(self, operator):
        assert operator.get(FAILED).context["other_total"] == "kind=restart&state=FAILED&total=true"
        page = operator.get(f"{FAILED}&total=true")
        assert (page.context["other_total"], page.context["total"]) == ("kind=restart&state=FAILED", True)
        assert operator.get("/jobs/new/?kind=cancel&state=NEW").context["other_total"] == ""

    @pytest.mark.parametrize(
        ("query", "everything", "narrowed"),
        [
            ("kind=archive&older_than_months=5", "5 months", "5 months"),
            ("kind=archive&older_than_months=1", "1 month", "1 month"),
        ],
    )
    def test_names_the_age_limit(self, query, everything, narrowed):
        context = client_of("admin").get(f"/jobs/new/?{query}").context
        assert everything in context["everything"]
        assert narrowed in context["narrowed"]

    def test_names_no_age_limit_for_other_kinds(self, operator):
        assert operator.get(FAILED).context["narrowed"] == ""


class TestCopy:
    def test_of_a_job_has_its_options_without_its_reason(self, operator):
        job = make_restart(state=JobState.DONE, options=OPTIONS, reason="the first time")
        response = operator.get(f"/jobs/new/?from={job.pk}")
        assert response.context["form"].options() == OPTIONS
        assert response.context["form"]["reason"].value() == ""
        assert (response.context["job"], response.context["seen"].filter) == (None, {"state": "FAILED"})

    def test_of_a_count_has_its_reason_and_its_figures(self, operator):
        report = {"planned": 12, "skipped": {"in_job": 5}, "samples": []}
        job = make_restart(
            dry_run=True, state=JobState.PLANNED, options=OPTIONS, reason="before lunch", report=report
        )
        context = operator.get(f"/jobs/new/?from={job.pk}").context
        assert context["form"]["reason"].value() == "before lunch"
        assert context["job"] == job
        assert (context["figures"].planned.about, context["seen"].confirmed) == (12, 7)
        assert context["is_counting"] is False

    def test_is_refused_to_users_who_may_not_make_such_a_job(self):
        support = client_of("support")
        assert support.get(f"/jobs/new/?from={make_restart().pk}").status_code == 403
        assert support.get(f"/jobs/new/?from={make_job().pk}").status_code == 403

    def test_of_a_job_of_an_unknown_kind_is_not_found(self):
        assert client_of("admin").get(f"/jobs/new/?from={make_job(kind='other').pk}").status_code == 404


class TestForm:
    def test_previews_again_with_each_value(self, operator):
        response = answer(
            operator, FAILED, rate="5", canary="3", stop_at_failure_rate="20", total="true", look="true"
        )
        assert response.url.split("&") == [
            "/jobs/new/?kind=restart",
            "state=FAILED",
            "reason=again",
            "total=true",
            "rate=5",
            "canary=3",
            "stop_at_failure_rate=20",
        ]
        emptied = answer(operator, FAILED, reason="", canary="", look="true")
        assert emptied.url == "/jobs/new/?kind=restart&state=FAILED&canary="
        without = answer(operator, FAILED, reason="", rate="", look="true")
        assert without.url == "/jobs/new/?kind=restart&state=FAILED"

    def test_counts_and_then_starts_from_one_page(self, operator):
        make_failed(2)
        body = {"shown": seal_of(operator.get(FAILED)), "rate": "5"}
        operator.post("/jobs/new/", body | {"count": "true", "reason": ""})
        operator.post("/jobs/new/", body | {"reason": "now"})
        operator.post("/jobs/new/", body | {"count": "true", "reason": "again"})
        rows = Job.objects.order_by("job_id").values_list("dry_run", "reason", "rate", "created_by")
        assert list(rows) == [
            (True, "Counted before a decision.", 5.0, "ada"),
            (False, "now", 5.0, "ada"),
        ]
        count, run = Job.objects.order_by("job_id")
        assert ("confirmed" in count.report, run.report["confirmed"]) == (False, 2)
        entries = AuditEntry.objects.order_by("entry_id").values_list("actor", "reason", "job_id")
        assert list(entries) == [("ada", "Counted before a decision.", count.pk), ("ada", "now", run.pk)]

    def test_keeps_the_reason_of_a_count(self, operator):
        answer(operator, FAILED, count="true", reason="to be sure")
        assert Job.objects.get().reason == "to be sure"

    def test_says_that_the_job_was_started_already(self, operator):
        make_failed(1)
        body = {"shown": seal_of(operator.get(FAILED)), "reason": "again"}
        notices = [
            [str(notice) for notice in operator.post("/jobs/new/", body, follow=True).context["messages"]]
            for _ in range(2)
        ]
        assert notices == [[], ["Already started; no second job was created."]]

    @pytest.mark.parametrize(("typed", "status"), [("", 400), ("3", 400), ("2", 302)])
    def test_has_to_have_the_number_of_a_large_set(self, operator, monkeypatch, typed, status):
        monkeypatch.setattr(forms, "TYPED_FROM", 2)
        make_failed(2)
        response = answer(operator, FAILED, typed=typed)
        assert (response.status_code, Job.objects.count()) == (status, int(status == 302))
        if status == 400:
            assert response.context["typed"].errors == {"typed": ["Type 2 to confirm."]}
            assert response.context["form"].errors == {}

    def test_is_refused_with_the_payload_search_of_another_user(self, operator):
        days = "receive_timestamp_from=2026-11-01T00:00:00Z&receive_timestamp_to=2026-11-02T00:00:00Z"
        body = {
            "shown": seal_of(
                reader_of("operator", username="eve").get(
                    f"/jobs/new/?kind=restart&payload_contains=x&{days}"
                )
            )
        }
        for action in ({}, {"count": "true"}, {"look": "true"}):
            assert operator.post("/jobs/new/", body | {"reason": "r"} | action).status_code == 400
        assert not Job.objects.exists()

    def test_names_the_job_in_progress(self):
        make_message(state="OK")
        running = make_job(state=JobState.RUNNING)
        response = answer(
            client_of("admin"),
            "/jobs/new/?kind=archive&service_name=billing",
            older_than_months="2",
            to="tables",
        )
        assert (response.status_code, response.context["running"]) == (409, running.pk)
        assert response.context["form"].non_field_errors() == [
            f"Archive job {running.pk} is not finished yet. Archive jobs cannot overlap."
        ]


class TestCountedPart:
    def test_is_of_a_count_only(self, operator):
        assert operator.get(f"/jobs/{make_restart().pk}/counted/").status_code == 404
        counting = make_restart(dry_run=True, state=JobState.PLANNING)
        assert client_of("support", username="eve").get(f"/jobs/{counting.pk}/counted/").status_code == 403

    @pytest.mark.parametrize(
        ("state", "is_counting"),
        [(JobState.PLANNING, True), (JobState.FAILED, False), (JobState.STOPPED, False)],
    )
    def test_says_whether_the_count_continues(self, operator, state, is_counting):
        job = make_restart(dry_run=True, state=state)
        response = operator.get(f"/jobs/{job.pk}/counted/")
        assert (response.context["is_counting"], "HX-Retarget" in response.headers) == (is_counting, False)

    def test_has_the_figures_and_the_set_of_its_job(self, operator):
        report = {"planned": 12, "skipped": {"in_job": 5}, "samples": []}
        job = make_restart(
            dry_run=True,
            state=JobState.PLANNED,
            report=report,
            filter={"service_name": "crm"},
            options=OPTIONS,
        )
        context = operator.get(f"/jobs/{job.pk}/counted/").context
        assert (context["figures"].planned.about, context["seen"].confirmed) == (12, 7)
        assert (context["seen"].kind, context["seen"].filter) == ("restart", {"service_name": "crm"})
        assert (context["words"], context["total"]) == ([("Service", "crm")], True)


class TestArchivePage:
    def test_lists_the_ten_newest_jobs_that_move_messages(self):
        jobs = [make_job(kind=kind, state=JobState.DONE) for kind in [JobKind.ARCHIVE, JobKind.RESTORE] * 6]
        make_restart()
        context = client_of("admin").get("/archive/").context
        assert [line.job.pk for line in context["lines"]] == [job.pk for job in jobs[:1:-1]]
        assert (context["may_archive"], context["refused"]) == (True, None)

    def test_is_without_a_form_for_other_roles(self, operator):
        response = operator.get("/archive/")
        assert response.context["may_archive"] is False
        assert "Only administrators can start an archive job." in text_of(response)
