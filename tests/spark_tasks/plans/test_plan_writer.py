from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messages_app.jobs.models import Job, JobChunk, JobItem
from messages_app.messages.models import Message
from messages_app.shared.job_states import ChunkContent
from spark_tasks.contract import Fenced, JobKey
from spark_tasks.plans.plan_writer import SINGLE_MESSAGES, cut_chunks, write_inside, write_part, write_plan
from spark_tasks.session import spark_session
from tests.spark_tasks.actions.archives import message
from tests.spark_tasks.moves.scenes import executor
from tests.spark_tasks.plans.test_plan_writer_claims import planning_job

MESSAGES = "SELECT msg_id, state FROM message WHERE state = ANY (%(states)s)"

families = st.lists(
    st.tuples(st.sampled_from(sorted(ChunkContent)), st.integers(1, 50), st.integers(1, 8)),
    unique_by=lambda family: (family[0], family[1]),
)


def rows_of(drawn: list[tuple[str, int, int]]) -> list[tuple]:
    """Return plan rows of families (content, root, size), sorted as a part of the plan is."""
    return [
        (content, root, root * 100 + member, None, None)
        for content, root, size in sorted(drawn)
        for member in range(size)
    ]


class TestCutChunks:
    @given(families, st.integers(1, 20))
    def test_leaves_nothing_out_and_repeats_nothing(self, drawn, size):
        rows = rows_of(drawn)

        assert [row for chunk in cut_chunks(rows, size=size) for row in chunk] == rows

    @given(families, st.integers(1, 20))
    def test_splits_no_family_and_mixes_no_contents(self, drawn, size):
        homes: dict[tuple, set[int]] = {}
        for number, chunk in enumerate(cut_chunks(rows_of(drawn), size=size)):
            assert len({row[0] for row in chunk}) == 1
            for row in chunk:
                homes.setdefault(row[:2], set()).add(number)

        assert all(len(numbers) == 1 for numbers in homes.values())

    @given(families, st.integers(1, 20))
    def test_exceeds_the_size_of_a_chunk_only_by_its_last_family(self, drawn, size):
        for chunk in cut_chunks(rows_of(drawn), size=size):
            last = chunk[-1][:2]
            assert len([row for row in chunk if row[:2] != last]) < size


def chunks_of(key: JobKey) -> dict[int, int]:
    """Return the messages planned, by chunk number, and see that the items are those."""
    counted = Counter(JobItem.objects.filter(job_id=key.job_id).values_list("chunk_no", flat=True))
    found = dict(JobChunk.objects.filter(job_id=key.job_id).values_list("chunk_no", "planned"))
    assert found == counted
    return found


def write(key: JobKey, *states: str, part_no: int = 0, size: int = 10) -> int | None:
    with executor() as session:
        return write_inside(
            session, key, part_no, SINGLE_MESSAGES, MESSAGES, {"states": list(states)}, size=size
        )


@pytest.mark.django_db(transaction=True)
class TestWriteSingleMessages:
    def test_writes_each_message_of_a_query_separately(self):
        found, other = message("OK"), message("WAITING")
        key = planning_job("archive")

        assert write(key, "OK") == 1
        item = JobItem.objects.get(job_id=key.job_id)
        assert (item.msg_id, item.root_msg_id, item.old_state) == (found.pk, found.pk, "OK")
        assert JobChunk.objects.get(job_id=key.job_id).content == ChunkContent.MESSAGES
        assert other.state == "WAITING"

    @pytest.mark.parametrize(
        ("messages", "sizes"), [(3, [3]), (10, [10]), (11, [6, 5]), (21, [7, 7, 7]), (0, [])]
    )
    def test_makes_chunks_of_similar_size_within_the_limit(self, messages, sizes):
        for _ in range(messages):
            message("OK")
        key = planning_job("archive")

        assert write(key, "OK", part_no=3) == len(sizes)
        assert chunks_of(key) == {300_000 + number: size for number, size in enumerate(sizes)}

    def test_keeps_neighbours_together(self):
        for _ in range(25):
            message("OK")
        key = planning_job("archive")
        write(key, "OK")

        numbers = (
            JobItem.objects.filter(job_id=key.job_id).order_by("msg_id").values_list("chunk_no", flat=True)
        )
        assert list(numbers) == sorted(numbers)

    def test_does_not_change_an_existing_part(self):
        message("OK")
        key = planning_job("archive")
        write(key, "OK")
        for _ in range(30):
            message("OK")

        assert write(key, "OK") == 1
        assert chunks_of(key) == {0: 1}
        assert write(key, "FAILED", part_no=1) == 0

    def test_writes_nothing_while_another_job_is_active(self):
        message("OK")
        planning_job("restart")
        key = planning_job("archive")

        assert write(key, "OK") is None
        assert chunks_of(key) == {}

    def test_fails_after_the_job_was_taken_over(self):
        message("OK")
        key = planning_job("archive")
        Job.objects.filter(pk=key.job_id).update(attempt=2)

        with pytest.raises(Fenced):
            write(key, "OK")
        assert chunks_of(key) == {}

    def test_makes_later_jobs_wait_until_it_is_committed(self):
        message("OK")
        key = planning_job("archive")
        with executor() as session, session.transaction():
            write_inside(session, key, 0, SINGLE_MESSAGES, MESSAGES, {"states": ["OK"]}, size=10)
            assert held_locks(session) == 1


def held_locks(session) -> int:
    """Return how many locks of the console's own this session holds."""
    found = session.execute(
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()"
    )
    return found.fetchone()[0]


@pytest.mark.django_db(transaction=True)
class TestWritePart:
    @pytest.mark.parametrize("again", [1, 0])
    def test_reports_the_existing_chunks_whatever_it_is_given_the_second_time(self, again):
        key = planning_job("restart")
        ids = [message("FAILED").pk for _ in range(25)]
        rows = [(str(ChunkContent.MESSAGES), msg_id, msg_id, "FAILED", None) for msg_id in ids]
        with executor() as session:
            assert write_part(session, key, 0, rows, size=10, claims=True) == 3
            assert write_part(session, key, 0, rows[:again], size=10, claims=True) == 3
        assert sum(chunks_of(key).values()) == Message.objects.count()


@pytest.mark.django_db(transaction=True)
class TestWritePlan:
    def test_counts_the_chunks_of_a_repeated_part_without_rows(self, spark_remote):
        key = planning_job("restart")
        ids = "'messages' AS content", "id AS root_id", "id", "'FAILED' AS state", "string(NULL) AS reason"
        with spark_session(spark_remote) as spark:
            found = spark.range(0, 25, 1, 1).selectExpr(*ids)
            assert write_plan(found, key=key, chunk_size=10) == 3
            assert write_plan(found.where("id < 0"), key=key, chunk_size=10) == 3
        assert sum(chunks_of(key).values()) == 25
