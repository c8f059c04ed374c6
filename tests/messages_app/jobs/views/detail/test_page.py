"""The context of a job's page: its confirmed number, its followers, its file and its rows."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import Permission, User
from django.db.models.functions import Now
from django.test import RequestFactory

from messages_app.audit import services as audit
from messages_app.audit.services import Actor
from messages_app.core.clock import database_clock
from messages_app.core.reason_form import ReasonForm
from messages_app.jobs.models import Job
from messages_app.jobs.selectors import JobProgress, job_progress
from messages_app.jobs.views.detail.forms import RateForm, ResumeForm
from messages_app.jobs.views.detail.page import (
    Drift,
    OfferedFile,
    _steering_forms,
    afterwards_of,
    drift_of,
    file_of,
    live_context,
)
from tests.messages_app.jobs.stored_jobs import make_job
from tests.support.exports import file_of as exported_file
from tests.support.factories import make_message, make_user
from tests.support.ledgers import store_ledger
from tests.support.page_client import client_of

NOON = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)


def progress_with(report: dict[str, object], *, paused_for: str = "") -> JobProgress:
    job = Job(report=report, paused_for=paused_for)
    return JobProgress(job=job, planned=0, done=0, skipped=0, failed=0, outcomes=[], orphans={})


class TestDrift:
    @pytest.mark.parametrize(
        ("confirmed", "to_do", "is_told"),
        [
            (100, 120, False),
            (100, 121, True),
            (121, 100, True),
            (1_000, 1_100, False),
            (1_000, 1_111, False),
            (1_000, 1_112, True),
            (1_112, 1_000, True),
        ],
    )
    def test_says_that_it_is_large(self, confirmed, to_do, is_told):
        found = drift_of(progress_with({"confirmed": confirmed, "to_do": to_do}))
        assert found == (Drift(confirmed=confirmed, to_do=to_do) if is_told else None)

    def test_is_not_said_twice(self):
        report = {"confirmed": 100, "to_do": 900}
        assert drift_of(progress_with(report, paused_for="confirmation")) is None
        assert drift_of(progress_with(report, paused_for="operator")) is not None

    def test_needs_both_numbers(self):
        assert drift_of(progress_with({"confirmed": 100})) is None
        assert drift_of(progress_with({"to_do": 100})) is None
        assert drift_of(progress_with({})) is None


@pytest.mark.django_db
class TestAfterwards:
    def job(self, *, failed: int = 1, **columns: object) -> Job:
        job = make_job(**{"kind": "restart", "state": "done", "finished_at": Now()} | columns)
        done = {make_message().pk: "done"}
        store_ledger(job, done | {make_message().pk: "failed:too_slow" for _ in range(failed)})
        return job

    def test_names_the_jobs_that_followed_newest_first(self):
        job, other = self.job(), self.job()
        undone = [make_job(kind="restart", state="done", undo_of=job.pk) for _ in range(2)]
        retried = [make_job(kind="restart", state="done", retry_of=job.pk) for _ in range(2)]
        make_job(kind="restart", state="done", undo_of=other.pk)
        make_job(kind="restart", state="done", retry_of=other.pk)
        found = afterwards_of(job_progress(job.pk))
        assert [each.pk for each in found.undone_by] == [undone[1].pk, undone[0].pk]
        assert [each.pk for each in found.retried_by] == [retried[1].pk, retried[0].pk]
        assert found.may_retry

    def test_offers_a_retry_only_of_failed_messages_of_a_kind_that_can(self):
        assert not afterwards_of(job_progress(self.job(failed=0).pk)).may_retry
        assert not afterwards_of(job_progress(self.job(kind="export").pk)).may_retry

    def test_is_missing_before_the_end_and_for_a_preview(self):
        assert afterwards_of(job_progress(self.job(state="running").pk)) is None
        assert afterwards_of(job_progress(self.job(state="paused").pk)) is None
        assert afterwards_of(job_progress(self.job(dry_run=True).pk)) is None
        assert afterwards_of(job_progress(self.job(state="stopped").pk)) is not None

    @pytest.mark.parametrize(
        ("state", "outcome", "is_offered"),
        [
            ("running", None, False),
            ("done", "done", False),
            ("done", "skipped:locked", True),
            ("done", "failed:too_slow", True),
            ("stopped", "done", True),
            ("failed", "done", True),
        ],
    )
    def test_offers_an_undo_only_while_something_is_left_to_revert(self, state, outcome, is_offered):
        job = self.job(kind="cancel", failed=0)
        assert afterwards_of(job_progress(job.pk)).undo is not None
        undo = make_job(kind="cancel", state=state, undo_of=job.pk)
        store_ledger(undo, {make_message().pk: outcome})
        assert (afterwards_of(job_progress(job.pk)).undo is not None) == is_offered

    def test_has_nothing_to_undo_if_nothing_was_done(self):
        job = make_job(kind="archive", state="done", finished_at=Now())
        store_ledger(job, {make_message().pk: "failed:too_slow"})
        assert afterwards_of(job_progress(job.pk)).undo is None


@pytest.mark.django_db
class TestFile:
    def job(self, **columns: object) -> Job:
        report = {
            "files": [{"name": "export.jsonl", "rows": 61, "bytes": 62, "sha256": "abc"}],
            "expires_at": (database_clock() + timedelta(days=1)).isoformat(),
        }
        made = {"kind": "export", "state": "done", "options": {"format": "jsonl"}, "report": report}
        return make_job(**made | {"finished_at": Now()} | columns)

    def test_has_all_its_values(self):
        user = make_user("admin", username="ada")
        job = self.job(creator_id=user.pk)
        path = exported_file(job)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * 62)
        assert file_of(job, user) == OfferedFile(
            name="export.jsonl",
            rows=61,
            size=62,
            sha256="abc",
            kept_until=datetime.fromisoformat(job.report["expires_at"]),
        )
        path.unlink()
        missing = file_of(job, user)
        assert (missing.name, missing.why_not[:20]) == ("", "The file is missing;")

    def test_is_only_for_its_creator_and_administrators(self):
        refusal = "Only the creator of the export and administrators can download the file."
        assert file_of(self.job(), make_user("operator", username="eve")) == OfferedFile(why_not=refusal)

    def test_is_not_offered_before_it_was_made(self):
        user = make_user("admin")
        for state in ("running", "failed", "stopped"):
            assert file_of(self.job(state=state), user) is None
        assert file_of(self.job(kind="restart"), user) is None


@pytest.mark.django_db
class TestContext:
    def test_has_the_activity_of_users_in_its_order(self):
        job, other = make_job(kind="restart", state="done"), make_job(kind="restart", state="done")
        for action, about in (("pause_job", job), ("restart", job), ("stop_job", job), ("pause_job", other)):
            audit.record_entry(actor=Actor(username="ana"), action=action, job_id=about.pk)
        shown = client_of("admin").get(f"/jobs/{job.pk}/").context["activity"]
        assert [entry.action for entry in shown] == ["pause_job", "stop_job"]

    def test_has_the_rows_that_would_move_only_of_kinds_that_move_rows(self):
        client = client_of("admin")
        report = {"planned": 1, "would_move": {"request": 2, "message": 1}}
        for kind, rows in (("archive", [("message", 1), ("request", 2)]), ("restart", [])):
            job = make_job(kind=kind, state="planned", dry_run=True, report=report)
            assert client.get(f"/jobs/{job.pk}/").context["rows"] == rows


def live(job: Job, user: User, query: str = "") -> dict[str, object]:
    request = RequestFactory().get(f"/jobs/{job.pk}/{query}")
    request.user = user
    return live_context(request, job_progress(job.pk))


@pytest.mark.django_db
class TestLiveParts:
    search = {
        "payload_contains": "x",
        "receive_timestamp_from": "2026-11-01T00:00:00Z",
        "receive_timestamp_to": "2026-11-02T00:00:00Z",
    }

    def test_hide_the_ledger_of_a_payload_search_and_have_none_of_a_dry_run(self):
        operator = make_user("operator")
        job = make_job(kind="restart", options={}, state="running", filter=self.search)
        reader = make_user("operator", username="bob")
        reader.user_permissions.add(Permission.objects.get(codename="view_payload"))
        for user, is_hidden in ((operator, True), (reader, False)):
            shown = live(job, user)
            assert (shown["has_ledger"], shown["ledger"] is None) == (True, is_hidden)
        other = live(make_job(kind="restart", options={}, state="running"), operator)
        assert (other["has_ledger"], other["ledger"] is None, other["may_steer"]) == (True, False, True)
        dry = live(make_job(kind="restart", options={}, state="running", dry_run=True), operator)
        assert (dry["has_ledger"], dry["ledger"], dry["may_pause"]) == (False, None, False)

    @pytest.mark.parametrize(
        ("state", "may"),
        [
            ("planning", ["is_live", "may_stop"]),
            ("planned", ["is_live", "may_stop"]),
            ("queued", ["is_live", "may_pause", "may_stop"]),
            ("running", ["is_live", "may_pause", "may_stop"]),
            ("paused", ["is_live", "may_resume", "may_stop"]),
            ("stopping", ["is_live"]),
            ("done", []),
            ("failed", []),
            ("stopped", []),
        ],
    )
    def test_offer_what_the_state_allows_to_users_who_may_steer(self, state, may):
        job = make_job(kind="restart", options={}, state=state)
        offers = ("is_live", "may_pause", "may_resume", "may_stop")
        shown = live(job, make_user("operator"))
        assert [name for name in offers if shown[name]] == may
        reader = live(job, make_user("support", username="bob"))
        assert not any(reader[name] for name in offers[1:])

    def test_keep_the_part_of_the_ledger_that_is_shown(self):
        job, user = make_job(kind="restart", options={}, state="running"), make_user("operator")
        assert live(job, user)["asked"] == ""
        assert live(job, user, "?outcome=failed")["asked"] == "?outcome=failed"


def test_each_action_has_its_own_form():
    forms = _steering_forms(Job(rate=2.5))
    assert {name: (type(form), form.auto_id, form.initial) for name, form in forms.items()} == {
        "resume": (ResumeForm, "resume_%s", {}),
        "stop": (ReasonForm, "stop_%s", {}),
        "refuse": (ReasonForm, "refuse_%s", {}),
        "rate": (RateForm, "rate_%s", {"rate": 2.5}),
        "undo": (ReasonForm, "undo_%s", {}),
        "retry": (ReasonForm, "retry_%s", {}),
    }


@pytest.mark.parametrize(
    ("typed", "number"), [("", None), ("1 000", 1_000), ("17", 17), ("\u0663", "wrong"), ("x", "wrong")]
)
def test_a_confirmed_number_is_a_whole_number(typed, number):
    form = ResumeForm({"confirmed": typed})
    assert form.is_valid() == (number != "wrong")
    assert form.cleaned_data.get("confirmed", "wrong") == number
