"""
Every part of the console killed at every step of a job, next to a live hub: nothing is lost, and the job
ends.

Source: docs/contributing/spec/promises.md, F-2, F-3, F-13 to F-15, F-21, F-22, F-27, F-29, F-30. Figures:
docs/contributing/faults.md.
"""

import os
import signal
from collections.abc import Callable

import pytest

from messages_app.jobs.models import Job
from messages_app.shared.job_states import JobState
from spark_tasks.failpoints import Order, Step
from tests.faults.rig import Rig, kill
from tests.faults.work import WORKS, Work, make_rows, new_job

pytestmark = pytest.mark.slow

OF_AN_EXECUTOR = frozenset(step for step in Step if step.startswith(("part", "slice", "file")))

# The action while someone (`pid`) is at a step.
FAULTS: dict[str, Callable[[Rig, int], None]] = {
    "worker": lambda rig, pid: kill(rig.worker_at_work()),
    "executor": lambda rig, pid: kill(rig.executor_of(pid)),
    "spark driver": lambda rig, pid: rig.kill_spark(),
    "broker": lambda rig, pid: rig.kill_broker(),
    "queues": lambda rig, pid: rig.empty_broker(),
    "database": lambda rig, pid: rig.stop_database_at_once(),
    "database session": lambda rig, pid: rig.kill_backend(),
}


def _cases() -> list:
    return [
        pytest.param(
            fault,
            WORKS[name],
            step,
            id=f"{fault}, {name}, {step}",
        )
        for fault in FAULTS
        for name, work in WORKS.items()
        for step in work.steps
        if fault != "executor" or step in OF_AN_EXECUTOR
    ]


class TestKilled:
    @pytest.mark.parametrize(("fault", "work", "step"), _cases())
    def test_loses_and_duplicates_nothing(self, rig: Rig, watched, fault: str, work: Work, step: Step):
        make_rows(work)
        watch = watched()
        rig.failpoints.order(step, Order.WAIT)
        job = new_job(work)
        pid = rig.until_at(step)

        FAULTS[fault](rig, pid)
        rig.failpoints.let_go(step)

        assert rig.until_ended(job).state == JobState.DONE
        rig.until_quiet()
        watch.check()


class TestFrozen:
    @pytest.mark.parametrize(
        ("work", "step"),
        [
            pytest.param(work, step, id=f"{name}, {step}")
            for name, work in WORKS.items()
            for step in work.steps
        ],
    )
    def test_changes_nothing_when_it_wakes_up_after_its_lease(
        self, rig: Rig, watched, work: Work, step: Step
    ):
        make_rows(work)
        watch = watched()
        rig.failpoints.order(step, Order.WAIT)
        job = new_job(work)
        rig.until_at(step)
        sleeper = rig.worker_at_work()
        os.kill(sleeper, signal.SIGSTOP)
        rig.failpoints.let_go(step)
        if step is not Step.ENDED:
            rig.until(lambda: Job.objects.filter(pk=job.pk, attempt__gt=1).exists())

        os.kill(sleeper, signal.SIGCONT)

        assert rig.until_ended(job).state == JobState.DONE
        rig.until_idle()
        watch.check()
