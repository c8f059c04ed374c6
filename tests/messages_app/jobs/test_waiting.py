import time

import pytest

from messages_app.jobs.models import Job
from messages_app.jobs.waiting import MAX_WAITERS, wait_for_end
from tests.support.api_client import caller, problem
from tests.support.eventually import eventually
from tests.support.threads import in_threads


def make_job(**columns: object) -> Job:
    return Job.objects.create(**{"kind": "restart", "state": "running", "reason": "r"} | columns)


def seconds_of(work: object) -> float:
    began = time.monotonic()
    work()
    return time.monotonic() - began


@pytest.mark.django_db
class TestWaitForEnd:
    @pytest.mark.parametrize(
        "columns",
        [{"state": "done"}, {"state": "failed"}, {"state": "stopped"}, {"state": "planned", "dry_run": True}],
    )
    def test_returns_immediately_for_a_job_that_has_ended(self, columns):
        assert seconds_of(lambda: wait_for_end(make_job(**columns), seconds=60)) < 30

    @pytest.mark.parametrize(
        "columns", [{}, {"state": "paused"}, {"state": "planned"}, {"state": "stopping"}]
    )
    def test_returns_after_the_given_seconds_for_an_active_job(self, columns):
        assert seconds_of(lambda: wait_for_end(make_job(**columns), seconds=0.3)) >= 0.3

    def test_returns_for_a_job_that_no_longer_exists(self):
        job = make_job()
        Job.objects.all().delete()
        assert seconds_of(lambda: wait_for_end(job, seconds=60)) < 30


@pytest.mark.django_db(transaction=True)
class TestWaiters:
    def test_are_notified_of_the_end_and_leave_threads_for_others(self):
        client, job = caller("support"), make_job()
        answered: list[tuple[str, float]] = []
        headers = []

        def ask() -> None:
            began = time.monotonic()
            answer = client.get(f"jobs/{job.pk}/?wait=60")
            headers.append((answer.headers["X-Wait-Ended"], answer.headers.get("Retry-After")))
            answered.append((answer.json()["state"], time.monotonic() - began))

        def end() -> None:
            eventually(lambda: len(answered) == 1)
            Job.objects.filter(pk=job.pk).update(state="done")

        in_threads(*[ask] * (MAX_WAITERS + 1), end)
        assert [state for state, _ in answered] == ["running", *["done"] * MAX_WAITERS]
        assert max(seconds for _, seconds in answered) < 40
        assert headers == [("limit", "2"), *[("job", None)] * MAX_WAITERS]
        # The waiting callers have ended, so others may wait again.
        assert seconds_of(lambda: wait_for_end(make_job(), seconds=0.3)) >= 0.3


@pytest.mark.django_db(transaction=True)
class TestTimeOfARequest:
    def test_is_longer_for_a_waiting_job(self, settings):
        settings.REQUEST_SECONDS = 5  # for a machine that is busy with other work
        job = make_job()
        began = time.monotonic()
        answer = caller("support").get(f"jobs/{job.pk}/?wait=6")
        assert (answer.status_code, answer.json()["state"]) == (200, "running")
        assert time.monotonic() - began >= 6


@pytest.mark.django_db
class TestWaitEnded:
    @pytest.mark.parametrize(("state", "end"), [("done", "job"), ("running", "time")])
    def test_says_why_the_call_was_answered(self, state, end):
        answer = caller("support").get(f"jobs/{make_job(state=state).pk}/?wait=1")
        assert (answer.headers["X-Wait-Ended"], answer.headers.get("Retry-After")) == (end, None)

    def test_is_not_in_an_answer_that_did_not_wait(self):
        client, job = caller("support"), make_job()
        for query in ("", "?wait=0"):
            assert "X-Wait-Ended" not in client.get(f"jobs/{job.pk}/{query}").headers

    def test_is_in_an_answer_without_a_body(self):
        client, job = caller("support"), make_job(state="done")
        tag = client.get(f"jobs/{job.pk}/").headers["ETag"]
        answer = client.get(f"jobs/{job.pk}/?wait=1", **{"If-None-Match": tag})
        assert (answer.status_code, answer.headers["X-Wait-Ended"]) == (304, "job")


@pytest.mark.django_db
class TestWaitParameter:
    @pytest.mark.parametrize("text", ["-1", "61", "1.5", "abc", "1e1", "", "%D9%A1", "9" * 30])
    def test_is_a_number_of_seconds_up_to_a_minute(self, text):
        body = problem(caller("support").get(f"jobs/{make_job().pk}/?wait={text}"))
        assert (body["status"], body["errors"][0]["field"]) == (400, "wait")

    def test_is_only_for_existing_jobs(self):
        assert problem(caller("support").get("jobs/777/?wait=60"))["status"] == 404
