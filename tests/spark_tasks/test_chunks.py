"""Slices of a chunk, each with its refusals, counts and audit entry, as an executor processes them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import psycopg
import pytest
from django.db.models.functions import Now
from psycopg.types.json import Jsonb

from messages_app.audit.models import AuditEntry
from messages_app.jobs.models import Job, JobChunk, JobRefusal
from spark_tasks.chunks import decide_items, do_slice, hold_fence
from spark_tasks.contract import Chunk, Decided, Fenced, Item, JobKey
from tests.spark_tasks.moves.scenes import executor, running_job

pytestmark = pytest.mark.django_db(transaction=True)

IDS = [11, 12, 13, 14, 15]


@dataclass
class Deciding:
    """Refuse some items, raise for others, and note all items that were given."""

    refused: dict[int, str] = field(default_factory=dict)
    faults: dict[int, str] = field(default_factory=dict)
    given: list[list[int]] = field(default_factory=list)
    commits: list[str] = field(default_factory=list)
    new_state: str | None = "CANCEL"
    may_be_repeated: bool = False

    def process_items(self, connection: psycopg.Connection, key: JobKey, items: Sequence[Item]) -> Decided:
        ids = [item.msg_id for item in items]
        self.given.append(ids)
        self.commits += connection.execute("SHOW synchronous_commit").fetchone()
        for statement in (self.faults[msg_id] for msg_id in ids if msg_id in self.faults):
            connection.execute(statement)
        done = [msg_id for msg_id in ids if msg_id not in self.refused]
        return Decided(
            refusals={msg_id: self.refused[msg_id] for msg_id in ids if msg_id in self.refused},
            moved=Counter(message=len(done), funnel=10 * len(done)),
            versions=frozenset(f"v{msg_id}" for msg_id in done),
            details={"calls": [f"c{msg_id}" for msg_id in done]},
        )


class OnOrphans(Deciding):
    def act_on_orphans(
        self, connection: psycopg.Connection, key: JobKey, chunk: Chunk
    ) -> tuple[Counter[str], Counter[str]]:
        self.given.append(list(chunk.orphan_ids))
        rows = len(chunk.orphan_ids)
        return Counter({"done": rows - 1, "skipped:locked": 1}), Counter(request=rows - 1, response=0)


@pytest.fixture
def session() -> Iterator[psycopg.Connection]:
    with executor() as found:
        yield found


@pytest.fixture
def key() -> JobKey:
    """Return a running job with one chunk, next to a chunk of another job with the same number."""
    other = running_job([11, 12], chunk_size=9)
    Job.objects.update(state="done", finished_at=Now())
    key = running_job(IDS, chunk_size=9)
    Job.objects.filter(pk=key.job_id).update(reason="too old", created_by="ana", creator_id=77, kind="cancel")
    assert JobChunk.objects.get(job_id=other.job_id).outcomes == {}
    return key


def chunk_of(key: JobKey, chunk_no: int = 0) -> JobChunk:
    return JobChunk.objects.get(job_id=key.job_id, chunk_no=chunk_no)


def refusals_of(key: JobKey) -> list[tuple]:
    rows = JobRefusal.objects.filter(job_id=key.job_id).order_by("msg_id")
    return list(rows.values_list("msg_id", "root_msg_id", "old_state", "outcome"))


def entries() -> list[dict[str, object]]:
    """Return all audit entries without their ids and times."""
    left_out = {"entry_id", "at", "transaction_id"}
    rows = AuditEntry.objects.order_by("pk").values()
    return [{name: value for name, value in row.items() if name not in left_out} for row in rows]


def entry_of(key: JobKey, details: dict[str, object], after_state: str = "CANCEL") -> dict[str, object]:
    return {
        "actor": "ana",
        "actor_id": 77,
        "token_name": "",
        "address": None,
        "request_id": "",
        "action": "cancel",
        "outcome": "done",
        "msg_id": None,
        "job_id": key.job_id,
        "subject_kind": "",
        "subject": "",
        "before_state": "",
        "after_state": after_state,
        "reason": "too old",
        "details": details,
    }


class TestDoSlice:
    def test_adds_each_slice_to_the_chunk_with_its_refusals_and_an_audit_entry(self, session, key):
        action = Deciding(refused={12: "skipped:moved_on", 13: "skipped:moved_on", 14: "failed:too_slow"})

        assert do_slice(session, key, 0, action, most=2) == 2

        first = chunk_of(key)
        assert (first.outcomes, first.moved) == (
            {"done": 1, "skipped:moved_on": 1},
            {"message": 1, "funnel": 10},
        )
        assert (first.versions, first.new_state, first.attempt) == (["v11"], "CANCEL", 1)
        assert (first.done_through, first.committed_at) == (12, None)
        assert first.began_at is not None
        assert refusals_of(key) == [(12, 12, "OK", "skipped:moved_on")]

        assert do_slice(session, key, 0, action, most=2) == 2
        second = chunk_of(key)
        assert second.outcomes == {"done": 1, "skipped:moved_on": 2, "failed:too_slow": 1}
        assert (second.moved, second.versions) == ({"message": 1, "funnel": 10}, ["v11"])
        assert (second.done_through, second.began_at, second.committed_at) == (14, first.began_at, None)

        assert do_slice(session, key, 0, action, most=2) == 1
        last = chunk_of(key)
        assert last.outcomes == {"done": 2, "skipped:moved_on": 2, "failed:too_slow": 1}
        assert (last.moved, last.versions) == ({"message": 2, "funnel": 20}, ["v11", "v15"])
        assert (last.done_through, last.began_at) == (None, first.began_at)
        assert last.committed_at > first.began_at
        assert refusals_of(key) == [
            (12, 12, "OK", "skipped:moved_on"),
            (13, 13, "OK", "skipped:moved_on"),
            (14, 14, "OK", "failed:too_slow"),
        ]
        assert entries() == [
            entry_of(key, {"chunk_no": 0, "calls": calls, "outcomes": outcomes, "moved": moved})
            for calls, outcomes, moved in (
                (["c11"], {"done": 1, "skipped:moved_on": 1}, {"message": 1, "funnel": 10}),
                ([], {"skipped:moved_on": 1, "failed:too_slow": 1}, {}),
                (["c15"], {"done": 1}, {"message": 1, "funnel": 10}),
            )
        ]
        assert action.given == [[11, 12], [13, 14], [15]]
        assert JobChunk.objects.exclude(job_id=key.job_id).get().outcomes == {}

    def test_returns_none_for_a_chunk_that_is_done(self, session, key):
        action = Deciding()
        assert do_slice(session, key, 0, action) == 5
        done = JobChunk.objects.filter(job_id=key.job_id).values().get()
        assert do_slice(session, key, 0, action) is None
        assert JobChunk.objects.filter(job_id=key.job_id).values().get() == done
        assert (len(action.given), len(entries())) == (1, 1)

    @pytest.mark.parametrize(
        ("most", "until", "slices"), [(2, 3, [2, 1, 0]), (2, 4, [2, 2, 0]), (None, 2, [2, 0])]
    )
    def test_decides_no_more_rows_than_until(self, session, key, most, until, slices):
        action = Deciding(refused={11: "skipped:locked"})
        assert [do_slice(session, key, 0, action, most=most, until=until) for _ in slices] == slices
        assert sum(chunk_of(key).outcomes.values()) == until
        assert do_slice(session, key, 0, action) == 5 - until
        assert chunk_of(key).outcomes == {"done": 4, "skipped:locked": 1}

    def test_counts_what_the_plan_has_refused(self, session, key):
        JobRefusal.objects.create(
            job_id=key.job_id, msg_id=13, root_msg_id=13, old_state="OK", outcome="skipped:in_job"
        )
        JobChunk.objects.filter(job_id=key.job_id).update(outcomes={"skipped:in_job": 1})
        action = Deciding()
        assert do_slice(session, key, 0, action, until=2) == 1
        assert do_slice(session, key, 0, action) == 3
        assert action.given == [[11], [12, 14, 15]]
        assert chunk_of(key).outcomes == {"done": 4, "skipped:in_job": 1}

    def test_splits_no_family(self, session, key):
        with executor() as writer:
            writer.execute(
                "UPDATE job_item SET root_msg_id = 11 WHERE job_id = %s AND msg_id = 15", [key.job_id]
            )
        action = Deciding()
        assert do_slice(session, key, 0, action, most=2) == 5
        assert action.given == [IDS]

    @pytest.mark.parametrize("change", [{"attempt": 2}, {"state": "paused"}, {"state": "stopping"}])
    def test_does_nothing_for_another_attempt_or_state_of_the_job(self, session, key, change):
        Job.objects.filter(pk=key.job_id).update(**change)
        before = JobChunk.objects.filter(job_id=key.job_id).values().get()
        action = Deciding()
        with pytest.raises(Fenced, match=f"Job {key.job_id} is no longer running under attempt 1."):
            do_slice(session, key, 0, action)
        assert JobChunk.objects.filter(job_id=key.job_id).values().get() == before
        assert (action.given, entries()) == ([], [])

    @pytest.mark.parametrize("planned", [4, 6])
    def test_commits_nothing_if_the_plan_has_another_number_of_rows(self, session, key, planned):
        JobChunk.objects.filter(job_id=key.job_id).update(planned=planned)
        action = Deciding(refused={12: "skipped:locked"})
        with pytest.raises(Fenced, match=f"Chunk 0 of job {key.job_id}: 5 of {planned} are decided."):
            do_slice(session, key, 0, action)
        assert (chunk_of(key).outcomes, refusals_of(key), entries()) == ({}, [], [])

    def test_raises_an_error_of_the_database_and_changes_nothing(self, session, key):
        action = Deciding(
            faults={13: "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'disk_full', MESSAGE = 'full'; END $$"}
        )
        with pytest.raises(psycopg.errors.DiskFull):
            do_slice(session, key, 0, action, most=3)
        assert (chunk_of(key).outcomes, refusals_of(key), entries()) == ({}, [], [])

    @pytest.mark.parametrize(("may_be_repeated", "commits"), [(True, ["off"]), (False, ["on"])])
    def test_waits_for_the_disk_unless_the_action_may_be_repeated(
        self, session, key, may_be_repeated, commits
    ):
        session.execute("SET synchronous_commit = on")  # A stock server of tests has it off.
        action = Deciding(may_be_repeated=may_be_repeated, new_state=None)
        do_slice(session, key, 0, action)
        assert action.commits == commits
        assert (chunk_of(key).new_state, entries()[0]["after_state"]) == (None, "")

    def test_gives_orphans_to_an_action_that_takes_them(self, session, key):
        JobChunk.objects.filter(job_id=key.job_id).update(
            content="orphan_requests", orphan_ids=[7, 8, 9], planned=3
        )
        with pytest.raises(TypeError, match="Deciding cannot process a chunk of orphan_requests"):
            do_slice(session, key, 0, Deciding())
        action = OnOrphans(new_state=None)
        assert do_slice(session, key, 0, action, most=1) == 3
        assert action.given == [[7, 8, 9]]
        done = chunk_of(key)
        assert (done.outcomes, done.moved) == ({"done": 2, "skipped:locked": 1}, {"request": 2})
        assert done.committed_at is not None
        counts = {"outcomes": {"done": 2, "skipped:locked": 1}, "moved": {"request": 2}}
        assert entries() == [entry_of(key, {"chunk_no": 0, **counts}, after_state="")]


REFUSED = "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '{}', CONSTRAINT = '{}', MESSAGE = 'x'; END $$"


class TestDecide:
    @pytest.mark.parametrize(
        ("fault", "outcome"),
        [
            (REFUSED.format("check_violation", "no_change"), "failed:no_change"),
            (REFUSED.format("unique_violation", "n" * 60), f"failed:{'n' * 53}"),
            ("SELECT 1 / 0", "failed:DivisionByZero"),
            (REFUSED.format("query_canceled", ""), "failed:too_slow"),
            (REFUSED.format("lock_not_available", ""), "skipped:locked"),
        ],
    )
    def test_refuses_only_the_rows_that_the_database_refuses(self, session, key, fault, outcome):
        items = [Item(msg_id, msg_id, "OK") for msg_id in IDS]
        action = Deciding(refused={15: "skipped:moved_on"}, faults={12: fault})
        with session.transaction():
            found = decide_items(session, key, action, items)
        assert found == Decided(
            refusals={12: outcome, 15: "skipped:moved_on"},
            moved=Counter(message=3, funnel=30),
            versions=frozenset({"v11", "v13", "v14"}),
            details={"calls": ["c11", "c13", "c14"]},
        )

    def test_refuses_whole_families(self, session, key):
        items = [Item(14, 11, "OK"), Item(12, 12, "OK"), Item(11, 11, "OK"), Item(13, 12, "OK")]
        action = Deciding(faults={14: "SELECT 1 / 0"})
        with session.transaction():
            found = decide_items(session, key, action, items)
        assert found.refusals == {11: "failed:DivisionByZero", 14: "failed:DivisionByZero"}
        assert (found.versions, found.moved["message"]) == ({"v12", "v13"}, 2)
        assert action.given == [[14, 12, 11, 13], [11, 14], [12, 13]]

    def test_decides_nothing_without_items(self, session, key):
        action = Deciding()
        assert (decide_items(session, key, action, []), action.given) == (Decided(), [])


class TestHoldFence:
    def test_keeps_the_job_from_another_attempt_until_the_transaction_ends(self, session, key):
        values = {"attempt": 2, "job_id": key.job_id}
        with session.transaction():
            hold_fence(session, key, state="running")
            with executor() as other, pytest.raises(psycopg.errors.LockNotAvailable):
                other.execute("SELECT FROM job WHERE job_id = %(job_id)s FOR UPDATE NOWAIT", values)
            with executor() as other:
                other.execute("UPDATE job SET report = %s WHERE job_id = %s", [Jsonb({}), key.job_id])
