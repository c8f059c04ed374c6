"""The first preview of a job: exact for a small set, an estimate for a large one."""

import time
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import psycopg
import pytest
from django.db import OperationalError, connection, transaction

from messages_app.audit.services import Actor
from messages_app.core.problems import Problem
from messages_app.jobs.connections import database_dsn
from messages_app.jobs.models import Job
from messages_app.jobs.preview.deadline import Deadline, TimeIsUp
from messages_app.jobs.preview.quick import bytes_a_message, first_estimate, preview_job, quick_preview
from messages_app.jobs.services.create import create_job
from messages_app.messages.failures.models import FailureMember
from messages_app.messages.models import Message, ResentMessage
from messages_app.messages.parquet_archive.models import ColdMessage
from tests.messages_app.jobs.requested import request_of
from tests.support.factories import (
    make_archived_message,
    make_external_call,
    make_message,
    make_messages,
    make_request,
    make_user,
)
from tests.support.ledgers import store_ledger, store_measured_job
from tests.support.views import put_behind_views

pytestmark = pytest.mark.django_db

OLD = datetime.now(UTC) - timedelta(days=100)


def preview(kind: str, filter: dict[str, object], user: object | None = None, **options) -> SimpleNamespace:
    """Return a preview that a busy machine does not cut short."""
    return SimpleNamespace(**quick_preview(request_of(kind, filter, user, **options), Deadline(60)))


def old_message(**columns: object) -> Message:
    return make_message(**{"state": "OK", "receive_timestamp": OLD, "last_process_timestamp": OLD} | columns)


def make_cold_messages(*services: str) -> None:
    """Store rows of messages in Parquet files that this test does not read."""
    for number, service in enumerate(services):
        ColdMessage.objects.create(
            msg_id=9_000_000 + number,
            correlation_id=f"cold-{number}",
            msg_timestamp=OLD,
            receive_timestamp=OLD,
            service_name=service,
            source_system="CRM",
            state="OK",
            operation_name="createInvoice",
            part_id=1,
        )


class TestBytesAMessage:
    def test_counts_the_tables_behind_views(self):
        make_messages(2_000)
        found = bytes_a_message()
        assert found is not None
        put_behind_views("message", "request", "response", "external_call", "funnel")
        assert bytes_a_message() == pytest.approx(found, rel=0.2)


class TestQuickPreview:
    def test_counts_a_small_set_exactly(self):
        for error in ("E103", "E103", None):
            make_message(state="FAILED", failed_error_code=error, funnel_component_id="f1")
        make_message(state="OK", service_name="billing")
        make_message(state="OK", service_name="crm")

        found = preview("cancel", {"service_name": "billing"})

        assert (found.planned, found.is_exact, found.basis["counts"]["looked_at"]) == (4, True, 4)
        assert found.by_state == {"FAILED": 3, "OK": 1}
        assert found.by_service == {"billing": 4}
        assert found.by_error == {"": 2, "E103": 2}
        assert found.by_funnel == {"f1": 3, "": 1}

    def test_finds_nothing_in_an_empty_hub(self):
        found = preview("restart", {"correlation_id": "nobody"})
        assert (found.planned, found.to_do, found.is_exact, found.samples) == (0, 0, True, [])
        assert (found.skipped, found.systems) == ({}, {})

    def test_shows_what_will_be_skipped_and_why(self):
        done, taken, free = (make_message(state=state).pk for state in ("OK", "FAILED", "FAILED"))
        other = Job.objects.create(kind="cancel", state="running", reason="x", created_by="bob")
        store_ledger(other, {taken: None})

        found = preview("restart", {"service_name": "billing"})

        assert found.skipped == {"state_conflict": 1, "in_job": 1}
        assert (found.planned, found.to_do, found.samples) == (3, 1, [free])
        assert preview("export", {"service_name": "billing"}).skipped == {}
        assert done not in found.samples

    @pytest.mark.parametrize(
        ("kind", "also_resent", "skipped"),
        [
            ("restart", False, {"already_resent": 2}),
            ("restart", True, {}),
        ],
    )
    def test_counts_messages_that_were_corrected_and_resent(self, kind, also_resent, skipped):
        for number in range(3):
            message = make_message(state="FAILED")
            if number:
                ResentMessage.objects.create(original_id=message.pk, msg_id=message.pk + 1_000_000)
        found = preview(kind, {"state": "FAILED"}, also_resent=also_resent)
        assert (found.planned, found.to_do, found.skipped) == (3, 3 - sum(skipped.values()), skipped)

    def test_does_not_leave_them_out_of_a_cancel(self):
        message = make_message(state="POSTPONED")
        ResentMessage.objects.create(original_id=message.pk, msg_id=message.pk + 1_000_000)
        assert preview("cancel", {"state": "POSTPONED"}).skipped == {}

    def test_shows_which_systems_a_restart_calls_again(self):
        message = make_message(state="FAILED")
        make_external_call(message, operation_name="http://crm.example:8080/ws", state="OK")
        make_external_call(message, operation_name="http://crm.example:8080/other", state="FAILED")
        make_external_call(message, operation_name="direct:mail", state="OK")
        make_request(message, uri="http://user:pw@crm.example:8080/ws")
        make_request(message, uri="http://billing.example/ws")

        plain = preview("restart", {"state": "FAILED"}).systems
        total = preview("restart", {"state": "FAILED"}, total=True).systems

        assert plain == {
            "crm.example:8080": told(skipped=1, sent_again=1, asked_before=1),
            "billing.example": told(asked_before=1),
            "direct:mail": told(skipped=1),
        }
        assert total["crm.example:8080"] == told(sent_again=2, repeated=1, asked_before=1)
        assert total["direct:mail"] == told(sent_again=1, repeated=1)
        assert preview("cancel", {"state": "FAILED"}).systems is None

    def test_shows_why_a_message_is_not_archived_and_the_freed_space(self):
        waiting, young = old_message(), old_message()
        make_message(state="WAITING", parent_msg_id=waiting.pk)
        make_message(state="OK", parent_msg_id=young.pk, last_process_timestamp=datetime.now(UTC))
        goes = old_message()
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE message")

        found = preview("archive", {}, older_than_months=2)

        assert found.skipped == {"family_not_final": 1, "family_too_young": 1}
        assert (found.planned, found.to_do, found.samples) == (3, 1, [goes.pk])
        assert found.bytes > 0
        assert set(found.kept) == {"not_old_enough"}
        assert found.kept == {"not_old_enough": 1}

    @pytest.mark.parametrize(
        ("filter", "kept"),
        [
            ({"archived": "true", "state": "OK"}, {"in_parquet": 2}),
            ({"archived": "any", "service_name": "billing"}, {"in_parquet": 1}),
            ({"archived": "true", "state": "FAILED"}, {}),
            ({"state": "OK"}, {}),
        ],
    )
    def test_shows_how_many_messages_an_export_leaves_in_parquet(self, filter, kept):
        make_cold_messages("billing", "crm")
        assert preview("export", filter).kept == kept

    def test_shows_that_an_export_searches_no_payload_in_parquet(self):
        make_cold_messages("billing")
        filter = {"archived": "any", "payload_contains": "x", "receive_timestamp_from": "2026-11-20T00:00Z"}
        found = preview("export", filter | {"receive_timestamp_to": "2026-11-21T00:00Z"})
        assert found.kept == {"in_parquet": None}

    def test_shows_what_cannot_be_restored(self):
        by_id, by_correlation, free = (make_archived_message() for _ in range(3))
        make_message(msg_id=by_id.pk)
        make_message(correlation_id=by_correlation.correlation_id)
        found = preview("restore", {"state": "OK"})
        assert found.skipped == {"msg_id_live": 1, "correlation_id_live": 1}
        assert (found.planned, found.samples) == (3, [free.pk])

    def test_counts_live_and_archived_failures_without_a_group(self):
        grouped, free = (make_message(state="FAILED") for _ in range(2))
        FailureMember.objects.update_or_create(pk=grouped.pk, defaults={"group_id": 1, "at": OLD})
        make_archived_message(state="FAILED")
        make_message(state="OK")
        make_cold_messages("billing")
        ColdMessage.objects.update(state="FAILED")
        found = preview("group_failures", {})
        assert (found.planned, found.to_do) == (3, 3)
        assert free.pk in found.samples

    def test_uses_the_chosen_rate(self):
        for _ in range(10):
            make_message(state="FAILED")
        found = preview("restart", {"state": "FAILED"}, rate=2)
        assert (found.seconds, found.rate, found.rate_is_chosen) == (5.0, 2, True)

    def test_uses_the_duration_of_the_last_jobs(self):
        make_message(state="FAILED")
        assert preview("restart", {"state": "FAILED"}).seconds is None
        store_measured_job((0, 40, 10), (0, 40, 290))
        found = preview("restart", {"state": "FAILED"}, rate=100)
        assert (found.seconds, found.rate, found.rate_is_chosen) == (0.1, 7.5, False)

    @pytest.mark.slow
    def test_marks_the_estimate_of_a_large_set(self):
        make_messages(60_000)
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE message SET state = 'FAILED', failed_error_code = 'E103'"
                " WHERE msg_id IN (SELECT msg_id FROM message ORDER BY msg_id OFFSET 20000 LIMIT 6000)"
            )
            cursor.execute("ANALYZE message")

        found = preview("restart", {"source_system": "CRM"})

        assert not found.is_exact
        assert found.basis["counts"]["looked_at"] <= 30_000
        assert found.planned == pytest.approx(60_000, rel=0.05)
        assert found.by_state["FAILED"] == 6_000  # messages to act on are a sample of their own
        assert found.to_do == pytest.approx(6_000, abs=2)
        assert preview("export", {"source_system": "CRM"}).by_state["FAILED"] == pytest.approx(6_000, rel=0.2)
        assert found.by_error["E103"] == found.by_state["FAILED"]
        assert len(found.samples) == 10

    def test_finds_few_matching_messages_among_many(self):
        make_messages(60_000)
        rare = [make_message(state="FAILED").pk for _ in range(3)]
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE message")
        found = preview("restart", {"source_system": "CRM"})
        assert (found.is_exact, found.by_state["FAILED"], sorted(found.samples)) == (False, 3, rare)

    def test_accepts_only_the_filters_of_its_user(self):
        week = {
            "receive_timestamp_from": "2026-11-01T00:00:00Z",
            "receive_timestamp_to": "2026-11-02T00:00:00Z",
        }
        filter = {"payload_contains": "Ada", **week}
        make_message(receive_timestamp=datetime(2026, 11, 1, 12, tzinfo=UTC))
        with pytest.raises(Problem):
            preview("cancel", filter, make_user("operator"))
        assert preview("cancel", filter, make_user("view_payload", username="eve")).planned == 1

    def test_is_reported_as_json(self):
        make_message(state="FAILED")
        report = preview_job(request_of("restart", {"state": "FAILED"}))
        assert datetime.fromisoformat(report["at"]).tzinfo is not None
        assert report["basis"]["counts"] == {"is_exact": True, "looked_at": 1}


def told(**numbers: int) -> dict[str, int]:
    return dict.fromkeys(("skipped", "sent_again", "repeated", "asked_before"), 0) | numbers


@pytest.mark.django_db(transaction=True)
class TestInTime:
    def test_does_not_wait_for_a_locked_table(self):
        with psycopg.connect(database_dsn()) as other:
            other.execute("LOCK TABLE message")
            with pytest.raises(OperationalError):
                quick_preview(request_of("restart", {"state": "FAILED"}), Deadline(0.3))

    def test_answers_with_partial_results_if_there_is_almost_no_time(self):
        make_messages(2_000)
        found = quick_preview(request_of("restart", {"state": "OK"}), Deadline(0.05))
        assert found["planned"] == pytest.approx(2_000, rel=0.1)

    def test_gives_up_instead_of_leaving_numbers_open(self):
        """The first query of a locked table may take the full half second."""
        request = request_of("restart", {"state": "FAILED"})
        with psycopg.connect(database_dsn()) as other:
            other.execute("LOCK TABLE message")
            started = time.monotonic()
            with pytest.raises(TimeIsUp):
                quick_preview(request, Deadline(0.5, gives_up=True))
            assert 0.4 < time.monotonic() - started < 1.5

    def test_gives_up_only_if_it_takes_too_long(self):
        make_message(state="FAILED")
        assert quick_preview(request_of("restart"), Deadline(60, gives_up=True))["planned"] == 1

    def test_does_not_change_its_transaction(self):
        make_message(state="FAILED")
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = 4321")
            preview("restart", {"state": "FAILED"})
            cursor.execute("SHOW statement_timeout")
            assert cursor.fetchone()[0] == "4321ms"


@pytest.mark.django_db(transaction=True)
class TestFirstEstimate:
    def test_is_in_the_report_of_a_dry_run_immediately(self):
        make_message(state="FAILED")
        job = create_job(
            kind="restart",
            filter={"state": "FAILED"},
            options={},
            dry_run=True,
            reason="x",
            actor=Actor(username="ana"),
            user=None,
        )
        job.refresh_from_db()
        assert job.report["estimate"]["planned"] == 1
        assert first_estimate(request_of("restart", {"state": "FAILED"}))["estimate"]["to_do"] == 1
