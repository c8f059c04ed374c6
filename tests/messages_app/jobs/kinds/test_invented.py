"""A new kind of job is one record and one driver: pages, API, checks, lists and workers know it by these."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO

import pytest
from django.conf import settings
from django.core.management import call_command
from django.utils.timezone import now

from messages_app.audit.models import AuditEntry
from messages_app.jobs.models import Job, JobSchedule
from messages_app.jobs.preview.quick import preview_job
from messages_app.management.job_commands import JobCommand
from messages_app.messages.models import Message
from messages_app.shared.job_states import JobState, StoreName
from messages_app.shared.store_states import Status
from tests.hubconsole.console import REPOSITORY
from tests.messages_app.jobs.kinds.invented import KIND, SPEC, registered
from tests.messages_app.jobs.requested import request_of
from tests.support import jobs
from tests.support.api_client import caller, problem
from tests.support.factories import make_archived_message, make_message
from tests.support.ledgers import store_ledger
from tests.support.page_client import client_of, text_of
from tests.support.stores import set_process, store

pytestmark = pytest.mark.django_db

FAILED = {"state": "FAILED"}
# Each process builds the description once, so another process builds it with the kind.
_PROGRAM = """
import django, json, sys
django.setup()
from tests.messages_app.jobs.kinds.invented import registered
with registered():
    from drf_spectacular.generators import SchemaGenerator
    json.dump(SchemaGenerator().get_schema(public=True), sys.stdout, default=str)
"""


@pytest.fixture(autouse=True)
def _kind() -> Iterator[None]:
    with registered():
        yield


def ended_job(**columns: object) -> Job:
    """Store a job of the kind that has done one message."""
    message = make_message(state="FAILED")
    values = {"kind": KIND, "state": JobState.DONE, "reason": "x", "created_by": "ada", "finished_at": now()}
    job = Job.objects.create(**values | {"options": {"depth": 4}} | columns)
    store_ledger(job, {message.pk: "done"})
    return job


class TestPages:
    def test_offer_the_new_job_with_its_options(self):
        make_message(state="FAILED")
        page = text_of(client_of("operator").get(f"/jobs/new/?kind={KIND}&state=FAILED"))
        assert "<h1>Weigh messages</h1>" in page
        assert "Depth of the scales" in page
        assert "would be weighed" in page

    def test_refuse_users_without_its_permission(self):
        assert client_of("support").get(f"/jobs/new/?kind={KIND}&state=FAILED").status_code == 403

    def test_list_its_jobs_by_its_words_and_filter_by_it(self):
        ended_job()
        page = client_of("support").get(f"/jobs/?kind={KIND}")
        assert [line.title for line in page.context["lines"]] == ["Weigh"]
        assert (KIND, "Weigh") in page.context["kinds"]
        assert page.context["kind"] == KIND

    def test_show_what_its_job_did_and_offer_to_undo_it(self):
        page = text_of(client_of("operator").get(f"/jobs/{ended_job().pk}/"))
        assert "All messages were weighed." in page
        assert "Depth" in page
        assert 'id="afterwards"' in page
        assert "/undo/" in page

    def test_schedule_it(self):
        admin = client_of("admin")
        page = admin.get(f"/schedules/new/?kind={KIND}")
        assert (KIND, "Weigh messages") in page.context["kinds"]
        fields = {
            "depth": "2",
            "view": "own",
            "line": "state:FAILED",
            "every": "day",
            "at": "02:30",
            "zone": "UTC",
            "reason": "nightly",
        }
        assert admin.post(f"/schedules/new/?kind={KIND}", fields).status_code == 302
        assert JobSchedule.objects.get().options == {"depth": 2}


class TestApi:
    def test_accepts_it_with_defaults_and_audits_it(self):
        answer = caller("operator").post("jobs/", {"kind": KIND, "filter": FAILED, "reason": "r"})
        assert (answer.status_code, answer.json()["options"]) == (202, {"depth": 3})
        assert AuditEntry.objects.get(job_id=answer.json()["job_id"]).action == KIND

    def test_refuses_other_options_no_filter_and_archived_messages(self):
        operator = caller("operator")
        for body, field in (
            ({"filter": FAILED, "options": {"weight": 1}}, "options.weight"),
            ({"filter": FAILED, "options": {"depth": 0}}, "options.depth"),
            ({"filter": {}}, "filter"),
            ({"filter": FAILED | {"archived": "true"}}, "filter.archived"),
        ):
            answer = operator.post("jobs/", {"kind": KIND, "reason": "r"} | body)
            assert [each["field"] for each in problem(answer)["errors"]] == [field]

    def test_refuses_users_without_its_permission(self):
        answer = caller("support").post("jobs/", {"kind": KIND, "filter": FAILED, "reason": "r"})
        assert answer.status_code == 403

    def test_filters_the_list_by_it(self):
        job = ended_job()
        found = caller("support").get(f"jobs/?kind={KIND}").json()["results"]
        assert [each["job_id"] for each in found] == [job.pk]

    def test_undoes_its_job_by_the_kind_that_it_names(self):
        job = ended_job()
        made = caller("operator").post(f"jobs/{job.pk}/undo/", {"reason": "r"}).json()
        assert (made["kind"], made["undo_of"]) == (KIND, job.pk)


class TestDescription:
    def test_lists_the_kind_and_its_options(self):
        done = subprocess.run(
            [sys.executable, "-c", _PROGRAM],
            cwd=REPOSITORY,
            env=os.environ | {"HUBCONSOLE_HOME": str(settings.HUBCONSOLE_HOME)},
            capture_output=True,
            text=True,
            check=True,
        )
        described = json.loads(done.stdout)
        assert described["components"]["schemas"]["JobKind"]["enum"][-1] == KIND
        assert (
            "depth"
            in described["components"]["schemas"]["NewJobRequest"]["properties"]["options"]["properties"]
        )
        listed = described["paths"]["/api/v1/jobs/"]["get"]["parameters"]
        assert any(KIND in json.dumps(each) for each in listed)


class TestPreview:
    def test_counts_its_set(self):
        make_message(state="FAILED")
        make_archived_message(state="FAILED")
        report = preview_job(request_of(KIND, FAILED, depth=3))
        assert (report["planned"], report["to_do"]) == (1, 1)


class TestCommand:
    def test_takes_its_options(self):
        class Command(JobCommand):
            spec = SPEC
            does = "Weigh messages."

        out = StringIO()
        call_command(Command(), "state=FAILED", "--depth", "5", "--reason", "r", stdout=out)
        assert Job.objects.get().options == {"depth": 5}

    def test_needs_no_filter_if_the_kind_does_not(self):
        class Command(JobCommand):
            spec = replace(SPEC, needs_filter=False)
            does = "Weigh messages."

        with registered(needs_filter=False):
            call_command(Command(), stdout=StringIO())
        assert Job.objects.get().filter == {}

    def test_describes_the_filter_of_the_store(self):
        class Command(JobCommand):
            spec = replace(SPEC, store=StoreName.MESSAGE_STORE)
            does = "Weigh messages."

        with registered(store=StoreName.MESSAGE_STORE):
            text = Command().create_parser("manage.py", "weigh").format_help()
        assert "the query string of the message store's list" in " ".join(text.split())


class TestListOfItsStore:
    def test_offers_it(self):
        with registered(store=StoreName.MESSAGE_STORE):
            set_process(store(), status=Status.DATA_INVALID)
            page = client_of("operator").get(f"/message-store/messages/?status={int(Status.DATA_INVALID)}")
            assert "Weigh all matching messages" in text_of(page)
            assert f'href="/jobs/new/?kind={KIND}&amp;status=25"' in page.content.decode()

    def test_does_not_offer_it_to_a_reader_without_its_permission(self):
        with registered(store=StoreName.MESSAGE_STORE):
            set_process(store(), status=Status.DATA_INVALID)
            page = client_of("support").get(f"/message-store/messages/?status={int(Status.DATA_INVALID)}")
            assert "all matching messages" not in text_of(page)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("spark_remote")
class TestSpark:
    def test_counts_and_processes_its_messages_and_shows_the_report_of_its_driver(self):
        ids = [make_message(state="FAILED").pk for _ in range(3)]
        asked = jobs.work(jobs.new_job(KIND, FAILED, dry_run=True))
        assert (asked.job.state, asked.job.report["planned"]) == ("planned", 3)
        done = jobs.run(KIND, FAILED, depth=4)
        assert (done.job.state, done.done, done.job.report["depth"]) == ("done", 3, 4)
        told = AuditEntry.objects.filter(job_id=done.job.pk).values_list("details", flat=True)
        weighed = [msg_id for details in told for msg_id in details.get("weighed", ())]
        assert sorted(weighed) == ids
        assert set(Message.objects.values_list("state", flat=True)) == {"FAILED"}

    def test_skips_messages_that_it_already_has(self):
        make_message(state="FAILED")
        jobs.plan_only(jobs.new_job(KIND, FAILED))
        assert jobs.run("restart", FAILED).outcomes == [("skipped:in_job", 1)]
