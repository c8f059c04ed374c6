import os
import shutil
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from hubconsole.devserver import processes, progress
from hubconsole.devserver.spark import prepare_spark
from messages_app.core.embedded_servers import last_endpoint, spark_url
from spark_tasks.session import spark_session
from tests.hubconsole.strangers import answer_to_stranger, listening
from tests.support.eventually import eventually
from tests.support.servers import Servers


@pytest.fixture
def session(spark_remote: str) -> Iterator[SparkSession]:
    session = SparkSession.builder.remote(spark_remote).create()
    yield session
    session.stop()


def _states_seen():
    """Return a task that reads the states in Spark's Python workers, and yields one count."""

    def seen(batches):  # inside: shipped as it is, for workers have no tests to import it from
        import pyarrow

        from messages_app.shared.message_states import MessageState

        for _ in batches:
            yield pyarrow.RecordBatch.from_pydict({"states": [len(list(MessageState))]})

    return seen


def _commands_of_parents():
    """Return a task that yields the command line of the process that forked its worker."""

    def seen(batches):
        import psutil
        import pyarrow

        for _ in batches:
            command = " ".join(psutil.Process().parent().cmdline())
            yield pyarrow.RecordBatch.from_pydict({"command": [command]})

    return seen


def _slow_work(begun: str):
    """Return a task of a tenth of a second, which leaves a file named `begun`."""

    def work(batches):
        import pathlib
        import threading

        pathlib.Path(begun).touch()
        threading.Event().wait(0.1)
        yield from batches

    return work


class TestUrl:
    def test_opens_the_server(self, session: SparkSession):
        assert session.range(1000).groupBy().sum("id").collect()[0][0] == 499_500

    @pytest.mark.parametrize("token", [";token=guessed", ""])
    def test_is_refused_without_the_right_token(self, spark_remote: str, token: str):
        stranger = f"{spark_remote.split(';')[0]}{token}"

        with pytest.raises((PySparkException, Exception), match=r"(?i)unauthenticated|token"):
            SparkSession.builder.remote(stranger).create().range(1).count()


class TestPrepare:
    def test_lets_workers_import_what_tasks_need(self, spark_remote: str):
        with spark_session(spark_remote) as session:
            numbers = session.range(2, numPartitions=1)
            rows = numbers.mapInArrow(_states_seen(), "states long").collect()

        assert rows[0].states > 5

    def test_forks_workers_that_have_loaded_what_tasks_need(self, session: SparkSession):
        rows = session.range(1).mapInArrow(_commands_of_parents(), "command string").collect()

        assert rows[0].command.endswith("-m preloading_daemon pyspark.worker")

    def test_encrypts_with_a_cipher_that_loads_no_classes_meanwhile(self, session: SparkSession):
        """The default cipher does, through the loader of a waiting task: some first tasks took 120 s."""
        wanted = "spark.network.crypto.cipher"
        assert session.sql(f"SET {wanted}").first().value == "AES/GCM/NoPadding"

    @pytest.mark.slow
    def test_lets_jobs_take_turns(self, session: SparkSession, tmp_path: Path):
        begun = tmp_path / "begun"
        many = session.range(40, numPartitions=40).mapInArrow(_slow_work(str(begun)), "id long")
        with ThreadPoolExecutor(1) as beside:
            waiting = beside.submit(many.count)
            eventually(begun.exists, 60)

            assert session.range(3, numPartitions=2).count() == 3
            assert not waiting.done()
            assert waiting.result() == 40

    def test_repeats_a_failed_task(self, session: SparkSession):
        assert session.conf.get("spark.master") == os.environ["SPARK_MASTER"]

    def test_keeps_its_files_and_its_secret_from_other_users(self, servers: Servers, session: SparkSession):
        session.range(1).count()

        folder = servers.home / "spark"
        secrets = (folder / "driver.properties").read_text().split()[1::2]
        java = psutil.Process(servers.pid("spark"))
        assert (folder / "driver.properties").stat().st_mode & 0o077 == 0
        assert [len(secret) > 40 for secret in secrets] == [True, True]
        assert not [secret for secret in secrets if secret in " ".join(java.cmdline())]
        assert "spark.authenticate=true" in java.cmdline()
        temporary = Path(tempfile.gettempdir())
        assert not list(temporary.glob(f"hsperfdata_*/{java.pid}"))
        assert not [file.path for file in java.open_files() if Path(file.path).parent == temporary]

    @pytest.mark.slow
    def test_refuses_strangers_at_every_port_of_a_cluster_too(self, servers: Servers):
        home = servers.home / "cluster"
        home.mkdir()
        process = processes.Process(prepare_spark(home, master="local-cluster[1,1,1024]"), home)
        try:
            progress.wait_ready(process)
            session = SparkSession.builder.remote(spark_url(home)).create()
            try:
                rows = session.range(3).mapInArrow(lambda batches: batches, "id long").collect()
                ports = listening(home)
                answers = {port: answer_to_stranger(home, port, name) for port, name in ports.items()}
            finally:
                session.stop()
        finally:
            processes.end_all([process])

        assert [row.id for row in rows] == [0, 1, 2]
        connect = last_endpoint(home, "spark").port
        daemons = [answers.pop(port) for port, name in ports.items() if name != "java"]
        assert answers.pop(connect) == "UNAUTHENTICATED"
        assert daemons == ["err"]
        # RPC of driver, master and worker, block managers of driver and executor; pages of master and worker.
        assert set(answers.values()) == {"refused", "403"}
        assert list(answers.values()).count("403") == 2
        assert len(answers) > 5

    @pytest.mark.slow
    def test_runs_on_the_packaged_java(self, servers: Servers, monkeypatch: pytest.MonkeyPatch):
        home = servers.home / "packaged"
        monkeypatch.delenv("JAVA_HOME", raising=False)
        monkeypatch.setenv("PATH", str(_path_without_java(home / "bin")))
        process = processes.Process(prepare_spark(home, master="local[1,4]"), home)
        try:
            progress.wait_ready(process)
            session = SparkSession.builder.remote(spark_url(home)).create()
            try:
                rows = session.range(3).mapInArrow(lambda batches: batches, "id long").collect()
            finally:
                session.stop()
        finally:
            processes.end_all([process])

        assert [row.id for row in rows] == [0, 1, 2]
        assert str(home / "spark" / "java") in process.program.environment["JAVA_HOME"]


def _path_without_java(binaries: Path) -> Path:
    """Link the few programs that Spark's scripts use."""
    binaries.mkdir(parents=True)
    for name in ("bash", "sh", "dirname", "basename", "env", "ps", "cat", "uname"):
        (binaries / name).symlink_to(shutil.which(name))
    return binaries
