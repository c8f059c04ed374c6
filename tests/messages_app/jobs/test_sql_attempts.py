"""Statements of one attempt at a job: each changes its own job and no other."""

from datetime import timedelta

import pytest
from psycopg.types.json import Jsonb

from messages_app.jobs.models import JobChunk, JobItem, JobRefusal
from tests.messages_app.jobs.changed_jobs import change_of, is_now, statements, store_job
from tests.support.factories import NOON

pytestmark = pytest.mark.django_db

SECOND = timedelta(seconds=1)


class TestAttempt:
    HELD = {"attempt": 2, "held_states": ["running", "paused"], "lease_s": 60.0, "error": "new"}
    MOVE = {
        "attempt": 2,
        "from_states": ["running"],
        "to_state": "done",
        "at_rest": True,
        "paused_for": "canary",
        "error": "new",
    }

    def test_claims_a_job_under_the_next_attempt(self):
        values = {"live_states": ["queued", "running"], "lease_s": 60.0, "kinds": ["restart", "archive"]}
        job = store_job(state="queued", step="warming_up", started_at=NOON)
        rows, changed = change_of("claim_job", job, values)
        assert rows == [(3, "queued")]
        assert 50 * SECOND < changed.pop("lease_until") - changed.pop("heartbeat_at") < 70 * SECOND
        assert changed == {"attempt": 3, "step": ""}
        assert change_of("claim_job", job, values) == ([], {})
        assert is_now(change_of("claim_job", store_job(), values)[1]["started_at"])
        assert change_of("claim_job", store_job(state="paused"), values) == ([], {})
        assert change_of("claim_job", store_job(kind="later"), values) == ([], {})

    def test_keeps_and_releases_its_lease(self):
        leased = {"lease_until": NOON, "error": "old"}
        rows, changed = change_of("beat", store_job(**leased), self.HELD)
        assert (rows, set(changed)) == ([("running",)], {"heartbeat_at", "lease_until"})
        assert 50 * SECOND < changed["lease_until"] - changed["heartbeat_at"] < 70 * SECOND
        rows, changed = change_of("release_job", store_job(**leased), self.HELD)
        assert (rows, changed) == ([("running",)], {"lease_until": None, "error": "new"})

    @pytest.mark.parametrize("columns", [{"lease_until": None}, {"attempt": 3}, {"state": "queued"}])
    @pytest.mark.parametrize("name", ["beat", "release_job"])
    def test_has_no_lease_of_another_job(self, name, columns):
        assert change_of(name, store_job(**{"lease_until": NOON, **columns}), self.HELD) == ([], {})

    @pytest.mark.parametrize(("name", "count"), [("move_job", 7), ("move_job", None), ("rest_job", None)])
    def test_adds_to_the_report_when_it_ends_or_rests(self, name, count):
        job = store_job(lease_until=NOON, report={"a": 1, "b": 1}, error="old", chunk_count=5)
        values = self.MOVE | {"report": Jsonb({"b": 2}), "chunk_count": count}
        rows, changed = change_of(name, job, values | ({} if name == "move_job" else {"at_rest": "paused"}))
        ended = changed.pop("finished_at" if name == "move_job" else "paused_at")
        assert (rows, is_now(ended)) == ([(job,)], True)
        state = {"state": "done"} if name == "move_job" else {"state": "paused", "paused_for": "canary"}
        counted = {"chunk_count": 7} if count else {}
        assert changed == {
            "lease_until": None,
            "report": {"a": 1, "b": 2},
            "error": "new",
            **state,
            **counted,
        }

    def test_keeps_its_lease_when_it_continues(self):
        values = self.MOVE | {"report": Jsonb({}), "chunk_count": None, "at_rest": False, "error": ""}
        rows, changed = change_of("move_job", store_job(lease_until=NOON), values)
        assert (len(rows), changed) == (1, {"state": "done"})

    def test_closes_the_open_items_and_chunks_of_a_job(self):
        job, other = store_job(), store_job()
        for number, (job_id, through, outcomes, committed) in enumerate(
            (
                (job, 12, {"done": 2, "skipped:in_job": 1, "failed:x": 3}, None),
                (job, None, {}, None),
                (job, None, {"done": 4}, NOON),
                (other, None, {}, None),
            )
        ):
            JobChunk.objects.create(
                job_id=job_id,
                chunk_no=number,
                content="messages",
                planned=10 + number,
                outcomes=outcomes,
                done_through=through,
                committed_at=committed,
            )
            for msg_id in (11, 12, 13, 14):
                item = {
                    "job_id": job_id,
                    "msg_id": 10 * number + msg_id,
                    "root_msg_id": 5,
                    "old_state": "NEW",
                }
                JobItem.objects.create(chunk_no=number, **item)
        JobRefusal.objects.create(
            job_id=job, msg_id=14, root_msg_id=5, old_state="NEW", outcome="skipped:in_job"
        )
        values = {"job_id": job, "outcome": "failed:x"}
        assert statements.count("close_open_items", values) == 5
        columns = ("job_id", "msg_id", "root_msg_id", "old_state", "outcome")
        assert set(JobRefusal.objects.values_list(*columns)) == {
            (job, 14, 5, "NEW", "skipped:in_job"),
            *((job, msg_id, 5, "NEW", "failed:x") for msg_id in (13, 21, 22, 23, 24)),
        }
        assert statements.count("close_open_chunks", values) == 2
        chunks = JobChunk.objects.order_by("chunk_no")
        assert [(chunk.outcomes, chunk.committed_at is not None) for chunk in chunks] == [
            ({"done": 2, "skipped:in_job": 1, "failed:x": 7}, True),
            ({"failed:x": 11}, True),
            ({"done": 4}, True),
            ({}, False),
        ]
        assert chunks[2].committed_at == NOON
