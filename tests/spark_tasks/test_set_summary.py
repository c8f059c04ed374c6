"""The counts of a dry run of a restart or cancel, on real Spark."""

from datetime import timedelta

import pytest

from messages_app.jobs.connections import database_dsn, spark_address
from messages_app.jobs.engine import runner
from messages_app.jobs.kinds.registry import rivals_of
from messages_app.jobs.models import Job
from messages_app.jobs.services.create import create_job
from spark_tasks.plans.selection import read_selection, with_reasons
from spark_tasks.session import spark_session
from spark_tasks.set_summary import MAX_GROUPS, SummaryOptions, summarise_set
from tests.support.factories import make_external_call, make_message, make_messages, make_request
from tests.support.jobs import ANA
from tests.support.ledgers import store_ledger

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("spark_remote")]


def dry_run(kind: str, filter: dict[str, object], **options: object) -> dict[str, object]:
    job = create_job(
        kind=kind,
        filter=filter,
        options=options,
        dry_run=True,
        reason="x",
        actor=ANA,
        user=None,
    )
    runner.run_job(job_id=job.pk)
    job.refresh_from_db()
    return job.report


class TestSummarise:
    def test_counts_every_group_and_agrees_with_the_quick_preview(self):
        failed = [make_message(state="FAILED", failed_error_code="E103") for _ in range(12)]
        make_message(state="OK", funnel_component_id="f1")
        taken = failed[0].pk
        other = Job.objects.create(kind="cancel", state="running", reason="x", created_by="bob")
        store_ledger(other, {taken: None})
        crm = {"operation_name": "http://crm.example/ws"}
        for message in failed[1:5]:
            make_external_call(message, **crm, state="FAILED")
        for message in failed[3:6]:
            make_external_call(message, **crm)
        earlier = failed[6].msg_timestamp - timedelta(days=1)
        make_external_call(failed[6], **crm, msg_timestamp=earlier)
        make_external_call(failed[0], operation_name="http://taken.example/ws", state="FAILED")
        for message in failed[1:3]:
            make_request(message, uri="http://crm.example/ws")

        report = dry_run("restart", {"service_name": "billing"}, rate=11)

        assert (report["planned"], report["by_state"]) == (13, {"FAILED": 12, "OK": 1})
        assert report["by_service"] == {"billing": 13}
        assert report["by_error"] == {"E103": 12, "": 1}
        assert report["by_funnel"] == {"": 12, "f1": 1}
        assert report["skipped"] == {"in_job": 1, "state_conflict": 1}
        assert report["samples"] == [message.pk for message in failed[1:11]]
        assert report["systems"] == {
            "crm.example": {"skipped": 3, "sent_again": 5, "repeated": 1, "asked_before": 2}
        }
        assert (report["seconds"], report["rate_is_chosen"]) == (1.0, True)
        for name in ("planned", "by_state", "by_service", "by_error", "by_funnel", "skipped", "systems"):
            assert report["estimate"][name] == report[name]

    def test_counts_successful_calls_as_repeated_by_a_total_restart(self):
        make_external_call(make_message(state="FAILED"), operation_name="direct:mail", state="OK")
        systems = [dry_run("restart", {"state": "FAILED"}, total=total)["systems"] for total in (False, True)]
        assert [each["direct:mail"]["skipped"] for each in systems] == [1, 0]
        assert [each["direct:mail"]["repeated"] for each in systems] == [0, 1]

    def test_counts_no_calls_of_a_cancel(self):
        make_message(state="POSTPONED")
        assert "systems" not in dry_run("cancel", {"state": "POSTPONED"})

    def test_is_zero_for_an_empty_set(self):
        report = dry_run("restart", {"correlation_id": "nobody"})
        assert (report["planned"], report["skipped"], report["samples"]) == (0, {}, [])

    def test_returns_only_the_largest_groups(self):
        make_messages(300)
        query = (
            "SELECT msg_id, state, 's' || (msg_id %% 150), NULL::text,"
            " CASE WHEN msg_id %% 2 = 0 THEN 'even' END FROM message"
        )
        with spark_session(spark_address()) as spark:
            messages = read_selection(spark, dsn=database_dsn(), queries=[(query, ())])
            found = summarise_set(
                with_reasons(messages, allowed=None),
                options=SummaryOptions(dsn=database_dsn(), rivals=rivals_of("restart")),
            )
        assert len(found["by_service"]) == MAX_GROUPS
        assert found["by_error"] == {"": 300}
        assert found["by_funnel"] == {"": 150, "even": 150}
        assert found["planned"] == 300
