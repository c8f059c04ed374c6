"""Jobs that find what failing messages have in common, on Spark and PostgreSQL."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.db.models import F

from messages_app.audit.models import AuditEntry
from messages_app.jobs.drivers import analyse
from messages_app.jobs.engine import runner
from messages_app.jobs.models import Job, LedgerRow
from messages_app.jobs.selectors import job_progress
from messages_app.messages.models import ArchiveMessage, Message
from tests.messages_app.jobs.engine.test_runner import sweep_until_ended
from tests.support import jobs
from tests.support.eventually import eventually
from tests.support.factories import make_message
from tests.support.workers import kill

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("spark_remote")]

START = datetime(2026, 11, 20, 10, tzinfo=UTC)


_MANY_ORDERS = """
INSERT INTO message (msg_id, correlation_id, msg_timestamp, receive_timestamp, service_name, source_system,
                     state, operation_name, payload)
SELECT n, 'many-' || n, %(start)s, %(start)s + n * interval '0.01 s', 'billing', 'CRM',
       (ARRAY['FAILED', 'OK'])[1 + n %% 2], 'call',
       '<Order><Currency>' || (ARRAY['CHF', 'EUR'])[1 + n %% 2] || '</Currency><Id>' || n || '</Id></Order>'
  FROM generate_series(1, 40000) AS n
"""


def make_order(number: int, state: str, currency: str, **columns: object) -> int:
    payload = f"<Order><Currency>{currency}</Currency><Total>{number}.00</Total></Order>"
    received = START + timedelta(seconds=20 * number)
    return make_message(state=state, payload=payload, receive_timestamp=received, **columns).pk


def make_outage(failing: int = 30, passing: int = 120) -> None:
    """Make orders of which those in CHF fail."""
    for number in range(failing):
        make_order(number, "FAILED", "CHF")
    for number in range(passing):
        make_order(number % failing, "OK", ("EUR", "USD")[number % 2])


def archive_processed() -> None:
    for message in Message.objects.filter(state="OK"):
        names = [field.attname for field in Message._meta.concrete_fields]
        ArchiveMessage.objects.create(**{name: getattr(message, name) for name in names})
        message.delete()


def findings_of(job: Job) -> list[dict]:
    return job.report["findings"]


class TestAnalysing:
    def test_names_the_value_that_all_failures_have_and_changes_no_message(self):
        make_outage()
        before = list(Message.objects.order_by("pk").values_list("pk", "state", "payload"))

        done = jobs.run("analyse", {"state": "FAILED"})

        assert (done.job.state, done.job.error, done.planned, done.done) == ("done", "", 30, 30)
        (finding,) = findings_of(done.job)
        assert [(each["field"], each["value"]) for each in finding["predicates"]] == [
            ("/Order/Currency", "CHF")
        ]
        assert [finding[name] for name in ("failing", "failing_total", "passing", "passing_total")] == [
            30,
            30,
            0,
            120,
        ]
        assert done.job.report["comparison"] | {"comparisons": 0} == {
            "failing": 30,
            "passing": 120,
            "services": ["billing"],
            "start": "2026-11-20T10:00:00+00:00",
            "end": "2026-11-20T10:10:00+00:00",
            "uncompared": 0,
            "days": 0,
            "archived": 0,
            "unreadable": 0,
            "comparisons": 0,
            "is_comparable": True,
        }
        assert list(Message.objects.order_by("pk").values_list("pk", "state", "payload")) == before
        assert set(LedgerRow.objects.filter(job_id=done.job.pk).values_list("outcome", "new_state")) == {
            ("done", None)
        }
        assert "CHF" not in str(list(AuditEntry.objects.values_list("details", flat=True)))

    def test_selects_failed_messages_if_the_filter_has_no_state(self):
        make_outage(6, 30)

        done = jobs.run("analyse", {"service_name": "billing"})

        assert (done.job.filter, done.planned) == ({"state": "FAILED", "service_name": "billing"}, 6)

    def test_finds_nothing_if_failures_differ_in_nothing(self):
        for number in range(20):
            make_order(number, "FAILED", ("CHF", "EUR")[number % 2])
            make_order(number, "OK", ("CHF", "EUR")[number % 2])

        job = jobs.run("analyse", {"state": "FAILED"}).job

        assert (job.state, findings_of(job), job.report["comparison"]["is_comparable"]) == ("done", [], True)

    def test_ends_without_messages(self):
        job = jobs.run("analyse", {"state": "FAILED"}).job

        assert (job.state, job.report["findings"]) == ("done", [])

    def test_compares_with_the_messages_of_another_filter(self):
        make_outage()
        for number in range(40):
            make_order(number, "OK", "CHF", service_name="order")

        done = jobs.run("analyse", {"state": "FAILED"}, compare_with={"service_name": "order"})

        (finding,) = findings_of(done.job)
        assert (finding["predicates"][0]["field"], finding["predicates"][0]["value"]) == (
            "service_name",
            "billing",
        )
        assert finding["passing_total"] == 40

    def test_compares_with_the_days_around_an_outage_in_which_nothing_was_processed(self):
        make_outage(30, 160)
        later = timedelta(days=2) + F("receive_timestamp")
        Message.objects.filter(state="OK").update(receive_timestamp=later)
        for number in range(3):
            make_order(number, "FAILED", "EUR", service_name="unused")

        job = jobs.run("analyse", {"state": "FAILED"}).job

        assert findings_of(job)[0]["predicates"][0]["value"] == "CHF"
        comparison = job.report["comparison"]
        assert (comparison["passing"], comparison["uncompared"], comparison["days"]) == (160, 3, 7)

    def test_compares_with_archived_messages_of_the_time_before_those_of_other_days(self):
        make_outage(30, 160)
        archive_processed()
        for number in range(90):
            make_order(number + 4_000, "OK", "CHF")

        job = jobs.run("analyse", {"state": "FAILED"}).job

        assert findings_of(job)[0]["predicates"][0]["value"] == "CHF"
        comparison = job.report["comparison"]
        assert (comparison["passing"], comparison["archived"], comparison["days"]) == (160, 160, 0)

    def test_reads_no_archived_messages_where_enough_are_live(self):
        make_outage(30, 160)
        archive_processed()
        for number in range(200):
            make_order(number % 30, "OK", ("EUR", "USD")[number % 2])

        comparison = jobs.run("analyse", {"state": "FAILED"}).job.report["comparison"]

        assert (comparison["passing"], comparison["archived"]) == (200, 0)

    def test_counts_without_comparing_in_a_dry_run(self):
        make_outage(6, 30)

        job = jobs.work(jobs.new_job("analyse", {"state": "FAILED"}, dry_run=True)).job

        assert (job.state, job.report["planned"]) == ("planned", 6)
        assert "findings" not in job.report


class TestFrozenSet:
    def test_is_compared_as_it_was_planned(self):
        make_outage()
        job = jobs.new_job("analyse", {"state": "FAILED"})
        jobs.plan_only(job)
        Message.objects.filter(state="FAILED").update(state="OK")
        make_order(1, "FAILED", "EUR")

        done = jobs.work(job)

        assert (done.planned, done.job.report["comparison"]["failing"]) == (30, 30)

    def test_skips_a_message_that_the_hub_deleted(self):
        make_outage()
        job = jobs.new_job("analyse", {"state": "FAILED"})
        jobs.plan_only(job)
        Message.objects.filter(state="FAILED").order_by("pk").first().delete()

        done = jobs.work(job)

        assert (done.done, done.skipped, done.outcomes[-1]) == (29, 1, ("skipped:vanished", 1))


class TestStopping:
    @pytest.mark.parametrize(("change", "state"), [("stopping", "stopped"), ("paused", "paused")])
    def test_ends_the_comparison_when_its_next_part_is_read(self, monkeypatch, change, state):
        make_outage()
        job = jobs.new_job("analyse", {"state": "FAILED"})
        add_messages = analyse._Progress.add_messages

        parts = []

        def change_first(self, number):
            parts.append(number)
            Job.objects.filter(pk=job.pk).update(state=change, paused_for="operator")
            add_messages(self, number)

        monkeypatch.setattr(analyse._Progress, "add_messages", change_first)

        done = jobs.work(job)

        assert (done.job.state, "findings" in done.job.report, done.job.error) == (state, False, "")
        assert len(parts) == 1

    def test_compares_again_after_a_worker_died_and_answers_once(self, monkeypatch):
        make_outage()
        job = jobs.new_job("analyse", {"state": "FAILED"})
        monkeypatch.setattr(analyse, "write_finding", None)  # The worker fails after the comparison.
        assert jobs.work(job).job.state == "running"
        monkeypatch.undo()

        done = jobs.work(job)

        assert (done.job.state, done.job.attempt, len(findings_of(done.job))) == ("done", 2, 1)

    @pytest.mark.slow
    def test_answers_once_after_its_worker_is_killed_while_it_compares(self, start_worker):
        with connection.cursor() as cursor:
            cursor.execute(_MANY_ORDERS, {"start": START})
        worker = start_worker()
        job = jobs.new_job("analyse", {"state": "FAILED"})
        eventually(lambda: 0 < Job.objects.get(pk=job.pk).report.get("read", 0) < 40_000, seconds=120)

        kill(worker)
        killed = Job.objects.get(pk=job.pk)
        assert (killed.state, "findings" in killed.report) == ("running", False)
        start_worker()
        eventually(lambda: sweep_until_ended(job), seconds=240)

        done = job_progress(job.pk)
        (finding,) = findings_of(done.job)
        assert (done.job.state, done.job.attempt, done.done) == ("done", 2, 20_000)
        assert (finding["predicates"][0]["value"], finding["failing"], finding["passing"]) == (
            "CHF",
            20_000,
            0,
        )
        # Almost all: minutes are compared in the mix of the failures.
        assert done.job.report["comparison"]["passing"] > 19_000

    def test_does_not_compare_again_after_the_findings_are_stored(self, monkeypatch):
        make_outage()
        job = jobs.new_job("analyse", {"state": "FAILED"})
        run_chunks = runner.run_chunks
        monkeypatch.setattr(runner, "run_chunks", None)  # The worker fails before the chunks.
        findings = jobs.work(job).job.report["findings"]
        monkeypatch.setattr(runner, "run_chunks", run_chunks)
        monkeypatch.setattr(analyse, "compare_sides", None)

        done = jobs.work(job)

        assert (done.job.state, findings_of(done.job)) == ("done", findings)
