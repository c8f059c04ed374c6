from datetime import timedelta

import pytest
from django.db import connection

from messages_app.core.clock import database_clock
from messages_app.core.statements import Statements
from messages_app.jobs.exports import jobs_with_file
from messages_app.jobs.models import Job
from tests.support.plans import faults_of

statements = Statements("messages_app.jobs")


pytestmark = pytest.mark.django_db


def export(**report: str) -> Job:
    return Job(kind="export", state="done", options={"format": "csv"}, reason="x", report=report)


class TestKept:
    def test_uses_the_report_and_the_clock_of_the_database(self):
        now = database_clock()
        reports = [{"expires_at": (now + timedelta(minutes=m)).isoformat()} for m in (5, -5)]
        young, old, silent = Job.objects.bulk_create(export(**report) for report in (*reports, {}))
        assert jobs_with_file([young.pk, old.pk, silent.pk]) == {young.pk}
        assert jobs_with_file([]) == set()

    def test_reads_only_the_requested_jobs(self):
        until = (database_clock() + timedelta(hours=1)).isoformat()
        jobs = Job.objects.bulk_create(export(expires_at=until) for _ in range(3_000))
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE job")
        asked = {"job_ids": [job.pk for job in jobs[1_000:1_020]]}
        assert faults_of(statements.read_text("exports_kept"), asked, most_rows=20) == []
