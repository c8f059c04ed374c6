"""The plan for families: by one task, by Spark's joins, and inside the database."""

import datetime as dt
import random
from collections.abc import Iterable

import pytest
from django.db.models import F
from django.utils import timezone

from messages_app.jobs.connections import database_dsn
from messages_app.jobs.models import JobChunk, JobItem, JobRefusal
from messages_app.messages.models import Message
from messages_app.shared.message_states import FINAL_STATES, MessageState
from spark_tasks.contract import JobKey
from spark_tasks.plans import archive, families, selection
from spark_tasks.plans.archive import plan_bounds, planned_rows, write_families
from spark_tasks.plans.families import closed_families
from spark_tasks.plans.plan_writer import write_part
from spark_tasks.plans.selection import TooMany
from spark_tasks.session import spark_session
from tests.hostile.rows import LONG_NUMBERS
from tests.spark_tasks.moves.scenes import executor
from tests.spark_tasks.plans.test_archive import OLD, message, scope
from tests.spark_tasks.plans.test_plan_writer_claims import planning_job
from tests.support import factories
from tests.support.parameters import quick_first

pytestmark = pytest.mark.django_db(transaction=True)

AGES = {
    "final_states": sorted(FINAL_STATES),
    "cutoff": (timezone.now() - dt.timedelta(days=60)).isoformat(),
    "last_msg_id": 10**9,
}


@pytest.fixture(scope="module")
def spark(spark_remote):
    with spark_session(spark_remote) as session:
        yield session


def planned(*finals: int, **ages: object) -> dict[int, tuple]:
    """Return (root, state, reason) by message."""
    with executor() as connection:
        rows = closed_families(connection, dict.fromkeys(finals, "OK"), ages=AGES | ages)
    assert {row[0] for row in rows} <= {"messages"}
    return {row[2]: (row[1], *row[3:]) for row in rows}


def young(state: str, **columns: object) -> int:
    now = timezone.now()
    return factories.make_message(
        state=state, receive_timestamp=now, last_process_timestamp=now, **columns
    ).msg_id


def let_follow(child: int, parent: int) -> None:
    Message.objects.filter(pk=child).update(parent_msg_id=parent)


class TestClosedFamilies:
    def test_treats_a_message_without_relatives_as_a_family(self):
        alone = message()

        assert planned(alone) == {alone: (alone, "OK", None)}

    def test_includes_parents_and_descendants_that_may_move(self):
        head = message(MessageState.CANCEL)
        parent = message(parent_msg_id=head)
        chosen, sister = message(parent_msg_id=parent), message(parent_msg_id=parent)

        assert planned(chosen) == {
            chosen: (head, "OK", None),
            head: (head, "CANCEL", None),
            parent: (head, "OK", None),
            sister: (head, "OK", None),
        }

    def test_leaves_a_family_if_a_member_is_in_progress(self):
        parent = message(MessageState.WAITING)
        child = message(parent_msg_id=parent)

        assert planned(child) == {child: (parent, "OK", "family_not_final")}

    def test_leaves_a_family_if_a_member_is_too_young(self):
        parent = message()
        young("OK", parent_msg_id=parent)

        assert planned(parent) == {parent: (parent, "OK", "family_too_young")}

    def test_names_the_member_in_progress_before_the_young_one(self):
        parent = message()
        young("OK", parent_msg_id=parent)
        young("PROCESSING", parent_msg_id=parent)

        assert planned(parent) == {parent: (parent, "OK", "family_not_final")}

    def test_leaves_a_member_that_arrived_after_the_set_was_frozen(self):
        parent = message()
        message(parent_msg_id=parent)

        assert planned(parent, last_msg_id=parent) == {parent: (parent, "OK", "family_too_young")}

    def test_leaves_messages_whose_parents_form_a_cycle(self):
        first, second, after = message(), message(), message()
        let_follow(first, second)
        let_follow(second, first)
        let_follow(after, first)

        assert planned(first, after) == {
            first: (first, "OK", "parent_cycle"),
            after: (after, "OK", "parent_cycle"),
        }

    def test_keeps_the_children_of_a_parent_that_no_longer_exists_together(self):
        gone = 10**9
        first, second = message(), message()
        let_follow(first, gone)
        let_follow(second, gone)

        assert planned(first) == {first: (gone, "OK", None), second: (gone, "OK", None)}

    def test_gives_up_on_a_large_family(self, monkeypatch):
        monkeypatch.setattr(families, "_MAX_MEMBERS", 4)
        parent = message()
        for _ in range(4):
            message(parent_msg_id=parent)

        with pytest.raises(TooMany):
            planned(parent)

    def test_shares_the_links_among_tasks_whatever_single_parents_are(self, spark):
        factories.make_messages(4_000)
        Message.objects.update(parent_msg_id=F("msg_id"))
        for parent in (*LONG_NUMBERS, -(2**63) + 1, 2**63 - 2):
            message(parent_msg_id=parent)

        parents = plan_bounds(scope()).parents
        links = families.read_links(spark, database_dsn(), parents, 4)
        rows = [sum(batch.num_rows for batch in part()) for part in links.parts]
        assert (len(rows), sum(rows), max(rows) <= 1_600) == (4, 4_007, True)

    @pytest.mark.slow
    @pytest.mark.parametrize("seed", [1, 2])
    def test_agrees_with_the_joins_of_spark_on_every_family(self, spark, seed):
        finals = forest(seed)
        asked = scope()
        with executor() as connection:
            looked_up = closed_families(connection, finals, ages=AGES | {"cutoff": asked.cutoff})

        joined = planned_rows(spark, scope=asked, bounds=plan_bounds(asked)).collect()
        assert {row[4] for row in looked_up} > {None, "family_not_final", "parent_cycle"}
        assert sorted(looked_up, key=str) == sorted((tuple(row) for row in joined), key=str)


def forest(seed: int) -> dict[int, str]:
    """Store families of every form, also with lost heads and a cycle; return the messages that may move."""
    drawn = random.Random(seed)  # noqa: S311 - nothing is kept secret by it
    ids = [
        message(drawn.choices(["OK", "CANCEL", "FAILED", "WAITING"], [12, 2, 2, 1])[0])
        if drawn.random() < 0.95
        else young("OK")
        for _ in range(150)
    ]
    for child in drawn.sample(ids, 100):
        let_follow(child, drawn.choice([*ids[:40], 10**9]))
    let_follow(ids[0], ids[1])
    let_follow(ids[1], ids[0])
    old = Message.objects.filter(state__in=FINAL_STATES, last_process_timestamp__lt=scope().cutoff)
    return dict(old.values_list("msg_id", "state"))


def roots_of(finals: Iterable[int]) -> dict[int, int]:
    """Return the topmost ancestor of each message, also one that no longer exists; itself in a cycle."""
    parents = dict(Message.objects.values_list("msg_id", "parent_msg_id"))
    roots = {}
    for msg_id in finals:
        path = [msg_id]
        while (parent := parents.get(path[-1])) is not None and parent not in path:
            path.append(parent)
        roots[msg_id] = path[-1] if parent is None else msg_id
    return roots


class TestWriteFamilies:
    def write(self, spark, size: int = 10, **changes: object) -> JobKey:
        key, asked = planning_job("archive"), scope(**changes)
        self.chunks = write_families(spark, key=key, scope=asked, bounds=plan_bounds(asked), size=size)
        return key

    def refused(self, key: JobKey) -> dict[int, str]:
        return dict(JobRefusal.objects.filter(job_id=key.job_id).values_list("msg_id", "outcome"))

    @pytest.mark.parametrize("seed", quick_first([1, 2, 3]))
    @pytest.mark.parametrize("most", quick_first([selection.MAX_SMALL_PLAN, 1]))
    def test_plans_every_message_once_with_the_right_head_and_reason(self, spark, monkeypatch, seed, most):
        # With 1, the rest is joined by Spark.
        monkeypatch.setattr(archive, "MAX_SMALL_PLAN", most)
        finals = forest(seed)
        with executor() as connection:
            looked_up = closed_families(connection, finals, ages=AGES)

        key = self.write(spark)

        items = JobItem.objects.filter(job_id=key.job_id)
        found = list(items.values_list("msg_id", "root_msg_id", "old_state"))
        roots = roots_of(finals)
        assert sorted(found) == sorted((msg_id, roots[msg_id], state) for msg_id, state in finals.items())
        assert self.refused(key) == {row[2]: f"skipped:{row[4]}" for row in looked_up if row[4]}
        # The last part has families that stay, and children of a head that is gone.
        late = set(items.filter(chunk_no__gte=100_000).values_list("msg_id", flat=True))
        assert late == {*self.refused(key), *(msg_id for msg_id in finals if roots[msg_id] == 10**9)}

    def test_divides_families_into_chunks_without_splitting_one(self, spark):
        families = []
        for members in (1, 3, 2, 4, 1, 1, 3):
            head = message()
            families.append({head, *(message(parent_msg_id=head) for _ in range(members - 1))})

        key = self.write(spark, size=4)

        chunks: dict[int, set[int]] = {}
        for chunk_no, msg_id in JobItem.objects.filter(job_id=key.job_id).values_list("chunk_no", "msg_id"):
            chunks.setdefault(chunk_no, set()).add(msg_id)
        assert [len(chunks[chunk_no]) for chunk_no in sorted(chunks)] == [4, 6, 2, 3]
        assert all(any(family <= chunk for chunk in chunks.values()) for family in families)
        assert self.chunks == len(chunks) == JobChunk.objects.filter(job_id=key.job_id).count()

    def test_leaves_a_family_with_a_member_that_arrived_after_the_set_was_frozen(self, spark):
        head = message()
        message(parent_msg_id=head)

        assert self.refused(self.write(spark, last_msg_id=head)) == {head: "skipped:family_too_young"}

    def test_leaves_families_of_another_active_job_to_it(self, spark):
        head = message()
        child, alone = message(parent_msg_id=head), message()
        with executor() as session:
            rows = [("messages", child, child, "OK", None)]
            write_part(session, planning_job("restart"), 0, rows, size=2, claims=True)

        key = self.write(spark)

        assert self.refused(key) == {head: "skipped:in_job", child: "skipped:in_job"}
        assert JobItem.objects.filter(job_id=key.job_id, msg_id=alone).exists()

    def test_plans_rows_without_a_message_once(self, spark):
        parent, request = message(), factories.make_request(None, req_timestamp=OLD)
        message(parent_msg_id=parent)
        message(MessageState.FAILED, parent_msg_id=10**9)

        key = self.write(spark)

        chunks = JobChunk.objects.filter(job_id=key.job_id).order_by("chunk_no")
        assert list(chunks.values_list("content", "planned", "orphan_ids")) == [
            ("messages", 2, None),
            ("orphan_requests", 1, [request.req_id]),
            ("messages", 1, None),
        ]


class TestFewRows:
    def test_reads_only_as_much_as_it_needs(self, monkeypatch):
        monkeypatch.setattr(selection, "MAX_SMALL_PLAN", 2)
        read = []

        def part(number: int):
            def batches():
                read.append(number)
                yield selection.to_batch([(number,), (number,)], {"msg_id": "long"})

            return batches

        assert selection.few_rows([part(1)]) == [(1,), (1,)]
        with pytest.raises(TooMany):
            selection.few_rows([part(1), part(2), part(3)])
        assert read == [1, 1, 2]
