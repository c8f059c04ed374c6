import pytest
from django.contrib.auth import get_user_model
from django_celery_beat.models import PeriodicTask

from messages_app.access.models import IdempotencyKey
from messages_app.audit.services import Actor
from messages_app.jobs.models import Job, JobSchedule
from messages_app.jobs.schedules.services import save_schedule
from messages_app.messages.failures.models import FailureGroup
from messages_app.messages.listing.models import SavedView
from tests.messages_app.erasure.runs import dry_run, run
from tests.support.factories import NOON, make_user
from tests.support.subjects import KEY, OTHER, changed_since, holding, rows_without

pytestmark = pytest.mark.django_db(transaction=True)


def make_job(state: str = "done", key: str = KEY, **columns: object) -> Job:
    values = {"kind": "cancel", "reason": f"asked by {key}", "created_by": "ada"}
    return Job.objects.create(state=state, filter={"object_id": key, "state": ["OK"]}, **values | columns)


def make_group(key: str) -> FailureGroup:
    texts = {"summary": f"no address of {key}", "example": key, "note": f"call {key}.", "ticket": key}
    seen = {"first_seen": NOON, "last_seen": NOON, "service_name": "billing", "operation_name": "x"}
    return FailureGroup.objects.create(fingerprint=key, **texts, **seen)


class TestEraseParameters:
    @pytest.mark.parametrize("state", ["done", "failed", "stopped"])
    def test_replaces_the_key_in_the_parameters_of_an_ended_job(self, state):
        job = make_job(state, report={"filter": KEY}, error=f"{KEY}: gone", options={"note": [KEY]})
        theirs = make_job(state, OTHER)
        run()
        job.refresh_from_db()
        assert job.filter == {"object_id": "[erased]", "state": ["OK"]}
        assert (job.reason, job.error) == ("asked by [erased]", "[erased]: gone")
        assert (job.report, job.options) == ({"filter": "[erased]"}, {"note": ["[erased]"]})
        assert Job.objects.get(pk=theirs.pk).filter["object_id"] == OTHER
        assert holding(KEY) == {}

    @pytest.mark.parametrize("state", ["planning", "planned", "queued", "running", "paused", "stopping"])
    def test_leaves_a_job_that_continues_and_names_it(self, state):
        job = make_job(state)
        found = run()
        why = f"it is {state} and uses it: wait for that job, or stop it"
        assert found.left == [("job", str(job.pk), why)]
        assert Job.objects.get().filter["object_id"] == KEY

    def test_replaces_it_in_a_dry_run_which_stays_planned(self):
        make_job("planned", dry_run=True)
        assert run().left == []
        assert holding(KEY) == {}

    def test_removes_schedules_and_saved_views_and_changes_no_others(self):
        user = make_user("admin")
        for key in (KEY, OTHER):
            save_schedule(
                kind="cancel",
                filter={"object_id": key},
                options={},
                reason="each night",
                cron="30 2 * * *",
                zone="UTC",
                enabled=True,
                actor=Actor(username="ada"),
                user=user,
            )
            SavedView.objects.create(owner=user, name=f"of {key}"[:9], query=f"object_id={key}&state=OK")
        run()
        assert [each.filter["object_id"] for each in JobSchedule.objects.all()] == [OTHER]
        assert PeriodicTask.objects.filter(name__startswith="job schedule").count() == 1
        assert [view.query for view in SavedView.objects.all()] == [f"object_id={OTHER}&state=OK"]
        # Audit entries are never changed: docs/contributing/decisions/0017-subject-erasure.md.
        assert set(holding(KEY)) == {"audit_entry"}

    def test_finds_a_view_that_writes_the_key_as_addresses_do(self):
        key = "Ada & Söhne/4711"
        SavedView.objects.create(owner=make_user(), name="x", query="object_id=Ada+%26+S%C3%B6hne%2F4711")
        run(key)
        assert not SavedView.objects.exists()

    def test_replaces_it_in_the_answers_of_a_day_and_in_notes_on_failures(self):
        user = get_user_model().objects.create(username="ada")
        body = {"results": [{"object_id": KEY, "msg_id": 7}]}
        IdempotencyKey.objects.create(user=user, key="a", request_sha256="", status=200, body=body)
        for key in (KEY, OTHER):
            make_group(key)
        before = rows_without(KEY)
        run()
        assert IdempotencyKey.objects.get().body == {"results": [{"object_id": "[erased]", "msg_id": 7}]}
        group = FailureGroup.objects.exclude(note__contains=OTHER).get()
        assert (group.summary, group.note) == ("no address of [erased]", "call [erased].")
        assert (group.example, group.ticket) == ("[erased]", "[erased]")
        assert not any(gone for gone, _ in changed_since(before, KEY).values())

    def test_does_not_match_a_part_of_a_word(self):
        make_job(key=f"{KEY}9")
        assert dry_run().rows == {}

    def test_replaces_a_short_key_only_if_it_is_the_whole_value(self):
        job = make_job(key="7", reason="7 of them")
        run("7")
        job.refresh_from_db()
        assert (job.filter["object_id"], job.reason) == ("[erased]", "7 of them")
