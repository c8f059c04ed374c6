"""A console of its own for fault tests: every part a real process that may be killed and is started again."""

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from time import monotonic

import psutil
import redis
from django.conf import settings
from django.db import Error, connection

from hubconsole.celery import app
from hubconsole.devserver import processes, programs
from hubconsole.devserver.spark import prepare_spark
from messages_app.core.embedded_servers import spark_url
from messages_app.jobs.engine import watch
from messages_app.jobs.models import Job
from messages_app.shared.job_states import FINAL_STATES
from spark_tasks.failpoints import VARIABLE, Step
from tests.faults.proxy import Proxy
from tests.faults.steps import Failpoints
from tests.support.eventually import eventually
from tests.support.servers import Servers
from tests.support.workers import database_of_tests

_SWEEP_EVERY = 0.5  # seconds; `up` does it every ten
_WORKERS = ("spark-worker", "second-spark-worker")


class Rig:
    """
    Two workers and a Spark server of their own, next to the run's database and broker.

    The test is their supervisor and their sweeper, while it waits with `until`.
    """

    def __init__(self, servers: Servers) -> None:
        self._servers = servers
        self._home = servers.home / "faults"
        self._home.mkdir()
        self.failpoints = Failpoints(self._home / "failpoints")
        self._own = Servers(self._home)
        self.proxy = Proxy(int(connection.settings_dict["PORT"]))
        self._swept_at = 0.0

    def start(self) -> None:
        os.environ[VARIABLE] = str(self.failpoints.folder)
        try:
            spark = prepare_spark(self._home, master=os.environ["SPARK_MASTER"])
        finally:
            del os.environ[VARIABLE]  # no one else comes to a failpoint
        self._own.start(spark)
        for name in _WORKERS:
            self.start_worker(name)

    def start_worker(self, name: str, **environment: str) -> None:
        """Start a worker for jobs, which `up` would call spark-worker."""
        program = next(one for one in programs.worker_programs() if one.name == "spark-worker")
        database = database_of_tests()
        through_proxy = f":{self.proxy.port}/"
        ours = database | {
            "DATABASE_URL": database["DATABASE_URL"].replace(
                f":{connection.settings_dict['PORT']}/", through_proxy
            ),
            "HUBCONSOLE_SPARK_WARM_UP": "off",
            "SPARK_REMOTE": spark_url(self._home),
            VARIABLE: str(self.failpoints.folder),
        }
        command = [word.replace("spark-worker@", f"{name}@") for word in program.command]
        self._own.start(
            replace(
                program,
                name=name,
                command=command,
                is_ready=lambda: " ready." in processes.log_path(self._home, name).read_text(),
                environment=dict(program.environment) | ours | environment,
            )
        )

    def stop(self) -> None:
        self._own.stop()
        self.proxy.stop()

    def tend(self) -> None:
        """Go round once: start again what has ended, and ring for jobs that no one works on."""
        self._servers.look_after()
        self._own.look_after()
        if monotonic() - self._swept_at > _SWEEP_EVERY:
            self._swept_at = monotonic()
            self.ask(watch.sweep_jobs)

    def ask(self, question: Callable[[], object]) -> object:
        """Return what the database says, None while it is away."""
        try:
            return question()
        except Error:
            connection.close()
            return None

    def until(self, condition: Callable[[], object], seconds: float = 240.0) -> object:
        """Wait for a true answer, while everything is kept running."""

        def ask() -> object:
            self.tend()
            return self.ask(condition)

        return eventually(ask, seconds)

    def until_at(self, step: Step, *, time_no: int = 1) -> int:
        """Wait until someone came to a step, and return his process."""
        self.until(lambda: len(self.failpoints.came_to(step)) >= time_no)
        return self.failpoints.came_to(step)[time_no - 1]

    def until_ended(self, job: Job) -> Job:
        self.until(lambda: Job.objects.filter(pk=job.pk, state__in=FINAL_STATES).exists())
        return Job.objects.get(pk=job.pk)

    def until_quiet(self) -> None:
        """Wait until no other session has a transaction: a killed process may take a moment to end."""
        self.until(lambda: not _others_at_work())

    def until_whole(self) -> None:
        """Wait until everything that was killed serves again."""
        self.until(lambda: self._own.serve() and self._servers.serve())

    def until_idle(self) -> None:
        """Wait until no worker has a task."""
        self.until_quiet()
        self.until(lambda: not any((app.control.inspect(timeout=0.5).active() or {"": [1]}).values()))

    def worker_at_work(self) -> int:
        """Return the worker that took the job last."""
        return self.failpoints.came_to(Step.CLAIMED)[-1]

    def executor_of(self, pid: int) -> int:
        """Return the executor whose Python runs as `pid`; that Python itself where it is the driver."""
        driver = self._own.pid("spark")
        for ancestor in psutil.Process(pid).parents():
            if "java" in ancestor.name():
                return pid if ancestor.pid == driver else ancestor.pid
        return pid

    def kill_spark(self) -> None:
        kill(self._own.pid("spark"))

    def kill_broker(self) -> None:
        kill(self._servers.pid("valkey"))

    def empty_broker(self) -> None:
        with redis.Redis.from_url(settings.CELERY_BROKER_URL) as broker:
            broker.flushall()

    def stop_database_at_once(self) -> None:
        self._servers.end_database_at_once()

    def kill_backend(self) -> None:
        """Kill one session's process: PostgreSQL then ends all the others, and recovers."""
        connection.close()
        postmaster = psutil.Process(self._servers.pid("postgres"))
        kill(next(child.pid for child in postmaster.children() if _is_session(child)))

    def log_of(self, name: str) -> str:
        return processes.log_tail(self._home, name, size=20_000)


def kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _is_session(process: psutil.Process) -> bool:
    with suppress(psutil.Error):  # it may end while it is checked
        return any(" hubconsole test_" in word for word in process.cmdline())
    return False


def _others_at_work() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
            " AND application_name = 'hubconsole-executor' AND datname = current_database()"
        )
        return bool(cursor.fetchone()[0])
