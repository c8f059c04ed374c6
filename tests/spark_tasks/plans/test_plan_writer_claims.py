"""Two jobs never have one message, and parts of one job do not wait for each other."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from messages_app.jobs.connections import database_dsn
from messages_app.jobs.kinds.registry import rivals_of
from messages_app.jobs.models import Job, JobRefusal
from messages_app.shared.job_states import ChunkContent, JobState
from spark_tasks.contract import JobKey
from spark_tasks.plans.plan_writer import find_items_of_others, write_part
from tests.spark_tasks.moves.scenes import executor, is_waiting
from tests.support.eventually import eventually

pytestmark = pytest.mark.django_db(transaction=True)


def planning_job(kind: str) -> JobKey:
    job = Job.objects.create(kind=kind, state=JobState.PLANNING, attempt=1, reason="test", created_by="ana")
    return JobKey(dsn=database_dsn(), job_id=job.pk, attempt=1, rivals=rivals_of(kind))


def write(session, key: JobKey, part_no: int, msg_ids: list[int]) -> None:
    rows = [(str(ChunkContent.MESSAGES), msg_id, msg_id, "FAILED", None) for msg_id in msg_ids]
    write_part(session, key, part_no, rows, size=10, claims=True)


def refused(key: JobKey) -> set[int]:
    return set(JobRefusal.objects.filter(job_id=key.job_id).values_list("msg_id", flat=True))


class TestTakenByOthers:
    def test_lets_parts_of_one_plan_be_written_at_the_same_time(self):
        key = planning_job("restart")
        with executor() as first, executor() as second, first.transaction(), second.transaction():
            assert find_items_of_others(first, key, [1]) == set()
            assert find_items_of_others(second, key, [2]) == set()

    def test_names_the_messages_of_another_job(self):
        earlier, later = planning_job("restart"), planning_job("cancel")
        with executor() as session:
            write(session, earlier, 0, [1, 2])
            write(session, later, 0, [2, 3])

        assert (refused(earlier), refused(later)) == (set(), {2})

    def test_refuses_the_whole_family_of_a_message_of_another_job(self):
        earlier, later = planning_job("restart"), planning_job("cancel")
        family = [(str(ChunkContent.MESSAGES), 4, msg_id, "FAILED", None) for msg_id in (4, 5, 6)]
        other = (str(ChunkContent.MESSAGES), 7, 7, "FAILED", None)
        with executor() as session:
            write(session, earlier, 0, [5])
            write_part(session, later, 0, [*family, other], size=10, claims=True)

        assert refused(later) == {4, 5, 6}

    def test_makes_a_later_job_wait_for_a_part_that_is_being_written(self):
        earlier = planning_job("restart")
        with executor() as first, executor() as second, ThreadPoolExecutor(1) as pool:
            with first.transaction():
                write(first, earlier, 0, [1, 2])
                later = planning_job("cancel")
                waiting = pool.submit(write, second, later, 0, [2, 3])
                eventually(lambda: is_waiting(second.info.backend_pid))
            waiting.result()

        assert (refused(earlier), refused(later)) == (set(), {2})

    def test_lets_further_parts_of_the_earlier_job_see_the_later_one(self):
        earlier = planning_job("restart")
        with executor() as session:
            write(session, earlier, 0, [1])
            later = planning_job("cancel")
            write(session, later, 0, [2])
            write(session, earlier, 1, [2, 3])

        assert refused(earlier) == {2}

    def test_ignores_jobs_that_have_ended(self):
        ended, next_one = planning_job("restart"), planning_job("cancel")
        with executor() as session:
            write(session, ended, 0, [1])
            Job.objects.filter(pk=ended.job_id).update(state=JobState.DONE)
            write(session, next_one, 0, [1])

        assert refused(next_one) == set()
