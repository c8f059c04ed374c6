"""The decisions of the console about a test batch, with their records, for each status of its messages."""

from datetime import timedelta

import pytest

from messages_app.core.clock import database_clock
from messages_app.jobs.models import Job, JobChunk
from messages_app.jobs.safeguards.canary import Part, figures_of_canary, is_decided, look_at, next_part
from tests.support.audit_entries import audit_rows, by_system
from tests.support.factories import make_archived_message, make_message, next_id
from tests.support.ledgers import store_decided_chunk, store_ledger

pytestmark = pytest.mark.django_db(transaction=True)

NAMES = ("size", "ok", "failed", "open", "other")


def store_job(
    kind: str = "restart", *, limit: float | None = None, minutes: float = 1, **columns: object
) -> Job:
    """Store a job that waits for its test batch of four messages since a number of minutes."""
    options = {"canary": 4} if limit is None else {"canary": 4, "stop_at_failure_rate": limit}
    waiting = {"state": "paused", "paused_for": "canary"}
    paused_at = database_clock() - timedelta(minutes=minutes)
    return Job.objects.create(
        **{"kind": kind, "reason": "r", "created_by": "ada", "attempt": 2, "chunk_count": 2, **waiting}
        | {"options": options, "paused_at": paused_at, "report": {"to_do": 9}}
        | columns
    )


def store_batch(job: Job, *states: str) -> None:
    """Store the messages of the test batch in these states; refused ones have failed in the job."""
    outcomes = {}
    for state in states:
        if state == "gone":
            outcomes[next_id()] = "done"
        elif state.startswith("archived "):
            outcomes[make_archived_message(state=state.removeprefix("archived ")).pk] = "done"
        else:
            is_refused = state == "refused"
            message = make_message(state="FAILED" if is_refused else state)
            outcomes[message.pk] = "failed:uq_x" if is_refused else "done"
    store_decided_chunk(job, 0, outcomes)
    JobChunk.objects.filter(job_id=job.pk).update(attempt=1)


def canary_of(*counts: int, decided_at: str | None = None) -> dict[str, object]:
    return {**dict(zip(NAMES, counts, strict=True)), "decided_at": decided_at}


class TestFigures:
    def test_of_a_restart_are_those_of_the_hub(self):
        job = store_job()
        store_batch(
            job,
            *["OK"] * 1,
            *["FAILED", "refused", "archived FAILED"],
            *["PROCESSING", "PARTLY_FAILED", "WAITING", "POSTPONED", "NEW"],
            *["CANCEL", "gone", "archived CANCEL", "gone"],
            "archived OK",
        )
        assert figures_of_canary(job) == canary_of(14, 2, 3, 5, 4)

    def test_of_a_cancel_are_those_of_the_job(self):
        job = store_job("cancel")
        store_batch(job, "CANCEL", "CANCEL", "OK", "refused", "refused")
        assert figures_of_canary(job) == canary_of(5, 3, 2, 0, 0)


class TestLookAt:
    def test_waits_and_records_the_figures_while_a_message_is_open(self):
        job = store_job()
        store_batch(job, "OK", "OK", "FAILED", "PROCESSING")
        look_at(job)
        after = Job.objects.get(pk=job.pk)
        assert (after.state, after.paused_for, after.paused_at) == ("paused", "canary", job.paused_at)
        assert after.report == {"to_do": 9, "canary": canary_of(4, 2, 1, 1, 0)}
        assert audit_rows() == []

    @pytest.mark.parametrize(
        ("limit", "states", "is_stopped"),
        [
            (None, ["OK", "OK", "OK", "CANCEL"], False),
            (None, ["OK", "OK", "OK", "FAILED"], True),
            (0.25, ["OK", "OK", "OK", "FAILED"], False),
            (0.25, ["OK", "OK", "FAILED", "FAILED"], True),
            (0.0, ["OK", "OK", "OK", "FAILED"], True),
            (1.0, ["FAILED", "FAILED", "FAILED", "FAILED"], False),
        ],
    )
    def test_continues_or_stops_once_all_are_final(self, limit, states, is_stopped):
        job = store_job(limit=limit)
        store_batch(job, *states)
        look_at(job)
        after = Job.objects.get(pk=job.pk)
        failed = states.count("FAILED")
        counts = canary_of(4, states.count("OK"), failed, 0, states.count("CANCEL"))
        assert is_decided(after)
        assert {**after.report["canary"], "decided_at": None} == counts
        if is_stopped:
            error = f"{failed} of 4 messages of the test batch failed."
            assert (after.state, after.error, after.paused_for) == ("stopped", error, "")
            states_of = {"before_state": "paused", "after_state": "stopping"}
            assert audit_rows() == [by_system("stop_job", job_id=job.pk, reason=error, **states_of)]
        else:
            assert (after.state, after.error, after.resumed_attempt) == ("queued", "", 2)
            assert audit_rows() == [
                by_system(
                    "resume_job",
                    job_id=job.pk,
                    after_state="queued",
                    reason="The test batch passed.",
                    details={"canary": counts},
                )
            ]

    @pytest.mark.parametrize(("seconds", "is_over"), [(600, False), (120, True)])
    def test_waits_for_an_operator_after_the_limit(self, settings, seconds, is_over):
        settings.JOB_CANARY_SECONDS = seconds
        job = store_job(minutes=5, limit=0.5)
        store_batch(job, "OK", "OK", "FAILED", "PROCESSING")
        look_at(job)
        after = Job.objects.get(pk=job.pk)
        assert (after.state, after.paused_for) == ("paused", "canary_undecided" if is_over else "canary")
        details = {"paused_for": "canary_undecided", "canary": canary_of(4, 2, 1, 1, 0)}
        entry = by_system("pause_job", job_id=job.pk, after_state="paused", details=details)
        assert audit_rows() == ([entry] if is_over else [])
        look_at(after)
        assert audit_rows() == ([entry] if is_over else [])
        assert Job.objects.get(pk=job.pk).paused_for == after.paused_for

    def test_stops_after_the_limit_if_too_many_have_failed(self):
        job = store_job(minutes=10_000)
        store_batch(job, "OK", "OK", "FAILED", "PROCESSING")
        look_at(job)
        assert Job.objects.get(pk=job.pk).state == "stopped"
        assert [row["action"] for row in audit_rows()] == ["pause_job", "stop_job"]

    def test_of_an_undecided_job_only_updates_the_figures(self):
        job = store_job(paused_for="canary_undecided")
        store_batch(job, "OK", "OK", "OK", "OK")
        look_at(job)
        after = Job.objects.get(pk=job.pk)
        assert (after.state, after.paused_for) == ("paused", "canary_undecided")
        assert after.report["canary"] == canary_of(4, 4, 0, 0, 0)
        assert audit_rows() == []

    @pytest.mark.parametrize("change", [{"attempt": 3}, {"state": "queued"}, {"paused_for": "operator"}])
    def test_leaves_a_job_that_no_longer_waits(self, change):
        job = store_job()
        store_batch(job, "OK")
        Job.objects.filter(pk=job.pk).update(**change)
        before = Job.objects.values().get(pk=job.pk)
        look_at(job)
        assert (Job.objects.values().get(pk=job.pk), audit_rows()) == (before, [])


class TestNextPart:
    @pytest.mark.parametrize(
        ("outcomes", "part"),
        [
            ({}, Part(chunk_nos=[1], until=4)),
            ({1: "done", 2: "done"}, Part(chunk_nos=[1], until=2)),
            ({1: "done", 2: "failed:x", 3: "skipped:locked"}, Part(chunk_nos=[1], until=2)),
            ({1: "done", 2: "done", 3: "failed:x", 4: "done"}, None),
            ({1: "done", 2: "done", 3: "failed:x", 4: "done", 5: "done"}, None),
        ],
    )
    def test_is_the_rest_of_the_test_batch(self, outcomes, part):
        job = store_job()
        store_ledger(job, {**outcomes, 9: None})
        assert next_part(job, [1, 2]) == part

    def test_counts_what_the_next_chunk_has_done_already(self):
        job = store_job()
        store_ledger(job, {1: "done", 9: None})
        JobChunk.objects.filter(job_id=job.pk, chunk_no=1).update(outcomes={"skipped:in_job": 5})
        assert next_part(job, [1]) == Part(chunk_nos=[1], until=8)

    @pytest.mark.parametrize(
        "columns", [{"options": {}}, {"report": {"canary": {"decided_at": "2026-11-01T00:00:00Z"}}}]
    )
    def test_is_everything_without_a_test_batch_or_after_the_decision(self, columns):
        job = store_job(**columns)
        store_ledger(job, {1: "done", 9: None})
        assert next_part(job, [1, 2]) == Part(chunk_nos=[1, 2])
