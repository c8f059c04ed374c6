import io
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command, get_commands
from django.test import Client

from messages_app.audit.models import AuditEntry
from messages_app.jobs.kinds.registry import kind_specs
from messages_app.jobs.models import Job
from messages_app.messages.failures.models import NewFailure
from tests.support.factories import make_message, make_user
from tests.support.workers import database_of_tests, make_old_messages

pytestmark = pytest.mark.django_db(transaction=True)

KINDS = ["restart", "cancel", "restore", "export"]
NOWHERE = "postgresql://ada:secret@127.0.0.1:9/hub"


def call(kind: str, *arguments: str) -> str:
    output = io.StringIO()
    call_command(kind, *arguments, stdout=output, stderr=io.StringIO())
    return output.getvalue()


def refused(kind: str, *arguments: str) -> CommandError:
    with pytest.raises(CommandError) as refusal:
        call(kind, *arguments)
    assert not Job.objects.exists()
    return refusal.value


def program(*arguments: str, **environment: str) -> subprocess.Popen:
    """Start `manage.py` as a shell would, on the database of the tests."""
    return subprocess.Popen(
        [sys.executable, "manage.py", *arguments],
        env=os.environ | database_of_tests() | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


class TestJobCommand:
    @pytest.mark.parametrize("kind", KINDS)
    def test_makes_a_job_of_the_filter(self, kind):
        output = call(kind, "?state=FAILED&state=OK&service_name=b%26c", "--reason", "the target is back")
        job = Job.objects.get()
        assert f"Job {job.pk} created." in output
        assert (job.kind, job.reason, job.dry_run) == (kind, "the target is back", False)
        assert job.filter | {"archived": "true"} == {
            "state": "FAILED,OK",
            "service_name": "b&c",
            "archived": "true",
        }
        assert AuditEntry.objects.get().actor.startswith("command line (")

    def test_accepts_every_option(self):
        guarded = ["--rate", "2.5", "--canary", "20", "--stop-at-failure-rate", "0.1"]
        call("restart", "state=FAILED", "--total", "--also-resent", *guarded, "--dry-run")
        call("export", "state=FAILED", "--format", "jsonl", "--payload")
        call("archive", "--to", "parquet", "--older-than-months", "7")
        restart, export, archive = Job.objects.order_by("pk")
        flags, guards = {"total": True, "also_resent": True}, {"canary": 20, "stop_at_failure_rate": 0.1}
        assert restart.options == flags | guards | {"rate": 2.5}
        assert (restart.dry_run, restart.rate) == (True, 2.5)
        assert export.options == {"format": "jsonl", "payload": True}
        assert archive.options == {"to": "parquet", "older_than_months": 7}

    def test_has_the_options_of_comparisons_and_of_resends(self):
        call("analyse", "state=FAILED", "--compare-with", "?service_name=b%26c&state=OK")
        call(
            "resend", "state=FAILED", "--find", "CHF", "--replace", "", "--no-cancel-original", "--rate", "5"
        )
        call("resend", "state=FAILED", "--path", "//currency", "--value", "EUR", "--dry-run")
        analyse, resend, dry_run = Job.objects.order_by("pk")
        assert analyse.options == {"compare_with": {"service_name": "b&c", "state": "OK"}}
        none = {"find": None, "replace": None, "path": None, "value": None}
        of_text = {"find": "CHF", "replace": "", "cancel_original": False, "rate": 5}
        assert resend.options == none | of_text
        of_path = {"path": "//currency", "value": "EUR", "cancel_original": True}
        assert dry_run.options | {"rate": None} == none | of_path | {"rate": None}

    def test_exists_for_every_kind(self):
        assert set(kind_specs) <= set(get_commands())

    def test_archives_by_a_filter_what_is_two_months_old(self):
        call("archive", "state=CANCEL")
        job = Job.objects.get()
        assert (job.filter, job.options["older_than_months"]) == ({"state": "CANCEL"}, 2)

    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize(
        ("filter", "said"),
        [
            ("", "filter: Add a filter"),
            ("  ? ", "filter: Add a filter"),
            ("archived=false", "filter: Add a filter"),
            ("state", "filter.state: "),
            ("state=GONE", "filter.state: "),
            ("stat=FAILED", "filter.stat: .*Did you mean 'state'"),
            ("process_id=a&process_id=b", "filter.process_id: "),
            ("state=FAILED&ordering=msg_id", "filter.ordering: "),
            ("service_name=%00", "filter.service_name: "),
        ],
    )
    def test_refuses_a_filter_that_is_empty_or_unknown(self, kind, filter, said):
        error = refused(kind, filter)
        assert error.returncode == 2
        assert re.search(said, str(error))

    @pytest.mark.parametrize("filter", ["%ff=1", "service_name=%C3%28", "service_name=\udcff"])
    def test_refuses_a_filter_that_is_not_utf_8(self, filter):  # J68
        assert "percent-encoded UTF-8" in str(refused("restart", filter))

    @pytest.mark.parametrize(
        "arguments",
        [
            ("restart", "state=OK", "--rate", "nan"),
            ("restart", "state=OK", "--rate", "0"),
            ("restart", "state=OK", "--canary", "99999999999999999999"),
            ("cancel", "state=NEW", "--stop-at-failure-rate", "20"),
            ("archive", "state=NEW"),
            ("archive", "archived=true&state=OK"),
            ("export", "state=OK", "--reason", "r" * 1001),
            ("export", "state=OK", "--reason", ""),
        ],
    )
    def test_refuses_what_is_out_of_bounds_with_status_2(self, arguments):
        assert refused(*arguments).returncode == 2

    @pytest.mark.parametrize(
        "arguments",
        [
            ("restart",),
            ("restart", "state=OK", "--rate", "fast"),
            ("restart", "state=OK", "--canary", "1.5"),
            ("restart", "state=OK", "--canary", "9" * 5000),
            ("cancel", "state=OK", "--total"),
            ("restore", "state=OK", "--to", "tables"),
            ("export", "state=OK", "--format", "exe"),
            ("export", "state=OK", "--output", "/etc/passwd"),
            ("archive", "--nope"),
        ],
    )
    def test_refuses_arguments_that_it_does_not_know(self, arguments):
        refused(*arguments)

    def test_requires_a_reason_from_1001_messages_on(self):  # J73
        make_old_messages(1001)
        error = refused("restart", "state=OK")
        assert (error.returncode, "--reason" in str(error)) == (2, True)
        call("restart", "state=OK", "--reason", "all of them")
        call("restart", "correlation_id=bulk-7")
        call("archive")
        assert [job.reason for job in Job.objects.order_by("pk")] == [
            "all of them",
            "restart command",
            "archive command",
        ]

    def test_reports_in_one_line_which_job_is_not_finished(self):
        running = Job.objects.create(kind="archive", state="running", reason="r")
        with pytest.raises(CommandError, match=f"Archive job {running.pk} is not finished") as refusal:
            call("archive", "state=OK")
        assert refusal.value.returncode == 1


class TestExitStatus:
    @pytest.mark.slow
    def test_is_2_for_bad_arguments(self):
        ended = program("restart", "stat=FAILED")
        _, error = ended.communicate(timeout=60)
        assert (ended.returncode, error.count("\n")) == (2, 1)
        assert "filter.stat" in error

    def test_is_1_if_the_database_is_down_and_reveals_no_password(self):  # J70
        ended = program("archive", DATABASE_URL=NOWHERE)
        output, error = ended.communicate(timeout=60)
        assert (ended.returncode, error.count("\n")) == (1, 1)
        assert "127.0.0.1:9" in error
        assert "secret" not in output + error

    @pytest.mark.slow
    def test_is_0_if_the_broker_is_down_and_the_job_starts_later(self):
        """Source: docs/contributing/spec/promises.md, F-20."""
        ended = program("archive", CELERY_BROKER_URL="redis://127.0.0.1:9/0")
        output, _ = ended.communicate(timeout=60)
        job = Job.objects.get()
        assert (ended.returncode, output) == (0, f"Job {job.pk} created.\n")
        assert (job.state, job.attempt, job.lease_until) == ("planning", 0, None)

    def test_is_1_after_ctrl_c_and_the_job_continues(self):
        make_message(state="FAILED")
        waiting = program("restart", "state=FAILED", "--wait", PYTHONUNBUFFERED="1")
        made = waiting.stdout.readline()
        waiting.send_signal(signal.SIGINT)
        _, error = waiting.communicate(timeout=60)
        job = Job.objects.get()
        assert made == f"Job {job.pk} created.\n"
        assert waiting.returncode == 1
        assert error.splitlines()[-1] == (
            f"CommandError: No longer waiting. Job {job.pk} continues; its page is /jobs/{job.pk}/."
        )
        assert job.state == "planning"


@pytest.mark.usefixtures("worker")
class TestWait:
    def test_ends_with_what_a_worker_did(self):
        make_message(state="FAILED")
        make_message(state="OK")
        output = call("restart", "state=FAILED,OK", "--wait")
        assert "done: 2 messages planned, 1 done, 1 skipped, 0 failed." in output
        assert "skipped:state_conflict: 1 messages" in output

    def test_succeeds_if_nothing_matches(self):  # J24
        assert "0 messages planned" in call("cancel", "service_name=nobody", "--wait")

    @pytest.mark.slow
    def test_of_grouping_counts_failures(self):
        for _ in range(2):
            make_message(state="FAILED", failed_desc="E103: timed out")
        NewFailure.objects.all().delete()  # like failures from before the console was installed
        output, shown = io.StringIO(), io.StringIO()
        call_command("group_failures", "--wait", stdout=output, stderr=shown)
        assert "of 0 messages" not in shown.getvalue()
        last = output.getvalue().splitlines()[-1]
        assert last == f"Job {Job.objects.get().pk} is done: 2 failures grouped."
        client = Client()
        client.force_login(make_user("support"))
        assert "2 failures grouped" in client.get("/jobs/").content.decode()

    def test_names_the_file_of_an_export(self):
        make_message(state="FAILED", correlation_id="corr-of-the-export")
        output = call("export", "state=FAILED", "--format", "csv", "--wait")
        path = next(line.removeprefix("File: ") for line in output.splitlines() if line.startswith("File: "))
        assert "corr-of-the-export" in Path(path).read_text()
