"""The jobs that browsers notify a person of."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from lxml import html

from messages_app.core.clock import database_clock
from messages_app.shared.job_states import JobState, PauseReason
from tests.messages_app.jobs.stored_jobs import make_half_done_job, make_restart
from tests.support.page_client import client_of, text_of
from tests.support.plans import reads_of

pytestmark = pytest.mark.django_db

MANY_JOBS = """
INSERT INTO job (kind, state, filter, options, dry_run, reason, created_by, creator_id, finished_at,
                 paused_for, attempt, report, error)
SELECT 'restart', 'done', '{}', '{}', false, 'r', 'ada', %(user_id)s, now() - n * interval '1 minute',
       '', 1, '{}', ''
  FROM generate_series(0, 20000) AS n;
ANALYZE job
"""


def notices_of(client, since: str) -> dict[str, str]:
    """Return the notices of a poll: text by title."""
    part = html.fromstring(f"<div>{text_of(client.get('/failures/now/', {'jobs_since': since}))}</div>")
    return {line.get("title"): line.text for line in part.xpath("//*[@data-job-notice]")}


class TestJobNotices:
    def test_report_ends_of_own_jobs_and_jobs_that_wait_for_a_person(self):
        client = client_of("operator")
        now = database_clock()
        done = make_half_done_job(state=JobState.DONE, finished_at=now)
        failed = make_restart(state=JobState.FAILED, finished_at=now)
        stopped = make_restart(state=JobState.STOPPED, finished_at=now)
        planned = make_restart(
            state=JobState.PLANNED, finished_at=now, dry_run=True, report={"planned": 7_000, "skipped": {}}
        )
        second = make_restart(state=JobState.PLANNED, paused_for=PauseReason.SECOND_PERSON, paused_at=now)
        undecided = make_restart(
            state=JobState.PAUSED, paused_for=PauseReason.CANARY_UNDECIDED, paused_at=now - timedelta(days=2)
        )
        make_restart(state=JobState.PAUSED, paused_for=PauseReason.CANARY, paused_at=now)
        make_restart(state=JobState.PAUSED, paused_for=PauseReason.OPERATOR, paused_at=now)
        make_restart(state=JobState.RUNNING)
        make_restart(state=JobState.DONE, finished_at=now - timedelta(minutes=50))
        make_restart(state=JobState.DONE, finished_at=now, created_by="bob", creator_id=None)
        assert notices_of(client, (now - timedelta(minutes=5)).isoformat()) == {
            f"Job {done.pk} is done": "Archive: 2 done, 1 skipped, 1 failed",
            f"Job {failed.pk} failed": "Restart",
            f"Job {stopped.pk} was stopped": "Restart",
            f"Job {planned.pk} is planned: the dry run has ended": "Restart: 7\u202f000 planned",
            f"Job {second.pk} waits for approval by a second person": "Restart",
            f"Job {undecided.pk} waits for Resume after its test batch": "Restart",
        }

    def test_of_a_browser_that_slept_are_those_of_the_last_hour(self):
        client = client_of("operator")
        now = database_clock()
        recent = make_restart(state=JobState.DONE, finished_at=now - timedelta(minutes=50))
        make_restart(state=JobState.DONE, finished_at=now - timedelta(minutes=70))
        assert notices_of(client, "2020-01-01T00:00:00Z") == {f"Job {recent.pk} is done": "Restart"}

    def test_are_not_for_users_who_may_not_see_jobs(self):
        client = client_of("support")
        make_restart(state=JobState.DONE, finished_at=database_clock())
        text = text_of(client.get("/failures/now/", {"jobs_since": "2020-01-01T00:00:00Z"}))
        assert text.count("data-job-notice") == 1
        group = Group.objects.get(name="support")
        group.permissions.remove(*group.permissions.filter(codename="view_job"))
        text = text_of(client.get("/failures/now/", {"jobs_since": "2020-01-01T00:00:00Z"}))
        assert "job-notices" not in text

    @pytest.mark.parametrize("since", ["", "yesterday", "2020-01-01T00:00:00", "2020-01-01 00:00:00+00:00"])
    def test_need_a_time(self, since):
        response = client_of("support").get("/failures/now/", {"jobs_since": since})
        assert response.status_code == 400
        assert "jobs_since" in text_of(response)

    def test_are_read_by_indexes(self):
        reader = client_of("operator")
        sent = []
        with connection.cursor() as cursor:
            cursor.execute(MANY_JOBS, {"user_id": User.objects.get().pk})
            with connection.execute_wrapper(reads_of(sent)):
                assert len(notices_of(reader, "2020-01-01T00:00:00Z")) == 20
            [(sql, values)] = [(sql, values) for sql, values in sent if "job_finished_idx" in sql]
            cursor.execute(f"EXPLAIN {sql}", values)
            plan = "\n".join(line for [line] in cursor.fetchall())
        assert "Seq Scan on job" not in plan, plan
        assert "job_finished_idx" in plan
