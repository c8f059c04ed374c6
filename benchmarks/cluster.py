"""
Measure jobs on a standalone Spark cluster of one, two and four machines, each held to a part of a core.

Each machine is a network namespace with an address of its own. PostgreSQL, the master and the Connect server
run outside of them, so the machines reach them over the network, as on a real cluster.
"""

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import psycopg

from benchmarks import cluster_faults
from benchmarks.databases import fill_template, fresh_copy
from benchmarks.failure_groups import fill_failures
from benchmarks.families import fill_families
from benchmarks.machines import HOST, NETWORK, Machine, machines
from benchmarks.phases import run_on_spark
from hubconsole.devserver import processes, progress
from hubconsole.devserver.processes import Program
from hubconsole.devserver.spark import prepare_spark
from messages_app.core.embedded_servers import database_url, is_listening
from spark_tasks.pacing import CONNECTIONS
from tests.support.eventually import eventually

PARTS = ("speed", "faults")
NUMBERS = (1, 2, 4)
# So that PostgreSQL, the driver and the worker of jobs have processor time left
# (docs/contributing/decisions/0036-cluster-on-two-cores.md).
CORES = 0.125
# While a machine starts.
_START_CORES = 1.0
_PORT = 7077
_MASTER = f"spark://{HOST}:{_PORT}"
_DEPLOY = "org.apache.spark.deploy"
_START_SECONDS = 240
# As docs/howto/spark_cluster.md says.
_AUTHENTICATED = """
spark.authenticate true
spark.network.crypto.enabled true
spark.network.crypto.cipher AES/GCM/NoPadding
"""
# For grouping: enough that the part of the job which is the same for any number of machines is small.
_FAILURES = 300_000


def measure(home: Path, *, families: int, rounds: int, cores: float, parts: tuple[str, ...]) -> None:
    if "speed" in parts:
        _measure_speed(home, families, rounds, cores)
    if "faults" in parts:
        _measure_faults(home, families, cores)


def _measure_faults(home: Path, families: int, cores: float) -> None:
    """Print what faults of one of two machines cost a job."""
    from django.db import connection

    fill_template(home, partial(fill_families, families=families, generations=3))
    disks: list[Path] = []
    try:
        with machines() as made, _cluster(home) as start_worker:
            _admit(home)
            connection.settings_dict["HOST"] = HOST
            for number in (1, 2):
                made.append(Machine(number, cores))
                disks.append(cluster_faults.give_disk(made[-1], home))
                start_worker(made[-1])
            cluster_faults.measure(home, made[0], disks[0])
    finally:
        for disk in disks:
            cluster_faults.take_disk(disk)


def _measure_speed(home: Path, families: int, rounds: int, cores: float) -> None:
    """Print seconds of each kind of job by the number of machines, and the share of linear growth."""
    from django.db import connection

    fill_template(home, partial(fill_families, families=families))
    seconds: dict[tuple[str, int], float] = {}
    with machines() as made, _cluster(home) as start_worker:
        _admit(home)
        connection.settings_dict["HOST"] = HOST
        for number in NUMBERS:
            while len(made) < number:
                made.append(Machine(len(made) + 1, _START_CORES))
                start_worker(made[-1])
            for kind, run in _KINDS.items():
                _hold(made, _START_CORES)
                run(home)  # Python and Java of new machines load what they need.
                _hold(made, cores)
                seconds[kind, number] = statistics.median(run(home) for _ in range(rounds))
                share = seconds[kind, 1] / seconds[kind, number] / number
                print(
                    f"{kind:>18}, {number} machines of {cores} cores: {seconds[kind, number]:.1f} s,"
                    f" {share:.2f} of linear",
                    flush=True,
                )


def _hold(made: list[Machine], cores: float) -> None:
    for machine in made:
        machine.hold_to(cores)


def _admit(home: Path) -> None:
    """Let the machines connect to the database."""
    with psycopg.connect(database_url(home), autocommit=True) as server:
        (file,) = server.execute("SHOW hba_file").fetchone()
        with Path(file).open("a") as rules:
            rules.write(f"host all all {NETWORK}.0/24 scram-sha-256\n")
        server.execute("SELECT pg_reload_conf()")


@contextmanager
def _cluster(home: Path) -> Iterator[Callable[[Machine], None]]:
    """Start the master and the Connect server; yield what starts a worker and its executor on a machine."""
    started: list[processes.Process] = []

    def start(program: Program) -> None:
        started.append(processes.Process(program, home))
        progress.wait_ready(started[-1])

    def start_worker(machine: Machine) -> None:
        folder = str(home / "spark" / machine.name)
        worker = ("--host", machine.address, "--cores", "1", "--memory", "1g", "--work-dir", folder, _MASTER)
        command = [*_deploy(server, "worker.Worker"), *worker]
        own = {"SPARK_LOCAL_IP": machine.address, "SPARK_LOCAL_DIRS": folder}
        environment = {**(server.environment or {}), **own}
        start(machine.program(machine.name, command, environment, home / "spark"))
        eventually(lambda: machine.address in _machines_at_work(), _START_SECONDS)

    server = _connect_server(home)
    try:
        start(
            Program(
                name="master",
                command=[*_deploy(server, "master.Master"), "--host", HOST, "--port", str(_PORT)],
                is_ready=lambda: is_listening(_PORT, HOST),
                environment=server.environment,
                directory=home / "spark",
                is_base=True,
            )
        )
        start(server)
        yield start_worker
    finally:
        processes.end_all(started)


def _connect_server(home: Path) -> Program:
    """Return the product's Connect server, with this cluster as its master."""
    server = prepare_spark(home, master=_MASTER)
    settings = {
        CONNECTIONS: max(NUMBERS),
        "spark.executor.memory": "700m",
        "spark.driver.host": HOST,
        # As docs/howto/spark_cluster.md says, and work that is done twice.
        "spark.excludeOnFailure.enabled": "true",
        "spark.speculation": "true",
    }
    words = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
    environment = {**(server.environment or {}), "SPARK_LOCAL_IP": HOST}
    return replace(server, command=[*server.command, *words], environment=environment)


def _deploy(server: Program, name: str) -> list[str]:
    """Return the beginning of the command of a master or worker, with the server's secrets and encryption."""
    spark_class = Path(server.command[0]).with_name("spark-class")
    secrets = Path(server.command[server.command.index("--properties-file") + 1])
    settings = secrets.with_name("cluster.properties")
    settings.touch(mode=0o600)
    settings.write_text(secrets.read_text() + _AUTHENTICATED)
    return [str(spark_class), f"{_DEPLOY}.{name}", "--properties-file", str(settings), "--webui-port", "0"]


def _machines_at_work() -> set[str]:
    """Return the addresses on which Python tasks run now."""
    from messages_app.jobs.connections import spark_address
    from spark_tasks.session import spark_session

    # Inside of this function, because only what is inside is sent to executors, which lack this module.
    def own_address(batches: Iterator) -> Iterator:
        import socket
        import time

        import pyarrow

        for _ in batches:
            time.sleep(0.2)  # So that no machine runs all tasks.
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
                probe.connect((host, 1))
                yield pyarrow.RecordBatch.from_pydict({"address": [probe.getsockname()[0]]})

    host = HOST
    with spark_session(spark_address()) as spark:
        rows = spark.range(0, 16, 1, 16).mapInArrow(own_address, "address string").collect()
    return {row.address for row in rows}


def _archive(home: Path) -> float:
    fresh_copy(home)
    return run_on_spark("archive", filter={}, options={"older_than_months": 2, "to": "parquet"}).total


def _export(home: Path) -> float:
    fresh_copy(home)
    every = {"receive_timestamp_from": "2000-01-01T00:00:00Z"}
    return run_on_spark("export", filter=every, options={"format": "csv", "payload": True}).total


def _group(home: Path) -> float:
    from messages_app.jobs.connections import database_dsn, spark_address
    from spark_tasks.failure_groups import group_history
    from spark_tasks.session import spark_session

    with psycopg.connect(fresh_copy(home)) as hub, hub.cursor() as cursor:
        cursor.execute("TRUNCATE message CASCADE")
        fill_failures(cursor, messages=_FAILURES)
        cursor.execute("ANALYZE message")
    began = time.monotonic()
    with spark_session(spark_address()) as spark:
        group_history(spark, dsn=database_dsn())
    return time.monotonic() - began


_KINDS: dict[str, Callable[[Path], float]] = {
    "archive to Parquet": _archive,
    "export": _export,
    "grouping": _group,
}
