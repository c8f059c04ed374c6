import io

import pytest
from django.core.management import CommandError, call_command

from messages_app.audit.services import Actor
from messages_app.jobs.models import Job
from messages_app.jobs.services.create import create_job
from tests.support.oracle import Oracle, places
from tests.support.workers import make_old_messages

pytestmark = pytest.mark.django_db(transaction=True)


def archive(*arguments: str) -> str:
    output = io.StringIO()
    call_command("archive", *arguments, stdout=output, stderr=io.StringIO())
    return output.getvalue()


# Before the tests with a worker, which stays for the rest of this file and would finish the job.
class TestArchive:
    def test_makes_a_job_with_the_requested_limit(self):
        archive("--older-than-months", "7", "--reason", "the yearly round")

        job = Job.objects.get()
        assert job.options == {"older_than_months": 7, "to": "tables"}
        assert job.reason == "the yearly round"

    @pytest.mark.parametrize("months", ["0", "1201", "99999999999999999999"])
    def test_refuses_a_limit_out_of_range_with_status_2(self, months):
        with pytest.raises(CommandError, match="older_than_months: Must be from 1 to 1200") as refusal:
            archive("--older-than-months", months)

        assert refusal.value.returncode == 2
        assert not Job.objects.exists()

    @pytest.mark.parametrize("arguments", [["--older-than-months", "two"], ["--to", "attic"], ["--nope"]])
    def test_refuses_arguments_that_it_does_not_know(self, arguments):
        with pytest.raises(CommandError):
            archive(*arguments)

        assert not Job.objects.exists()

    def test_names_the_job_that_is_not_finished(self):
        running = create_job(
            kind="archive",
            filter={},
            options={},
            dry_run=False,
            reason="test",
            actor=Actor(username="ana"),
            user=None,
        )

        with pytest.raises(CommandError, match=f"Archive job {running.pk} is not finished"):
            archive()


@pytest.mark.usefixtures("worker")
class TestWait:
    @pytest.mark.slow
    def test_ends_with_what_a_worker_did(self):
        make_old_messages(50)
        oracle = Oracle()

        output = archive("--wait")

        assert oracle.verdict().is_clean
        assert places("message")[0] == set()
        assert "done: 50 messages planned, 50 done, 0 skipped, 0 failed." in output

    @pytest.mark.slow
    def test_shows_what_would_be_moved_on_a_dry_run(self):
        make_old_messages(50)

        output = archive("--wait", "--dry-run")

        assert "would_move: message 50, request 50, response 50" in output
        assert places("message")[1] == set()
