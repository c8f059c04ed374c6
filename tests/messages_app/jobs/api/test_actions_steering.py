import pytest
from django.test import Client
from django.utils import timezone

from messages_app.audit.models import AuditEntry
from messages_app.jobs.models import Job
from messages_app.shared.job_states import JobState
from tests.messages_app.jobs.stored_jobs import user_id_of
from tests.support.api_client import BASE, ApiClient, caller, problem
from tests.support.ledgers import store_ledger
from tests.support.page_client import client_of, show_values
from tests.support.parameters import quick_first

pytestmark = pytest.mark.django_db

NO_IDS = ["abc", "-1", "1_0", "%D9%A1", "9" * 30, "1.5", "777"]
STEPS = ["pause", "resume", "stop", "approve", "refuse", "undo", "retry-failed"]


@pytest.fixture
def admin() -> ApiClient:
    return caller("admin")


def job_in(state: str, *, kind: str = "restart", **columns: object) -> Job:
    paused_for = "operator" if state == "paused" else ""
    columns |= {"creator_id": user_id_of(columns.get("created_by")), "attempt": 1, "chunk_count": 1}
    return Job.objects.create(kind=kind, state=state, paused_for=paused_for, reason="r", **columns)


def ended_job(kind: str, outcomes: dict[int, str | None]) -> Job:
    """Store a job that has just ended, with its ledger."""
    job = job_in("done", kind=kind, filter={"state": "FAILED"}, finished_at=timezone.now())
    store_ledger(job, outcomes, new_state="CANCEL")
    return job


def step(client: ApiClient, job: Job, name: str, **headers: str):
    return client.post(f"jobs/{job.pk}/{name}/", {"reason": "wrong month"}, **headers)


def by_session(client: Client, job: Job, name: str):
    body = {"reason": "wrong month"}
    return client.post(f"{BASE}jobs/{job.pk}/{name}/", body, content_type="application/json")


class TestSteeringView:
    @pytest.mark.parametrize(
        ("name", "before", "after"),
        [
            ("pause", "running", "paused"),
            ("pause", "queued", "paused"),
            ("resume", "paused", "queued"),
            ("stop", "running", "stopping"),
        ],
    )
    def test_steers_a_job(self, admin, name, before, after):
        job = job_in(before)
        response = step(admin, job, name)
        assert (response.status_code, response.json()["state"]) == (200, after)
        entry = AuditEntry.objects.get(job_id=job.pk)
        assert (entry.actor, entry.action, entry.reason) == ("ada", f"{name}_job", "wrong month")

    def test_steers_an_export_with_payloads_only_while_they_are_shown(self):
        client = client_of("support", "view_payload", username="ada")
        job = job_in("running", kind="export", options={"payload": True}, created_by="ada")
        assert problem(by_session(client, job, "pause"))["code"] == "reveal_required"
        entry = AuditEntry.objects.get(action="pause_job")
        assert (entry.outcome, entry.details["refusal"]) == ("refused", "reveal_required")
        show_values(client)
        assert by_session(client, job, "pause").json()["state"] == "paused"

    def test_asks_for_no_reason_if_the_user_may_not_steer_it_with_one(self):
        client = client_of("support", "view_payload")
        job = job_in("running", kind="export", options={"payload": True}, created_by="bob")
        assert problem(by_session(client, job, "pause"))["code"] == "permission_denied"
        own = job_in("planned", kind="export", options={"payload": True}, created_by="ada")
        assert problem(by_session(client, own, "approve"))["code"] == "permission_denied"

    def test_shows_who_paused_it(self, admin):
        assert step(admin, job_in("running"), "pause").json()["paused_for"] == "operator"

    @pytest.mark.parametrize(("name", "state"), [("stop", "running"), ("pause", "running")])
    def test_accepts_a_repeated_request(self, admin, name, state):  # J62
        job = job_in(state)
        answers = [step(admin, job, name) for _ in range(2)]
        assert [answer.status_code for answer in answers] == [200, 200]
        assert AuditEntry.objects.filter(job_id=job.pk).count() == 1

    @pytest.mark.parametrize(
        ("name", "state"),
        [
            *(("stop", state) for state in ("done", "failed")),  # J61
            *(("pause", state) for state in ("done", "planning", "stopping")),
            *(("resume", state) for state in ("running", "queued", "done")),  # J63
        ],
    )
    def test_refuses_what_the_state_does_not_allow(self, admin, name, state):
        body = problem(step(admin, job_in(state), name))
        assert (body["status"], body["code"], body["current_state"]) == (409, "state_conflict", state)

    def test_repeats_the_answer_to_one_key(self, admin):
        job = job_in("running")
        first = step(admin, job, "pause", Idempotency_Key="k")
        Job.objects.filter(pk=job.pk).update(state=JobState.RUNNING)
        second = step(admin, job, "pause", Idempotency_Key="k")
        assert first.json() == second.json()
        assert Job.objects.get().state == JobState.RUNNING


class TestDecidingView:
    def waiting(self, **columns: object) -> Job:
        job = job_in("planned", **{"created_by": "grace"} | columns)
        Job.objects.filter(pk=job.pk).update(paused_for="second_person")
        return job

    @pytest.mark.parametrize(("name", "after"), [("approve", "queued"), ("refuse", "stopping")])
    def test_decides_once(self, admin, name, after):
        job = self.waiting()
        assert admin.get(f"jobs/{job.pk}/").json()["paused_for"] == "second_person"
        body = step(admin, job, name).json()
        assert (body["state"], body["paused_for"]) == (after, None)
        again = problem(step(admin, job, name))
        assert (again["status"], again["code"], again["current_state"]) == (409, "state_conflict", after)

    @pytest.mark.parametrize("name", ["approve", "refuse"])
    def test_is_not_for_the_user_who_made_the_job(self, admin, name):
        job = self.waiting(created_by="ada")
        refused = problem(step(admin, job, name))
        assert (refused["code"], refused["detail"]) == (
            "permission_denied",
            f"Job {job.pk} is your own. Another person must approve or refuse it.",
        )
        assert Job.objects.get().state == "planned"
        entry = AuditEntry.objects.get(job_id=None, action=f"{name}_job")
        assert (entry.actor, entry.outcome) == ("ada", "refused")

    def test_names_the_permission_of_a_user_who_may_not_decide(self):
        refused = problem(step(caller("support"), self.waiting(), "approve"))
        assert refused["detail"] == (
            "You need the permission restart_message (role operator or admin). Ask an administrator."
        )


class TestFollowingView:
    def test_refers_a_session_to_the_page_that_asks_for_the_password(self, settings):
        settings.BULK_GUARD, settings.BULK_GUARD_FROM = "password", 2
        origin = ended_job("cancel", {1: "done", 2: "done", 3: "failed:uq_x"})
        admin = caller("admin")
        session = Client()
        session.force_login(admin.user)
        address = f"/api/v1/jobs/{origin.pk}"
        body = {"reason": "r"}
        answer = session.post(f"{address}/undo/", body, content_type="application/json")
        assert problem(answer)["code"] == "password_required"
        retried = session.post(f"{address}/retry-failed/", body, content_type="application/json")
        assert retried.status_code == 202
        assert step(admin, origin, "undo").status_code == 202


class TestEveryStep:
    @pytest.mark.parametrize("name", STEPS)
    @pytest.mark.parametrize(
        ("body", "field"),
        quick_first(
            [
                pytest.param({"reason": ""}, "reason"),
                pytest.param({"reason": "r", "force": True}, "force"),
                pytest.param({}, "reason"),
                pytest.param({"reason": "x" * 1001}, "reason"),
                pytest.param({"reason": 5}, "reason"),
            ],
            quick=2,
        ),
    )
    def test_needs_a_reason_and_nothing_else(self, admin, name, body, field):
        answer = problem(admin.post(f"jobs/{job_in('paused').pk}/{name}/", body))
        assert (answer["status"], answer["errors"][0]["field"]) == (400, field)

    @pytest.mark.parametrize("name", STEPS)
    @pytest.mark.parametrize("text", quick_first(NO_IDS, quick=2))
    def test_finds_nothing_under_an_invalid_id(self, admin, name, text):  # J64
        assert problem(admin.post(f"jobs/{text}/{name}/", {"reason": "r"}))["code"] == "not_found"

    @pytest.mark.parametrize("name", STEPS)
    @pytest.mark.parametrize(
        ("role", "kind"),
        [("operator", "archive"), ("operator", "restore"), ("support", "restart"), ("support", "cancel")],
    )
    def test_is_for_users_who_may_make_such_a_job(self, name, role, kind):
        job = job_in("running", kind=kind)
        assert problem(step(caller(role), job, name))["code"] == "permission_denied"
        assert Job.objects.get().state == "running"
        assert AuditEntry.objects.filter(outcome=AuditEntry.Outcome.REFUSED).count() == 1

    @pytest.mark.parametrize("name", STEPS)
    def test_accepts_only_post(self, admin, name):
        assert admin.get(f"jobs/{job_in('running').pk}/{name}/").status_code == 405

    def test_leaves_an_export_to_its_maker_and_administrators(self):
        support, admin = caller("support"), caller("admin", username="root")
        own = job_in("running", kind="export", created_by="ada")
        others = job_in("running", kind="export", created_by="grace")
        assert step(support, own, "pause").status_code == 200
        assert step(support, others, "pause").status_code == 403
        assert step(admin, others, "pause").status_code == 200


class TestUndo:
    def test_returns_the_job_that_undoes_it(self, admin):
        origin = ended_job("cancel", {1: "done", 2: "skipped:locked"})
        response = step(admin, origin, "undo")
        body = response.json()
        assert response.status_code == 202
        assert (body["kind"], body["undo_of"]) == ("cancel", origin.pk)

    def test_is_for_administrators_if_it_undoes_an_archive(self):
        origin = ended_job("archive", {1: "done"})
        assert step(caller("operator"), origin, "undo").status_code == 403
        response = step(caller("admin", username="root"), origin, "undo")
        assert (response.status_code, response.json()["kind"]) == (202, "restore")

    @pytest.mark.parametrize(
        ("kind", "outcomes"), [("restart", {1: "done"}), ("cancel", {1: "skipped:locked"}), ("cancel", {})]
    )
    def test_refuses_a_job_that_cannot_be_undone(self, admin, kind, outcomes):
        body = problem(step(admin, ended_job(kind, outcomes), "undo"))
        assert (body["status"], body["current_state"]) == (409, "done")

    def test_refuses_a_second_one_and_names_the_first(self, admin):
        origin = ended_job("cancel", {1: "done"})
        first = step(admin, origin, "undo").json()["job_id"]
        body = problem(step(admin, origin, "undo"))
        assert (body["status"], body["code"], body["job_id"]) == (409, "already_running", first)

    def test_makes_one_job_for_one_key(self, admin):
        origin = ended_job("cancel", {1: "done"})
        answers = [step(admin, origin, "undo", Idempotency_Key="k") for _ in range(2)]
        assert answers[0].json() == answers[1].json()
        assert Job.objects.filter(undo_of=origin.pk).count() == 1


class TestRetryFailed:
    def test_returns_the_job_that_retries(self, admin):
        origin = ended_job("restart", {1: "done", 2: "failed:too_slow"})
        response = step(admin, origin, "retry-failed")
        body = response.json()
        assert response.status_code == 202
        assert (body["kind"], body["retry_of"], body["filter"]) == ("restart", origin.pk, origin.filter)

    def test_refuses_if_nothing_failed(self, admin):
        body = problem(step(admin, ended_job("restart", {1: "done"}), "retry-failed"))
        assert (body["status"], body["code"]) == (409, "state_conflict")

    def test_refuses_while_the_job_runs(self, admin):
        assert problem(step(admin, job_in("running"), "retry-failed"))["current_state"] == "running"


class TestResumingView:
    def unconfirmed(self) -> Job:
        report = {"confirmed": 10, "to_do": 12}
        return Job.objects.create(
            kind="restart", state="paused", paused_for="confirmation", attempt=1, chunk_count=1, report=report
        )

    @pytest.mark.parametrize("more", [{}, {"confirmed": None}, {"confirmed": 10}])
    def test_asks_for_the_number_of_a_set_that_is_larger_than_confirmed(self, admin, more):
        job = self.unconfirmed()
        response = admin.post(f"jobs/{job.pk}/resume/", {"reason": "r", **more})
        assert response.status_code == 400
        (error,) = problem(response)["errors"]
        assert (error["field"], error["code"]) == ("confirmed", "required")
        assert "12" in error["message"]
        assert Job.objects.get(pk=job.pk).state == "paused"

    def test_continues_with_the_number(self, admin):
        job = self.unconfirmed()
        response = admin.post(f"jobs/{job.pk}/resume/", {"reason": "seen", "confirmed": 12})
        assert (response.status_code, response.json()["state"]) == (200, "queued")
        assert response.json()["report"]["confirmed"] == 12
        entry = AuditEntry.objects.get(action="resume_job")
        assert (entry.actor, entry.details) == ("ada", {"confirmed": 12})

    @pytest.mark.parametrize("confirmed", [-1, "12", 1.5, True, 2**63])
    def test_refuses_an_invalid_number(self, admin, confirmed):
        job = self.unconfirmed()
        response = admin.post(f"jobs/{job.pk}/resume/", {"reason": "r", "confirmed": confirmed})
        assert [error["field"] for error in problem(response)["errors"]] == ["confirmed"]

    @pytest.mark.parametrize("name", ["pause", "stop"])
    def test_is_the_only_step_that_accepts_a_number(self, admin, name):
        response = admin.post(f"jobs/{job_in('running').pk}/{name}/", {"reason": "r", "confirmed": 1})
        assert [error["code"] for error in problem(response)["errors"]] == ["unknown_field"]
